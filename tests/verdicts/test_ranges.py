from __future__ import annotations

from math import inf, nan

import pytest

from aeadlab.verdicts.ranges import (
    Range,
    above,
    at_least,
    at_most,
    below,
    exactly,
    similar_count,
    similar_effect,
    within,
)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 1.9, "reproduced"),
        (1.0, 1.9, "inconclusive"),
        (0.5, 1.0, "not reproduced"),
        (0.5, 1.5, "inconclusive"),
        (2.0, 3.0, "not reproduced"),
        (0.5, 3.0, "inconclusive"),
        (nan, nan, "inconclusive"),
        (1.5, nan, "inconclusive"),
        (1.5, inf, "inconclusive"),
    ],
)
def test_an_interval_across_a_bound_is_inconclusive(low: float, high: float, verdict: str) -> None:
    assert Range(1, 2).verdict(low, high) == verdict


def test_missing_bounds_are_infinite() -> None:
    assert above(1)(nan).verdict(1.1, 1e300) == "reproduced"
    assert below(1)(nan).verdict(0.0, 0.9) == "reproduced"
    # The bound itself is not accepted: equal counts do not confirm that one is larger.
    assert above(1)(nan).verdict(1.0, 1.0) == "not reproduced"


def test_published_bounds_are_accepted() -> None:
    assert [at_least(5.0).verdict(value, value) for value in (4.99, 5.0, 9.0)] == [
        "not reproduced",
        *["reproduced"] * 2,
    ]
    assert [at_most(5.0).verdict(value, value) for value in (5.01, 5.0, 1.0)] == ["not reproduced", *["reproduced"] * 2]


def test_similar_effect_keeps_the_sign() -> None:
    assert similar_effect(1.288) == Range(pytest.approx(1.144), pytest.approx(1.576))
    assert similar_effect(0.87) == Range(pytest.approx(0.74), pytest.approx(0.935))
    assert similar_count(8) == Range(4, 16)
    assert within(1.05)(nan) == Range(1 / 1.05, 1.05)
    assert exactly(0.5).verdict(0.5, 0.5) == "reproduced"
    assert [exactly(0.5).verdict(value, value) for value in (0.499, 0.501)] == ["not reproduced"] * 2


@pytest.mark.parametrize(
    ("range", "words"), [(Range(1, inf), "above 1"), (Range(-inf, 2), "below 2"), (Range(1, 2), "1 to 2")]
)
def test_ranges_are_described(range: Range, words: str) -> None:
    assert range.describe(lambda value: f"{value:g}") == words
