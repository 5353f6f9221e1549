from __future__ import annotations

from math import inf, nan

import pytest

from aeadlab.judgement.ranges import (
    Range,
    above,
    at_least,
    at_most,
    below,
    exactly,
    like_count,
    like_effect,
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
def test_only_an_interval_that_is_wholly_on_one_side_decides(low: float, high: float, verdict: str) -> None:
    assert Range(1, 2).judge(low, high) == verdict


def test_a_range_of_one_end_is_open_to_the_other() -> None:
    assert above(1)(nan).judge(1.1, 1e300) == "reproduced"
    assert below(1)(nan).judge(0.0, 0.9) == "reproduced"
    # Equal counts are no more than each other.
    assert above(1)(nan).judge(1.0, 1.0) == "not reproduced"


def test_a_printed_limit_is_inside() -> None:
    assert [at_least(5.0).judge(value, value) for value in (4.99, 5.0, 9.0)] == ["not reproduced", *["reproduced"] * 2]
    assert [at_most(5.0).judge(value, value) for value in (5.01, 5.0, 1.0)] == ["not reproduced", *["reproduced"] * 2]


def test_an_effect_keeps_its_sign() -> None:
    assert like_effect(1.288) == Range(pytest.approx(1.144), pytest.approx(1.576))
    assert like_effect(0.87) == Range(pytest.approx(0.74), pytest.approx(0.935))
    assert like_count(8) == Range(4, 16)
    assert within(1.05)(nan) == Range(1 / 1.05, 1.05)
    assert exactly(0.5).judge(0.5, 0.5) == "reproduced"
    assert exactly(0.5).judge(0.501, 0.501) == "not reproduced"


@pytest.mark.parametrize(
    ("range", "words"), [(Range(1, inf), "above 1"), (Range(-inf, 2), "below 2"), (Range(1, 2), "1 to 2")]
)
def test_a_range_in_words(range: Range, words: str) -> None:
    assert range.words(lambda value: f"{value:g}") == words
