from __future__ import annotations

import pytest

from aeadlab.studies.thread_modes.stealing import Costs, expected_modes, upper_level


def test_the_upper_mode_is_rarer_near_the_next_power_of_two() -> None:
    table = expected_modes([3, 4, 5, 7], runs=60).set_index("threads")
    assert table["predicted_ratio"].tolist() == [upper_level(count) for count in (3, 4, 5, 7)]
    assert table.loc[4, "upper_share"] == 0
    assert table.loc[4, "lower_over_even"] == pytest.approx(1, abs=0.03)
    assert table.loc[3, "ratio"] == pytest.approx(1.5, rel=0.03)
    assert table.loc[5, "upper_share"] > table.loc[7, "upper_share"]
    assert (table["most_leaves"] >= table["fewest_leaves"]).all()


def test_without_renewal_only_the_upper_mode_occurs() -> None:
    (row,) = expected_modes([5], runs=5, renewal="never").to_dict("records")
    assert row["upper_share"] == 1
    assert row["fewest_leaves"] == row["most_leaves"] == 8


def test_regular_wake_ups_make_the_upper_mode_rarer() -> None:
    irregular, regular = (
        expected_modes([9], runs=150, costs=Costs(regularity=regularity))["upper_share"].iloc[0]
        for regularity in (1, 100)
    )
    assert regular < 0.7 * irregular
