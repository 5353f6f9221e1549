"""What Rayon itself does, traced, against the rule and the closed form."""

from __future__ import annotations

from itertools import islice

import pytest

from aeadlab.schedules import EXPERIMENTS
from aeadlab.stealing import lengths, observe, one_of_each


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 6, 8, 13])
@pytest.mark.parametrize("schedule", ["rayon", "rayon-external", "rayon-new-pool", "rayon-pinned"])
def test_the_leaves_of_rayon_are_those_of_the_rule(threads: int, schedule: str) -> None:
    for run in islice(observe(threads, schedule, blocks=40 * threads, block_size=4096), 3):
        assert run.as_predicted(outside=schedule == "rayon-external")
        assert int(run.leaves["blocks"].sum()) == 40 * threads


def test_one_thread_has_the_leaves_of_the_closed_form() -> None:
    run = next(observe(1, blocks=100, block_size=1024))
    assert run.leaves["blocks"].tolist() == lengths(100, 1)


def test_both_modes_are_seen_and_told_apart() -> None:
    found = one_of_each(5, most=60)
    assert list(found) == ["lower", "upper"]
    lower, upper = found["lower"], found["upper"]
    assert upper.kept_its_pair
    assert not lower.kept_its_pair
    # A busy machine is late, never early.
    assert upper.seconds > 1.2 * 64 * 16384 * 25e-9


def test_thieves_that_come_too_late_leave_the_pair() -> None:
    for run in islice(observe(5, "rayon-too-late", blocks=160), 5):
        assert run.kept_its_pair


def test_other_schedules_have_no_leaves_of_rayons() -> None:
    assert not next(observe(3, "static", blocks=96, block_size=1024)).as_predicted()


def test_the_experiments_are_no_choice() -> None:
    from aeadlab import schedules

    assert not set(EXPERIMENTS) & set(schedules.NAMES)
