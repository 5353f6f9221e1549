from __future__ import annotations

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.studies.thread_modes.stealing.division import leaves, lengths, levels, upper_level


@pytest.mark.parametrize(("threads", "expected"), [(1, 2), (2, 4), (3, 4), (4, 8), (5, 8), (7, 8), (8, 16), (64, 128)])
def test_a_budget_is_halved_at_every_split(threads: int, expected: int) -> None:
    assert leaves(threads) == expected
    assert leaves(threads, outside=True) == 4 * expected
    assert lengths(expected * 10, threads) == [10] * expected


def test_upper_level_matches_the_paper() -> None:
    result = {threads: upper_level(threads) for threads in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16)}
    assert result == {1: 1, 2: 1, 3: 1.5, 4: 1, 5: 1.25, 6: 1.5, 7: 1.75, 8: 1, 9: 1.125, 10: 1.25, 16: 1}


def test_lengths_are_halves_rounded_down_on_the_left() -> None:
    assert lengths(1000, 5) == [125] * 8
    assert lengths(7, 1) == [3, 4]
    assert lengths(5, 64) == [1] * 5, "no leaf is shorter than a block"
    assert lengths(100, 4, min_len=30) == [50, 50]
    assert lengths(100, 1, max_len=10) == [6, 6, 6, 7] * 4, "a budget of 10 allows four levels of splits"
    assert upper_level(5, 1003) == pytest.approx(2 * 125 * 5 / 1003)


@pytest.mark.parametrize(
    ("blocks", "lower", "ratio"),
    [(5, 1, 1), (8, 1.25, 1), (10, 1, 1), (16, 1.25, 1), (20, 1, 1.25), (40, 1, 1.25), (320, 1, 1.25)],
)
def test_few_blocks_bound_the_lower_mode(blocks: int, lower: float, ratio: float) -> None:
    """With 5 blocks the other workers are idle before the first leaf ends, and steal the adjacent one."""
    result = levels(5, blocks)
    assert (result.lower, result.ratio) == (lower, ratio)


@pytest.mark.parametrize(
    ("threads", "lower", "ratio"), [(3, 1.25, 1.2), (5, 1.25, 1), (6, 1.3125, 1.5 / 1.3125), (4, 1.1875, 1)]
)
def test_late_steals_raise_the_lower_mode(threads: int, lower: float, ratio: float) -> None:
    """If steals begin after half of the first leaf, the lower mode is 1 + (P - 1) / 2L for P threads and L leaves."""
    result = levels(threads, late=0.5)
    assert (result.lower, result.ratio) == pytest.approx((lower, ratio))


@pytest.mark.parametrize(("threads", "level"), [(3, 1.75), (5, 1.75), (6, 1.9375)])
def test_steals_after_one_leaf_leave_a_single_mode(threads: int, level: float) -> None:
    assert levels(threads, late=1.5) == (level, level)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leaves(0), "threads: 0 given"),
        (lambda: lengths(0, 2), "blocks: 0 given"),
        (lambda: lengths(4, 2, max_len=0), "max_len: 0 given"),
        (lambda: upper_level(-1), "threads: -1 given"),
        (lambda: levels(3, late=-0.5), "late: -0.5 given"),
    ],
)
def test_rejects_arguments_below_one(call: object, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()  # type: ignore[operator]
