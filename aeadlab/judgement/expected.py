"""From what a document prints to the quantity of a claim; further numbers of the claim do not matter."""

from __future__ import annotations


def first(number: float, *_: float) -> float:
    """The quantity itself."""
    return number


def percent(share: float, *_: float) -> float:
    """A share that is printed in percent."""
    return share / 100


def percent_more(percent: float, *_: float) -> float:
    """The ratio that so many percent more is."""
    return 1 + percent / 100


def percent_less(percent: float, *_: float) -> float:
    """The ratio that so many percent less is."""
    return 1 - percent / 100


def over(above: float, below: float, *_: float) -> float:
    """The ratio of two times."""
    return above / below


def under(below: float, above: float, *_: float) -> float:
    """The ratio of two times, of two speeds the other way round."""
    return above / below


def apart(one: float, other: float, *_: float) -> float:
    """The factor between two times, up or down."""
    return max(one / other, other / one)
