"""What counts as reproduced: a range that a quantity must lie in, fixed before anything is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Literal, TypeAlias

Verdict = Literal["reproduced", "not reproduced", "inconclusive"]


@dataclass(frozen=True)
class Range:
    """An open range; infinite where it has one end only."""

    low: float
    high: float

    def judge(self, low: float, high: float) -> Verdict:
        """``reproduced`` if all from `low` to `high` is inside, ``not reproduced`` if nothing is; NaN is neither."""
        if self.low < low and high < self.high:
            return "reproduced"
        if high <= self.low or low >= self.high:
            return "not reproduced"
        return "inconclusive"

    def words(self, written: Callable[[float], str]) -> str:
        """The range in words, its ends written so."""
        if not isfinite(self.high):
            return f"above {written(self.low)}"
        return f"{written(self.low)} to {written(self.high)}" if isfinite(self.low) else f"below {written(self.high)}"


Rule: TypeAlias = Callable[[float], Range]
"""From what the document prints of the quantity, NaN if nothing, to the range that counts as reproduced."""


def above(limit: float) -> Rule:
    """More than this."""
    return lambda _: Range(limit, inf)


def below(limit: float) -> Rule:
    """Less than this."""
    return lambda _: Range(-inf, limit)


def around(factor: float) -> Rule:
    """Less than this factor away from the published number, on either side."""
    return lambda published: Range(published / factor, published * factor)


def within(factor: float) -> Rule:
    """Less than this factor away from 1, on either side."""
    return lambda _: Range(1 / factor, factor)


def like_effect(published: float) -> Range:
    """Of a ratio: its distance from 1 is on the same side as the published one, half to twice as large."""
    half, twice = 1 + (published - 1) / 2, 1 + (published - 1) * 2
    return Range(min(half, twice), max(half, twice))


def like_count(published: float) -> Range:
    """Of a count: more than half, less than twice the published one."""
    return Range(published / 2, published * 2)


def at_least(published: float) -> Range:
    """The published number, up to rounding, or more."""
    return Range(published * (1 - 1e-9), inf)


def at_most(published: float) -> Range:
    """The published number, up to rounding, or less."""
    return Range(-inf, published * (1 + 1e-9))


def exactly(published: float) -> Range:
    """Of what is no measurement: the published number, up to rounding."""
    return Range(published * (1 - 1e-9), published * (1 + 1e-9))
