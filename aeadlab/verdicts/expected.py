"""Functions that compute the published value of a quantity from printed numbers; further numbers are ignored."""

from __future__ import annotations


def first(number: float, *_: float) -> float:
    """Return the first number."""
    return number


def percent(share: float, *_: float) -> float:
    """Return a percentage as a share: 0.25 for 25."""
    return share / 100


def percent_more(percent: float, *_: float) -> float:
    """Return an increase in percent as a ratio: 1.25 for 25."""
    return 1 + percent / 100


def percent_less(percent: float, *_: float) -> float:
    """Return a decrease in percent as a ratio: 0.75 for 25."""
    return 1 - percent / 100


def ratio(dividend: float, divisor: float, *_: float) -> float:
    """Return the first number over the second."""
    return dividend / divisor


def inverse_ratio(divisor: float, dividend: float, *_: float) -> float:
    """Return the second number over the first."""
    return dividend / divisor


def factor_between(one: float, other: float, *_: float) -> float:
    """Return the larger of two numbers over the smaller."""
    return max(one / other, other / one)
