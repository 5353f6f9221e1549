from __future__ import annotations

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stealing import waiting


def test_waiting_is_told_what_it_was_asked_for_and_never_shorter() -> None:
    table = waiting([1, 3], [8 << 10, 16 << 10], runs=2).set_index(["threads", "block_size"])
    assert table.loc[(3, 8 << 10), "wakes_per_s"] == pytest.approx(3 / (8192 * 25e-9))
    # A sleep may be late, and the next one makes up for it; the whole is never early.
    assert (table["over_even"] > 0.995).all()
    assert (table["block_p99"] >= table["block_median"]).all()


@pytest.mark.alone
def test_few_wake_ups_are_even_and_too_many_are_not() -> None:
    table = waiting([4, 64], [4 << 10, 64 << 10], runs=3).set_index(["threads", "block_size"])
    assert table.loc[(4, 64 << 10), "over_even"] < 1.05
    assert table.loc[(64, 4 << 10), "over_even"] > 1.1


def test_a_count_out_of_range_is_named() -> None:
    with pytest.raises(ArgumentError, match="threads"):
        waiting([0])
