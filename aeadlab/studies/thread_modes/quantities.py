"""Quantities about run times with two modes: their ratio, their number and the share of the upper one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf
from typing import Final

import numpy as np
from scipy.stats import binom

from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.units import significant
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats import Interval, Modes, mode_ratio, modes, share_interval
from aeadlab.stats.interval import CONFIDENCE, Floats, unit
from aeadlab.stats.processes import FEWEST
from aeadlab.studies.thread_modes.stealing import levels
from aeadlab.studies.thread_modes.study import message
from aeadlab.verdicts.claim import Number, Numbers, estimator, revised
from aeadlab.verdicts.estimate import Estimate, Quantity, largest
from aeadlab.verdicts.evidence import Evidence, Inconclusive

MIN_SAMPLES: Final = 100
"""Least number of samples in which modes are identified, as many as in the paper."""

_TAIL: Final = 0.95
_DOCUMENT: Final = "ETH"
_SHARE: Final = (
    Number("Figure 12 text", "samples in the upper mode"), Number("Figure 12 text", "samples in the lower mode"),
)  # fmt: skip
_RATIO: Final = Number("Figure 12 text", "ratio of the modes")


def _modes(evidence: Evidence, threads: int, schedule: str) -> tuple[Floats, Modes]:
    """Return the times in seconds at a thread count and their modes."""
    seconds, order, process = evidence.sample_times(
        # The record also contains other block counts.
        DELAY, engine="parsplit", schedule=schedule, threads=threads, block_size=message(threads)[1],
    )  # fmt: skip
    if seconds.size < MIN_SAMPLES:
        raise Inconclusive(f"{seconds.size} undisturbed samples with {threads} threads, {MIN_SAMPLES} are required")
    if (processes := np.unique(process).size) < FEWEST:
        reason = f"the interval holds {unit(processes, seconds.size)}"
        raise Inconclusive(f"{reason}: verdicts require {FEWEST} processes or more")
    result = modes(seconds, order, process)
    if result.kind == "drift":
        raise Inconclusive(f"the run drifted with {threads} threads")
    if result.limitation:
        raise Inconclusive(f"{result.limitation} ({threads} threads)")
    return seconds, result


def published_share() -> float:
    """Return the share of the upper mode in the document, at the only thread count for which it has a number."""
    upper, lower = (number.value(_DOCUMENT) for number in _SHARE)
    return upper / (upper + lower)


def predicted_ratio(threads: int) -> float:
    """Return the ratio of the modes at which an upper one is expected: that of `levels`, or else the document's."""
    length, block = message(threads)
    ratio = levels(threads, length // block).ratio
    return ratio if ratio > 1 else _RATIO.value(_DOCUMENT)


def upper_share(seconds: Floats, ratio: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the share of times that are nearer to an upper mode, `ratio` times the lower one, than to the lower one.

    Strays above the middle are included, so that the upper end also bounds the share of an upper mode that no test can
    find.
    """
    # At least half of the samples are in the lower mode.
    lower = float(np.quantile(seconds, 0.25))
    return share_interval(int((seconds > lower * ratio**0.5).sum()), seconds.size, confidence)


@estimator
@revised(2)
def ratio_of_modes(evidence: Evidence, _: Numbers, threads: int) -> Quantity:
    """Return the median of the upper mode over that of the lower under Rayon; 1 where there is one mode.

    There is one mode only if the samples exclude the document's share of the upper one.
    """
    seconds, result = _modes(evidence, threads, ETH_PAPER)
    if result.kind == "two":
        return lambda confidence: Estimate(*mode_ratio(seconds, result, confidence))
    share, bound = published_share(), upper_share(seconds, predicted_ratio(threads)).high
    if bound >= share:
        raise Inconclusive(
            f"no second mode was found with {threads} threads, but it may hold up to {significant(100 * bound)} % of "
            f"the samples, and {significant(100 * share)} % in the document"
        )
    return lambda _: Estimate(1.0, 1.0, 1.0, detail=_bounds({threads: bound}))


@estimator
@revised(2)
def counts_with_two_modes(
    evidence: Evidence, _: Numbers, counts: Sequence[int], schedules: Sequence[str] = (ETH_PAPER,)
) -> Quantity:
    """Return the number of combinations of thread count and schedule that have two modes.

    The lower end is the number of those in which two were found. The upper end adds those in which none was found but
    the samples do not exclude an upper mode with the document's share at the predicted place; the text has the bound of
    this share for each thread count without a second mode.
    """
    two, open_cases, share = 0, 0, published_share()
    bounds: dict[int, float] = {}
    for threads, schedule in product(counts, schedules):
        seconds, result = _modes(evidence, threads, schedule)
        if result.kind == "two":
            two += 1
            continue
        bound = upper_share(seconds, predicted_ratio(threads)).high
        open_cases += bound >= share
        bounds[threads] = max(bound, bounds.get(threads, 0.0))
    return lambda _: Estimate(two, two, two + open_cases, detail=_bounds(bounds))


@estimator
@revised(2)
def largest_tail(evidence: Evidence, _: Numbers, counts: Sequence[int], schedules: Sequence[str]) -> Quantity:
    """Return the largest ratio of the 95th percentile of undisturbed samples to their median."""
    times = [_modes(evidence, threads, schedule)[0] for threads, schedule in product(counts, schedules)]
    return largest([partial(_tail, seconds) for seconds in times])


def _tail(seconds: Floats, confidence: float) -> Estimate:
    """Return the 95th percentile over the median, between order statistics whose ranks are binomial."""
    ordered, tail = np.sort(seconds), (1 - confidence) / 2
    low, high = (int(binom.ppf(part, seconds.size, _TAIL)) for part in (tail, 1 - tail))
    median = float(np.median(seconds))
    upper = float(ordered[high]) / median if high < seconds.size else inf
    return Estimate(float(np.quantile(seconds, _TAIL)) / median, float(ordered[max(low - 1, 0)]) / median, upper)


@estimator
@revised(2)
def upper_mode_share(evidence: Evidence, _: Numbers, counts: Sequence[int]) -> Quantity:
    """Return the share of samples under Rayon that are nearer to the upper mode than to the lower one.

    The position of the upper mode at each thread count is the predicted one (`levels`), since the mode may be too rare
    to be identified at one count. Counts with a single predicted mode are excluded.
    """
    upper, total = 0.0, 0
    bounds: dict[int, float] = {}
    for threads in counts:
        length, block = message(threads)
        ratio = levels(threads, length // block).ratio
        if ratio == 1:
            continue
        seconds = _modes(evidence, threads, ETH_PAPER)[0]
        share = upper_share(seconds, ratio)
        upper, total = upper + share.estimate * seconds.size, total + seconds.size
        bounds[threads] = share.high
    return lambda confidence: replace(
        Estimate(*share_interval(round(upper), total, confidence)), detail=_bounds(bounds)
    )


def _bounds(shares: Mapping[int, float]) -> str:
    """Return as text the largest share of an upper mode that the samples do not exclude, by thread count."""
    if not shares:
        return ""
    listed = ", ".join(f"{threads}: {significant(100 * share, 2)} %" for threads, share in shares.items())
    return f"upper bound of the upper mode's share, by threads: {listed}"
