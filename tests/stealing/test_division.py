from __future__ import annotations

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stealing.division import busiest, leaves, lengths


@pytest.mark.parametrize(("threads", "expected"), [(1, 2), (2, 4), (3, 4), (4, 8), (5, 8), (7, 8), (8, 16), (64, 128)])
def test_a_budget_is_halved_at_every_split(threads: int, expected: int) -> None:
    assert leaves(threads) == expected
    assert leaves(threads, outside=True) == 4 * expected
    assert lengths(expected * 10, threads) == [10] * expected


def test_the_papers_ratio() -> None:
    found = {threads: busiest(threads) for threads in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16)}
    assert found == {1: 1, 2: 1, 3: 1.5, 4: 1, 5: 1.25, 6: 1.5, 7: 1.75, 8: 1, 9: 1.125, 10: 1.25, 16: 1}


def test_lengths_are_halves_rounded_down_on_the_left() -> None:
    assert lengths(1000, 5) == [125] * 8
    assert lengths(7, 1) == [3, 4]
    assert lengths(5, 64) == [1] * 5, "no leaf is shorter than a block"
    assert lengths(100, 4, min_len=30) == [50, 50]
    assert lengths(100, 1, max_len=10) == [6, 6, 6, 7] * 4, "a budget of 10 is four levels"
    assert busiest(5, 1003) == pytest.approx(2 * 125 * 5 / 1003)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: leaves(0), "threads: 0 given"),
        (lambda: lengths(0, 2), "blocks: 0 given"),
        (lambda: lengths(4, 2, max_len=0), "max_len: 0 given"),
        (lambda: busiest(-1), "threads: -1 given"),
    ],
)
def test_what_is_below_one_is_refused(call: object, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()  # type: ignore[operator]
