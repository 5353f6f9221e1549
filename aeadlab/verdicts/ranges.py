"""The criterion of a claim: the accepted range of its quantity, fixed before anything is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, TypeAlias

Verdict = Literal["reproduced", "not reproduced", "inconclusive"]


@dataclass(frozen=True)
class Range:
    """An open range; a missing bound is infinite."""

    low: float
    high: float

    def verdict(self, low: float, high: float) -> Verdict:
        """Return ``reproduced`` if the interval from `low` to `high` is inside, ``not reproduced`` if it is outside.

        An interval that overlaps a bound or has a NaN end is ``inconclusive``.
        """
        if self.low < low and high < self.high:
            return "reproduced"
        if high <= self.low or low >= self.high:
            return "not reproduced"
        return "inconclusive"

    def describe(self, format_value: Callable[[float], str]) -> str:
        """Return the range as text."""
        if not isfinite(self.high):
            return f"above {format_value(self.low)}"
        if not isfinite(self.low):
            return f"below {format_value(self.high)}"
        return f"{format_value(self.low)} to {format_value(self.high)}"


Criterion: TypeAlias = Callable[[float], Range]
"""From the published value of a quantity, NaN if there is none, to the accepted range."""


def above(limit: float) -> Criterion:
    """Accept values above a limit."""
    return lambda _: Range(limit, inf)


def below(limit: float) -> Criterion:
    """Accept values below a limit."""
    return lambda _: Range(-inf, limit)


def around(factor: float) -> Criterion:
    """Accept values that differ from the published one by less than a factor."""
    return lambda published: Range(published / factor, published * factor)


def within(factor: float) -> Criterion:
    """Accept ratios that differ from 1 by less than a factor."""
    return lambda _: Range(1 / factor, factor)


def similar_effect(published: float) -> Range:
    """Accept ratios whose distance from 1 has the published sign and 0.5 to 2 times the published size."""
    half, twice = 1 + (published - 1) / 2, 1 + (published - 1) * 2
    return Range(min(half, twice), max(half, twice))


def similar_count(published: float) -> Range:
    """Accept values of 0.5 to 2 times the published one."""
    return Range(published / 2, published * 2)


def at_least(published: float) -> Range:
    """Accept the published value, up to rounding, and larger ones."""
    return Range(published * (1 - 1e-9), inf)


def at_most(published: float) -> Range:
    """Accept the published value, up to rounding, and smaller ones."""
    return Range(-inf, published * (1 + 1e-9))


def exactly(published: float) -> Range:
    """Accept the published value, up to rounding, of a quantity that is computed and not timed."""
    return Range(published * (1 - 1e-9), published * (1 + 1e-9))
