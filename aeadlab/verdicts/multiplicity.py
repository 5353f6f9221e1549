"""Errors of several verdicts at once, by Holm's procedure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Final

LEVEL: Final = 0.05
"""Bound on the probability of any wrong verdict among the claims of a document."""

_LEAST: Final = 1e-8
_STEPS: Final = 7


def smallest_error(holds: Callable[[float], bool]) -> float:
    """Return the smallest error level at which a verdict still holds: its p-value, at least 1e-8 and at most `LEVEL`.

    Parameters
    ----------
    holds
        From a confidence level to whether the verdict is the same at it. It holds at ``1 - LEVEL``.
    """
    if holds(1 - _LEAST):
        return _LEAST
    low, high = log(_LEAST), log(LEVEL)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(1 - exp(middle)) else (middle, high)
    return exp(high)


def holm(p_values: Sequence[float], tests: int) -> list[float]:
    """Return p-values adjusted for a number of tests [1]_, whose dependence does not matter; in the given order.

    Parameters
    ----------
    tests
        Number of tests, at least that of the p-values; the others are those that decided nothing.

    References
    ----------
    .. [1] S. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6
       (1979), 65-70.
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (tests - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
