from __future__ import annotations

import pytest

from aeadlab.bench.profile import FEW, PROFILES, find_profile
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.stats import smallest_count


def test_the_paper_profile_is_the_published_effort() -> None:
    paper = find_profile("paper")
    assert (paper.bytes, paper.rounds, paper.warm_up_seconds) == (1 << 30, 100, 5.0)
    assert paper.sample_seconds <= 1e-5, "one iteration a sample, but for what the clock cannot tell"
    assert paper.budget_seconds is None, "all samples, however long they take"


def test_an_unknown_profile_is_answered_with_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match="'papr'; there are smoke, quick, paper"):
        find_profile("papr")


def test_a_changed_profile_does_not_pass_for_the_published_one() -> None:
    quick = PROFILES["quick"]
    assert quick.with_changes() is quick
    changed = quick.with_changes(bytes=4096, samples=3)
    assert (changed.bytes, changed.rounds, changed.name) == (4096, 3, "quick*")
    assert changed.with_changes(samples=4).name == "quick*"
    assert quick.with_changes(bytes=0).bytes == 0
    assert quick.with_changes(samples=1).bytes == quick.bytes


@pytest.mark.parametrize("given", [-1, -(1 << 30), (4 << 30) + 1, 1 << 62])
def test_a_message_that_is_longer_than_any_or_shorter_than_none_is_refused(given: int) -> None:
    with pytest.raises(ArgumentError, match=rf"^{given} bytes given, 0 to 4294967296 wanted$"):
        PROFILES["quick"].with_changes(bytes=given, samples=3)


@pytest.mark.parametrize("given", [0, 1, 4 << 30])
def test_the_shortest_and_the_longest_message_are_taken(given: int) -> None:
    changed = PROFILES["quick"].with_changes(bytes=given)
    assert (changed.bytes, changed.varied_bytes) == (given, given)


@pytest.mark.parametrize("samples", [0, -1])
def test_no_samples_are_refused(samples: int) -> None:
    with pytest.raises(ArgumentError, match=f"{samples} samples given, at least 1 wanted"):
        PROFILES["smoke"].with_changes(samples=samples)


def test_a_run_that_ends_when_it_is_precise_gives_each_process_the_same_share() -> None:
    quick = PROFILES["quick"]
    assert (quick.precision, quick.least, quick.processes, quick.share) == (0.01, 12, 3, 4)
    assert quick.rounds % quick.share == 0
    assert PROFILES["paper"].precision is None
    assert PROFILES["paper"].share == 10


def test_a_number_of_samples_is_taken_as_it_is() -> None:
    changed = PROFILES["quick"].with_changes(samples=7)
    assert (changed.rounds, changed.precision, changed.share) == (7, None, 3)


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_no_time_is_refused(budget: float) -> None:
    with pytest.raises(ArgumentError, match="more than 0 wanted"):
        PROFILES["smoke"].with_changes(budget=budget)
    assert PROFILES["smoke"].with_changes(budget=2.5).budget_seconds == 2.5


def test_a_slow_case_gets_as_many_samples_as_an_interval_needs() -> None:
    assert smallest_count() == FEW


def test_studies_that_vary_something_have_shorter_messages_unless_a_size_is_given() -> None:
    quick = PROFILES["quick"]
    assert (quick.varied_bytes, PROFILES["paper"].varied_bytes) == (128 << 20, 1 << 30)
    assert quick.with_changes(bytes=1 << 30).varied_bytes == 1 << 30
    assert quick.with_changes(samples=3).varied_bytes == quick.varied_bytes
