"""A quantity as it was measured, with its interval, and quantities that are made of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final, TypeAlias

import numpy as np

CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Estimate:
    """What was measured.

    Attributes
    ----------
    value, low, high : float
        The estimate and its interval; 0 and infinity where an end is unknown.
    noise : float
        Half-width in log ratio by which the interval is widened before it is judged: the run's noise floor. NaN where
        the run cannot tell its noise, 0 for what is no ratio of times.
    unproven : str
        Why this cannot be enough to call a claim reproduced, ``""`` if it can.
    unrefuted : str
        Why this cannot be enough to call a claim not reproduced, ``""`` if it can.
    """

    value: float
    low: float
    high: float
    noise: float = 0.0
    unproven: str = ""
    unrefuted: str = ""

    @property
    def band(self) -> tuple[float, float]:
        """The interval widened by the noise: what is judged."""
        return self.low * exp(-self.noise), self.high * exp(self.noise)


Quantity: TypeAlias = Callable[[float], Estimate]
"""From a confidence, such as 0.95, to the estimate with an interval of this confidence."""


def least(quantities: Sequence[Quantity]) -> Quantity:
    """The least of several quantities.

    Each lower end is taken at the confidence asked for: the least of all lower ends lies above the true least only if
    that one quantity's end does. Any of the upper ends may be the least, so each is taken at the error divided by
    their number (Bonferroni).
    """

    def quantity(confidence: float) -> Estimate:
        loose = [each(confidence) for each in quantities]
        strict = [each(_shared(confidence, len(quantities))) for each in quantities]
        value, low = min(e.value for e in loose), min(e.low for e in loose)
        return _made(value, low, min(e.high for e in strict), loose)

    return quantity


def greatest(quantities: Sequence[Quantity]) -> Quantity:
    """The greatest of several quantities; `least` with the ends exchanged."""

    def quantity(confidence: float) -> Estimate:
        loose = [each(confidence) for each in quantities]
        strict = [each(_shared(confidence, len(quantities))) for each in quantities]
        value, high = max(e.value for e in loose), max(e.high for e in loose)
        return _made(value, max(e.low for e in strict), high, loose)

    return quantity


def most_are_below(quantities: Sequence[Quantity]) -> Quantity:
    """What more than half of several quantities do not exceed: of 4 the third, of 5 the third in ascending order.

    All intervals hold at once (Bonferroni), and so does that of each place in their order.
    """
    place = len(quantities) // 2

    def quantity(confidence: float) -> Estimate:
        found = [each(_shared(confidence, len(quantities))) for each in quantities]
        values, lows, highs = (sorted(ends) for ends in zip(*((e.value, e.low, e.high) for e in found), strict=True))
        return _made(values[place], lows[place], highs[place], found)

    return quantity


def quotient(dividend: Quantity, divisor: Quantity) -> Quantity:
    """One quantity over another, above zero both; their intervals hold at once (Bonferroni), their noises add up."""

    def quantity(confidence: float) -> Estimate:
        a, b = (each(_shared(confidence, 2)) for each in (dividend, divisor))
        low, high = a.low / b.high if np.isfinite(b.high) else 0.0, a.high / b.low if b.low else np.inf
        return replace(_made(a.value / b.value, low, high, [a, b]), noise=a.noise + b.noise)

    return quantity


def scaled(quantity: Quantity, factor: float) -> Quantity:
    """A quantity times a number above zero that is no measurement."""

    def times(confidence: float) -> Estimate:
        found = quantity(confidence)
        return replace(found, value=factor * found.value, low=factor * found.low, high=factor * found.high)

    return times


def with_reserve(quantity: Quantity, unproven: str = "", unrefuted: str = "") -> Quantity:
    """The same quantity, with what forbids to call a claim about it reproduced, or not reproduced."""

    def reserved(confidence: float) -> Estimate:
        found = quantity(confidence)
        reasons = ((found.unproven, unproven), (found.unrefuted, unrefuted))
        both = ("; ".join(reason for reason in pair if reason) for pair in reasons)
        return Estimate(found.value, found.low, found.high, found.noise, *both)

    return reserved


def _shared(confidence: float, number: int) -> float:
    return 1 - (1 - confidence) / number


def _made(value: float, low: float, high: float, parts: Sequence[Estimate]) -> Estimate:
    # np.max hands on NaN: noise that is unknown must not be replaced by noise that is known.
    noise = float(np.max([part.noise for part in parts]))
    unproven, unrefuted = (
        "; ".join(dict.fromkeys(reason for part in parts if (reason := getattr(part, name))))
        for name in ("unproven", "unrefuted")
    )
    return Estimate(value, low, high, noise, unproven, unrefuted)
