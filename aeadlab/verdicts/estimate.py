"""A measured quantity with its confidence interval, and quantities that combine others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from math import exp, expm1, inf, isfinite, log
from typing import Any, Final, TypeAlias

from aeadlab.stats.interval import unit
from aeadlab.stats.processes import joint_level

CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Estimate:
    """The measured value of a quantity.

    Attributes
    ----------
    value, low, high : float
        The estimate and its interval; 0 and infinity where an end is unknown.
    noise : float
        Noise floor of the compared cases, the half-width in log ratio by which the interval is widened before the
        verdict; 0 for a quantity that is no ratio of times. Of a combined quantity the larger widening of both ends.
    processes, rounds : int
        Numbers of processes and rounds that the interval comes from, the fewest of a combined quantity; 0 for a
        quantity that is computed and not timed.
    cannot_confirm : str
        Reason against the verdict ``reproduced``, ``""`` for none.
    cannot_refute : str
        Reason against the verdict ``not reproduced``, ``""`` for none.
    no_size : str
        Reason against any verdict on size, which leaves the direction to be judged; ``""`` for none.
    detail : str
        What the finding adds to the estimate, such as the bounds of shares, ``""`` for nothing.
    beside : (str, Estimate) or None
        A second estimate, which the finding shows in the unit of its claim, and a text with ``{}`` in its place.
    limits : (float, float) or None
        Ends of the widened interval of a combined quantity, each part of which is widened by its own noise floor; None
        for ends that follow from `noise`.
    """

    value: float
    low: float
    high: float
    noise: float = 0.0
    processes: int = 0
    rounds: int = 0
    cannot_confirm: str = ""
    cannot_refute: str = ""
    no_size: str = ""
    detail: str = ""
    beside: tuple[str, Estimate] | None = None
    limits: tuple[float, float] | None = None

    @property
    def unit(self) -> str:
        """What the interval comes from, in words; ``""`` for a quantity that is computed and not timed."""
        return unit(self.processes, self.rounds) if self.processes else ""

    @property
    def margin(self) -> str:
        """The noise floor as a share, ``9.2 %``; ``""`` where there is none."""
        percent = 100 * expm1(self.noise)
        return f"{percent:{'.2g' if percent < 99.5 else '.0f'}} %" if self.noise else ""

    @property
    def widened(self) -> tuple[float, float]:
        """The interval widened by the noise floor; the verdict compares it with the accepted range."""
        return self.limits or (self.low * exp(-self.noise), self.high * exp(self.noise))


LIMITATIONS: Final = ("cannot_confirm", "cannot_refute", "no_size")
"""Fields of an `Estimate` that hold reasons against verdicts."""

Quantity: TypeAlias = Callable[[float], Estimate]
"""From a confidence level, such as 0.95, to the estimate with an interval of this level."""


def smallest(quantities: Sequence[Quantity]) -> Quantity:
    """Return the smallest of several quantities.

    The lower ends are taken at the given level: the smallest of them exceeds the true minimum only if the interval of
    the quantity with this minimum misses it. Any of the upper ends may bound the minimum, so these are taken at a level
    whose error is divided by their number (Bonferroni).
    """
    return _chosen(quantities, min, joint=("high",))


def largest(quantities: Sequence[Quantity]) -> Quantity:
    """Return the largest of several quantities: `smallest` with both ends of the interval exchanged."""
    return _chosen(quantities, max, joint=("low",))


def lower_median(quantities: Sequence[Quantity]) -> Quantity:
    """Return the lower median of several quantities: the second smallest of four, which most of them reach or exceed.

    Its interval is that of `upper_median` with the lower median of the ends.
    """
    return _chosen(quantities, lambda values: sorted(values)[(len(values) - 1) // 2], joint=("low", "high"))


def upper_median(quantities: Sequence[Quantity]) -> Quantity:
    """Return the upper median of several quantities: the third smallest of four or five.

    The intervals of all quantities hold at once (Bonferroni); each end of the result is the upper median of their ends.
    """
    return _chosen(quantities, lambda values: sorted(values)[len(values) // 2], joint=("low", "high"))


def quotient(dividend: Quantity, divisor: Quantity) -> Quantity:
    """Return the ratio of two positive quantities; their intervals hold at once (Bonferroni), their noise adds up."""

    def quantity(confidence: float) -> Estimate:
        a, b = (each(joint_level(2, confidence)) for each in (dividend, divisor))
        interval = _quotient((a.low, a.high), (b.low, b.high))
        return _combined(a.value / b.value, interval, _quotient(a.widened, b.widened), [a, b])

    return quantity


def scaled(quantity: Quantity, factor: float) -> Quantity:
    """Return a quantity times an exact positive number."""

    def times(confidence: float) -> Estimate:
        estimate = quantity(confidence)
        ends: dict[str, Any] = {name: factor * getattr(estimate, name) for name in ("value", "low", "high")}
        low, high = estimate.widened
        return replace(estimate, **ends, limits=(factor * low, factor * high))

    return times


def with_limitations(
    quantity: Quantity, cannot_confirm: str = "", cannot_refute: str = "", no_size: str = ""
) -> Quantity:
    """Return the same quantity with further reasons against a verdict; see `Estimate`."""
    reasons = dict(zip(LIMITATIONS, (cannot_confirm, cannot_refute, no_size), strict=True))

    def limited(confidence: float) -> Estimate:
        estimate = quantity(confidence)
        joined: dict[str, Any] = {
            name: "; ".join(filter(None, (getattr(estimate, name), reason))) for name, reason in reasons.items()
        }
        return replace(estimate, **joined)

    return limited


def with_detail(quantity: Quantity, detail: str) -> Quantity:
    """Return the same quantity with what the finding adds to the estimate."""
    return lambda confidence: replace(quantity(confidence), detail=detail)


def _chosen(quantities: Sequence[Quantity], choose: Callable[[list[float]], float], joint: Collection[str]) -> Quantity:
    """Return one of several quantities; the ends of its interval named in `joint` come from joint intervals."""

    def quantity(confidence: float) -> Estimate:
        levels = {False: confidence, True: joint_level(len(quantities), confidence)}
        estimates = {is_joint: [each(level) for each in quantities] for is_joint, level in levels.items()}
        lows, highs = (estimates[name in joint] for name in ("low", "high"))
        return _combined(
            choose([estimate.value for estimate in estimates[False]]),
            (choose([estimate.low for estimate in lows]), choose([estimate.high for estimate in highs])),
            (choose([estimate.widened[0] for estimate in lows]), choose([estimate.widened[1] for estimate in highs])),
            estimates[False],
        )

    return quantity


def _quotient(over: tuple[float, float], under: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the ratio of two positive numbers in intervals."""
    return over[0] / under[1] if isfinite(under[1]) else 0.0, over[1] / under[0] if under[0] else inf


def _combined(
    value: float, interval: tuple[float, float], limits: tuple[float, float], parts: Sequence[Estimate]
) -> Estimate:
    """Return a quantity of several parts, each of which its own noise floor has widened: `limits` has their ends."""
    (low, high), (least, most) = interval, limits
    widenings = [log(low / least) if least > 0 else 0.0, log(most / high) if isfinite(most) else 0.0]
    processes, rounds = (min(getattr(part, name) for part in parts) for name in ("processes", "rounds"))
    reasons: dict[str, Any] = {
        name: "; ".join(dict.fromkeys(reason for part in parts if (reason := getattr(part, name))))
        for name in LIMITATIONS
    }
    return Estimate(value, low, high, max(widenings), processes, rounds, limits=limits, **reasons)
