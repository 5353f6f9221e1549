from __future__ import annotations

import pytest

from aeadlab.stealing import Costs, busiest, expected_modes


def test_modes_fade_towards_the_next_power_of_two() -> None:
    table = expected_modes([3, 4, 5, 7], runs=60).set_index("threads")
    assert table["predicted_ratio"].tolist() == [busiest(count) for count in (3, 4, 5, 7)]
    assert table.loc[4, "upper_share"] == 0
    assert table.loc[4, "lower_over_even"] == pytest.approx(1, abs=0.03)
    assert table.loc[3, "ratio"] == pytest.approx(1.5, rel=0.03)
    assert table.loc[5, "upper_share"] > table.loc[7, "upper_share"]
    assert (table["most_leaves"] >= table["fewest_leaves"]).all()


def test_without_renewal_there_is_the_upper_mode_alone() -> None:
    (row,) = expected_modes([5], runs=5, renewal="never").to_dict("records")
    assert row["upper_share"] == 1
    assert row["fewest_leaves"] == row["most_leaves"] == 8


def test_thieves_that_wake_alike_leave_the_pair_more_rarely() -> None:
    irregular, regular = (
        expected_modes([9], runs=150, costs=Costs(regularity=regularity))["upper_share"].iloc[0]
        for regularity in (1, 100)
    )
    assert regular < 0.7 * irregular
