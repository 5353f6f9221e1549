"""Quantities about run times with two modes: their ratio, their number and the share of the upper one.

The process is the unit of every interval, and every interval is computed at the level that is asked for, so that the
correction for the number of claims applies. Samples of one process are not independent; see
`aeadlab.stats.mode_intervals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from math import isnan
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.units import significant
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats import (
    Interval,
    Modes,
    in_upper_mode,
    median_interval,
    mode_ratio,
    modes,
    quantile_interval,
    share_interval,
)
from aeadlab.stats.interval import CONFIDENCE, Floats, unit
from aeadlab.stats.processes import FEWEST, joint_level
from aeadlab.studies.thread_modes.stealing import levels
from aeadlab.studies.thread_modes.study import PUBLISHED, message
from aeadlab.verdicts.claim import Number, Numbers, estimator, revised
from aeadlab.verdicts.estimate import Estimate, Quantity, largest, quotient
from aeadlab.verdicts.evidence import Evidence, Inconclusive

MIN_SAMPLES: Final = 100
"""Least number of samples in which modes are identified, as many as in the paper."""

_TAIL: Final = 0.95
_DOCUMENT: Final = "ETH"
_SHARE: Final = (
    Number("Figure 12 text", "samples in the upper mode"), Number("Figure 12 text", "samples in the lower mode"),
)  # fmt: skip
_RATIO: Final = Number("Figure 12 text", "ratio of the modes")


class _Drifted(Inconclusive):
    """Raised where a run drifted, so that its times do not have the modes of threads."""


@dataclass(frozen=True, eq=False)
class _Measured:
    """The undisturbed samples of one case: seconds and the process of each, and their modes.

    Attributes
    ----------
    noise
        Noise floor of the case.
    unpaired
        Why the run does not show the noise floor, ``""`` for nothing.
    """

    seconds: Floats
    process: NDArray[np.int64]
    modes: Modes
    noise: float
    unpaired: str

    def time_ratio(self, interval: Interval) -> Estimate:
        """Return an estimate of a ratio of times, to which the noise floor applies."""
        return replace(
            self.estimate(interval), noise=self.noise, cannot_confirm=self.unpaired, cannot_refute=self.unpaired
        )

    def estimate(self, interval: Interval, detail: str = "") -> Estimate:
        """Return an estimate from these samples; an end that is unknown is 0 or infinite."""
        low, high = (unknown if isnan(end) else end for end, unknown in ((interval.low, 0.0), (interval.high, np.inf)))
        return Estimate(interval.estimate, max(low, 0.0), high, 0.0, *self.counts, detail=detail)

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of processes and rounds."""
        return np.unique(self.process).size, self.seconds.size

    @property
    def two_modes_p_value(self) -> float:
        """Error level at which the case has two modes; 1 where they are found in fewer than three processes only."""
        if self.modes.kind != "two":
            return 1.0
        upper = self.process[in_upper_mode(self.seconds, self.modes)]
        return self.modes.p_value if np.unique(upper).size >= FEWEST else 1.0

    def upper_share(self, ratio: float, confidence: float = CONFIDENCE) -> Interval:
        """Return `upper_share` of these samples."""
        return upper_share(self.seconds, ratio, self.process, confidence)


_WAITING: Final[WeakKeyDictionary[Evidence, dict[tuple[int, str], _Measured]]] = WeakKeyDictionary()
"""The results of `_waiting`, because the claims use the same cases several times."""


def _waiting(evidence: Evidence, threads: int, schedule: str) -> _Measured:
    """Return the samples of threads that wait, at a thread count."""
    known = _WAITING.setdefault(evidence, {})
    if (threads, schedule) not in known:
        # The record also contains other block counts.
        known[threads, schedule] = _measured(
            evidence, DELAY, engine="parsplit", schedule=schedule, threads=threads, block_size=message(threads)[1]
        )
    return known[threads, schedule]


def _measured(evidence: Evidence, name: str, *, threads: int, **where: Any) -> _Measured:
    seconds, order, process = evidence.sample_times(name, threads=threads, **where)
    if seconds.size < MIN_SAMPLES:
        raise Inconclusive(f"{seconds.size} undisturbed samples with {threads} threads, {MIN_SAMPLES} are required")
    if (processes := np.unique(process).size) < FEWEST:
        reason = f"the interval holds {unit(processes, seconds.size)}"
        raise Inconclusive(f"{reason}: verdicts require {FEWEST} processes or more")
    result = modes(seconds, order, process)
    if result.kind == "drift":
        raise _Drifted(f"the run drifted with {threads} threads")
    if result.limitation:
        raise Inconclusive(f"{result.limitation} ({threads} threads)")
    every_length = evidence.with_all_lengths
    cases = every_length.find(name, threads=threads, **where)
    noise, unpaired = every_length.noise_floor(cases), every_length.unpaired(cases)
    return _Measured(seconds, process.astype(np.int64), result, noise, unpaired)


def published_share() -> float:
    """Return the share of the upper mode in the document, at the only thread count for which it has a number."""
    upper, lower = (number.value(_DOCUMENT) for number in _SHARE)
    return upper / (upper + lower)


def predicted_ratio(threads: int) -> float:
    """Return the ratio of the modes at which an upper one is expected: that of `levels`, or else the document's."""
    length, block = message(threads)
    ratio = levels(threads, length // block).ratio
    return ratio if ratio > 1 else _RATIO.value(_DOCUMENT)


def upper_share(seconds: Floats, ratio: float, process: NDArray[np.int64], confidence: float = CONFIDENCE) -> Interval:
    """Return the share of times that are nearer to an upper mode, `ratio` times the lower one, than to the lower one.

    Strays above the middle are included, so that the upper end also bounds the share of an upper mode that no test can
    find.
    """
    # At least half of the samples are in the lower mode.
    lower = float(np.quantile(seconds, 0.25))
    return share_interval(seconds > lower * ratio**0.5, process, confidence)


@estimator
@revised(3)
def ratio_of_modes(evidence: Evidence, _: Numbers, threads: int) -> Quantity:
    """Return the median of the upper mode over that of the lower under Rayon; 1 where there is one mode.

    There is one mode only if the samples exclude the document's share of the upper one.
    """
    return _ratio_of_modes(_waiting(evidence, threads, ETH_PAPER), threads)


@estimator
def ratio_of_published_case(evidence: Evidence, _: Numbers) -> Quantity:
    """Return the ratio of the modes in the case of the document, as `ratio_of_modes` does of threads that wait."""
    evidence.require_cores(PUBLISHED.threads)
    where = {name: getattr(PUBLISHED, name) for name in ("engine", "schedule", "model", "bytes", "block_size")}
    found = _measured(evidence, PUBLISHED.implementation, threads=PUBLISHED.threads, **where)
    return _ratio_of_modes(found, PUBLISHED.threads)


def _ratio_of_modes(found: _Measured, threads: int) -> Quantity:
    if found.modes.kind == "two":
        return partial(_ratio, found)
    share, bound = published_share(), found.upper_share(predicted_ratio(threads)).high
    if bound >= share:
        raise Inconclusive(
            f"no second mode was found with {threads} threads, but it may hold up to {significant(100 * bound)} % of "
            f"the samples, and {significant(100 * share)} % in the document"
        )

    def one_mode(confidence: float) -> Estimate:
        excluded = found.upper_share(predicted_ratio(threads), confidence).high < share
        return found.estimate(Interval(1.0, 1.0, 1.0 if excluded else np.inf), detail=_bounds({threads: bound}))

    return one_mode


def _ratio(found: _Measured, confidence: float) -> Estimate:
    if found.two_modes_p_value > 1 - confidence:
        # At this level the samples do not show that there are two modes.
        return found.estimate(Interval(found.modes.ratio, 1.0, np.inf))
    return found.time_ratio(mode_ratio(found.seconds, found.modes, found.process, confidence))


@estimator
def share_of_upper_mode(evidence: Evidence, _: Numbers, threads: int) -> Quantity:
    """Return the share of samples under Rayon that are nearer to the upper mode at its predicted place."""
    return partial(_upper_share, _waiting(evidence, threads, ETH_PAPER), predicted_ratio(threads))


@estimator
@revised(3)
def counts_with_two_modes(
    evidence: Evidence,
    _: Numbers,
    counts: Sequence[int],
    schedules: Sequence[str] = (ETH_PAPER,),
    least_share: float | None = None,
    *,
    clear: bool = False,
) -> Quantity:
    """Return the number of combinations of thread count and schedule that have two modes.

    The lower end is the number of those that have two modes, the upper end leaves out those in which none is found and
    whose samples exclude an upper mode of `least_share` at its predicted place, by default that of the document with 5
    threads. Where modes must be `clear`, a second mode that is found counts only with this share or more. Each end
    holds for all combinations at once (`_at_once`). The text has the second modes and, for each thread count without
    one, the bound of its share; so has the reason where another one drifted.
    """
    cases, drifted = {}, ""
    for case in product(counts, schedules):
        try:
            cases[case] = _waiting(evidence, *case)
        except _Drifted as error:
            drifted = drifted or str(error)
    if drifted:
        raise Inconclusive("; ".join(filter(None, (drifted, _second_modes(cases)))))
    share = published_share() if least_share is None else least_share
    return _number_with_two_modes(cases, share, clear=clear, detail=_second_modes(cases))


@estimator
@revised(2)
def odd_among_two_modes(evidence: Evidence, _: Numbers, counts: Sequence[int], least_share: float) -> Quantity:
    """Return the share of odd ones among the thread counts that have two clear modes under Rayon.

    Its interval follows from those of the numbers of odd and of even counts with clear modes (`counts_with_two_modes`),
    which hold at once.
    """
    cases = {(threads, ETH_PAPER): _waiting(evidence, threads, ETH_PAPER) for threads in counts}
    odd, even = (
        _number_with_two_modes({case: cases[case] for case in cases if case[0] % 2 == parity}, least_share, clear=True)
        for parity in (1, 0)
    )
    if not odd(CONFIDENCE).value + even(CONFIDENCE).value:
        raise Inconclusive("no thread count has two clear modes in this record")
    modes_found = _second_modes(cases)

    def share(confidence: float) -> Estimate:
        a, b = (number(joint_level(2, confidence)) for number in (odd, even))
        low, high = (one / max(one + other, 1) for one, other in ((a.low, b.high), (a.high, b.low)))
        return Estimate(
            a.value / (a.value + b.value), low, high,
            processes=min(a.processes, b.processes), rounds=min(a.rounds, b.rounds),
            detail=f"{a.value:g} odd and {b.value:g} even counts with two clear modes; {modes_found}",
        )  # fmt: skip

    return share


def _number_with_two_modes(
    cases: Mapping[tuple[int, str], _Measured], share: float, *, clear: bool, detail: str = ""
) -> Quantity:
    measured = list(zip(cases.values(), (predicted_ratio(threads) for threads, _ in cases), strict=True))
    least = share if clear else 0.0
    value = sum(found.modes.kind == "two" and found.upper_share(place).estimate >= least for found, place in measured)
    processes, rounds = (min(found.counts[place] for found, _ in measured) for place in (0, 1))

    @cache
    def with_two(confidence: float) -> int:
        # Each end of the interval has half of the error.
        return sum(
            found.two_modes_p_value <= (1 - confidence) / 2 and found.upper_share(place, confidence).low >= least
            for found, place in measured
        )

    @cache
    def excluded(confidence: float) -> int:
        return sum(
            (clear or found.modes.kind != "two") and found.upper_share(place, confidence).high < share
            for found, place in measured
        )

    def number(confidence: float) -> Estimate:
        low, without_second = (_at_once(holds, len(measured), confidence) for holds in (with_two, excluded))
        return Estimate(value, low, len(measured) - without_second, processes=processes, rounds=rounds, detail=detail)

    return number


def _second_modes(cases: Mapping[tuple[int, str], _Measured]) -> str:
    """Return as text the second modes, by thread count, and the bounds of their shares where none is found.

    Of several schedules each second mode has its own, and the bound is the largest one.
    """
    several = len({schedule for _, schedule in cases}) > 1
    listed: list[str] = []
    bounds: dict[int, float] = {}
    for (threads, schedule), found in cases.items():
        if found.modes.kind == "two":
            upper = share_interval(in_upper_mode(found.seconds, found.modes), found.process)
            name = f"{threads} {schedule}" if several else f"{threads}"
            listed.append(f"{name}: {significant(found.modes.ratio)} times the lower, {_share(upper)}")
        else:
            bounds[threads] = max(found.upper_share(predicted_ratio(threads)).high, bounds.get(threads, 0.0))
    modes_found = f"second modes and their share, by threads: {', '.join(listed)}" if listed else ""
    return "; ".join(filter(None, (modes_found, _bounds(bounds))))


def _share(share: Interval) -> str:
    estimate, low, high = (significant(100 * end, 2) for end in share)
    return f"{estimate} % ({low} to {high})"


def _at_once(holds: Callable[[float], int], of: int, confidence: float) -> int:
    """Return how many of several statements hold at least, from the number that hold at each level by themselves.

    At least k of n hold if k of them do at the level for n - k + 1 (Bonferroni): if fewer than k were true, the k
    would contain a false one of the n - k + 1 or more that are false [1]_.

    References
    ----------
    .. [1] Y. Benjamini and R. Heller, Screening for Partial Conjunction Hypotheses, Biometrics 64 (2008), 1215-1222.
    """
    return max((k for k in range(1, of + 1) if holds(joint_level(of - k + 1, confidence)) >= k), default=0)


@estimator
@revised(3)
def largest_tail(evidence: Evidence, _: Numbers, counts: Sequence[int], schedules: Sequence[str]) -> Quantity:
    """Return the largest ratio of the 95th percentile of undisturbed samples to their median."""
    return largest([_tail(_waiting(evidence, *case)) for case in product(counts, schedules)])


def _tail(found: _Measured) -> Quantity:
    """Return the 95th percentile over the median, whose intervals hold at once."""

    def percentile(confidence: float) -> Estimate:
        return found.time_ratio(quantile_interval(found.seconds, _TAIL, found.process, confidence))

    def median(confidence: float) -> Estimate:
        return found.estimate(median_interval(found.seconds, range(found.seconds.size), found.process, confidence))

    return quotient(percentile, median)


@estimator
def largest_upper_share(evidence: Evidence, _: Numbers, counts: Sequence[int]) -> Quantity:
    """Return the largest share of samples under Rayon that are nearer to the upper mode, over thread counts.

    The position of the upper mode at each thread count is the predicted one (`levels`), since the mode may be too rare
    to be identified at one count. Counts with a single predicted mode are excluded. The interval accounts for the
    selection of the largest (`aeadlab.verdicts.estimate.largest`); the text has the share at each count.
    """
    shares: dict[int, Interval] = {}
    quantities: list[Quantity] = []
    for threads in counts:
        length, block = message(threads)
        ratio = levels(threads, length // block).ratio
        if ratio == 1:
            continue
        found = _waiting(evidence, threads, ETH_PAPER)
        shares[threads] = found.upper_share(ratio)
        quantities.append(partial(_upper_share, found, ratio))
    at_most = largest(quantities)
    listed = "; ".join(f"{threads}: {_share(share)}" for threads, share in shares.items())
    return lambda confidence: replace(at_most(confidence), detail=f"upper mode's share, by threads: {listed}")


def _upper_share(found: _Measured, ratio: float, confidence: float) -> Estimate:
    return found.estimate(found.upper_share(ratio, confidence))


def _bounds(shares: Mapping[int, float]) -> str:
    """Return as text the largest share of an upper mode that the samples do not exclude, by thread count."""
    if not shares:
        return ""
    listed = ", ".join(f"{threads}: {significant(100 * share, 2)} %" for threads, share in shares.items())
    return f"upper bound of the upper mode's share, by threads: {listed}"
