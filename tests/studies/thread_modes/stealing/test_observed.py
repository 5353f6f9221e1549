"""Traced runs of Rayon compared with the splitting rule and the closed form, and the accuracy of waiting."""

from __future__ import annotations

from itertools import islice

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.parsplit.schedules import EXPERIMENTS
from aeadlab.studies.thread_modes.stealing import (
    lengths,
    one_run_of_each_mode,
    rule_check,
    traced_runs,
    waiting_accuracy,
)


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 6, 8, 13])
@pytest.mark.parametrize("schedule", ["rayon", "rayon-external", "rayon-new-pool", "rayon-pinned"])
def test_leaves_of_rayon_match_the_splitting_rule(threads: int, schedule: str) -> None:
    for run in islice(traced_runs(threads, schedule, blocks=40 * threads, block_size=4096), 3):
        assert run.matches_the_rule(outside=schedule == "rayon-external")
        assert int(run.leaves["blocks"].sum()) == 40 * threads


def test_one_thread_has_the_predicted_leaves() -> None:
    run = next(traced_runs(1, blocks=100, block_size=1024))
    assert run.leaves["blocks"].tolist() == lengths(100, 1)


def test_both_modes_occur_and_are_distinguished() -> None:
    result = one_run_of_each_mode(5, most=60)
    assert list(result) == ["lower", "upper"]
    lower, upper = result["lower"], result["upper"]
    assert upper.keeps_first_pair
    assert not lower.keeps_first_pair
    # Other load lengthens a run and never shortens it.
    assert upper.seconds > 1.2 * 64 * 16384 * 25e-9


def test_late_steals_leave_the_first_pair_to_one_worker() -> None:
    for run in islice(traced_runs(5, "rayon-too-late", blocks=160), 5):
        assert run.keeps_first_pair


def test_other_schedules_do_not_match_the_rule() -> None:
    assert not next(traced_runs(3, "static", blocks=96, block_size=1024)).matches_the_rule()


def test_experiments_are_no_selectable_schedules() -> None:
    from aeadlab.parsplit import schedules

    assert not set(EXPERIMENTS) & set(schedules.NAMES)


def test_waiting_is_never_shorter_than_nominal() -> None:
    table = waiting_accuracy([1, 3], [8 << 10, 16 << 10], runs=2).set_index(["threads", "block_size"])
    assert table.loc[(3, 8 << 10), "wakes_per_s"] == pytest.approx(3 / (8192 * 25e-9))
    # The next sleep compensates for one that ends late, so a run is never shorter than nominal.
    assert (table["over_even"] > 0.995).all()
    assert (table["block_p99"] >= table["block_median"]).all()
    assert set(table["interval"]) == {"within one process, 2 rounds"}


@pytest.mark.alone
def test_too_many_wake_ups_are_uneven() -> None:
    table = waiting_accuracy([4, 64], [4 << 10, 64 << 10], runs=3).set_index(["threads", "block_size"])
    assert table.loc[(4, 64 << 10), "over_even"] < 1.05
    assert table.loc[(64, 4 << 10), "over_even"] > 1.1


def test_rejects_a_thread_count_out_of_range() -> None:
    with pytest.raises(ArgumentError, match="threads"):
        waiting_accuracy([0])


def test_traced_leaves_equal_the_prediction() -> None:
    table = rule_check((2, 3), runs=2)
    assert table["threads"].tolist() == [2, 3] and table["runs"].tolist() == table["as_predicted"].tolist() == [2, 2]
    assert (table["fewest_leaves"] >= 4).all() and (table["fewest_leaves"] <= table["most_leaves"]).all()
