from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from aeadlab.bench.profile import MIN_PROCESSES, PROFILES, Profile, find_profile
from aeadlab.errors import ArgumentError, UnknownNameError


def test_the_paper_profile_is_the_published_effort() -> None:
    paper = find_profile("paper")
    assert (paper.bytes, paper.rounds, paper.warm_up_seconds) == (1 << 30, 100, 5.0)
    assert paper.sample_seconds <= 1e-5, "batches only below the resolution of the clock"
    assert paper.budget_seconds is None, "no time limit"


def test_an_unknown_profile_is_an_error_with_the_nearest_name_or_all() -> None:
    with pytest.raises(UnknownNameError, match="'papr'; did you mean paper"):
        find_profile("papr")
    with pytest.raises(UnknownNameError, match="'full'; there are smoke, quick, paper"):
        find_profile("full")


def test_a_changed_profile_has_a_star() -> None:
    quick = PROFILES["quick"]
    assert quick.with_changes() is quick
    changed = quick.with_changes(bytes=4096, samples=3)
    assert (changed.bytes, changed.rounds, changed.name) == (4096, 3, "quick*")
    assert changed.with_changes(samples=4).name == "quick*"
    assert quick.with_changes(bytes=0).bytes == 0
    assert quick.with_changes(samples=1).bytes == quick.bytes


def test_changes_keep_the_effort() -> None:
    for name, profile in PROFILES.items():
        changed = profile.with_changes(bytes=4096, samples=200, budget=1.0)
        assert (profile.effort, changed.effort) == (name, name)
    assert replace(PROFILES["paper"], name="other").effort == "quick"


@pytest.mark.parametrize("given", [-1, -(1 << 30), (4 << 30) + 1, 1 << 62])
def test_rejects_impossible_lengths(given: int) -> None:
    with pytest.raises(ArgumentError, match=rf"^{given} bytes given, 0 to 4294967296 expected$"):
        PROFILES["quick"].with_changes(bytes=given, samples=3)


@pytest.mark.parametrize("given", [0, 1, 4 << 30])
def test_accepts_the_shortest_and_longest_message(given: int) -> None:
    changed = PROFILES["quick"].with_changes(bytes=given)
    assert (changed.bytes, changed.varied_bytes) == (given, given)


@pytest.mark.parametrize("samples", [0, -1])
def test_rejects_zero_samples(samples: int) -> None:
    with pytest.raises(ArgumentError, match=f"{samples} samples given, at least 1 expected"):
        PROFILES["smoke"].with_changes(samples=samples)


@pytest.mark.parametrize(("name", "processes", "rounds"), [("smoke", 1, 5), ("quick", 14, 4), ("paper", 20, 5)])
def test_each_profile_has_a_number_of_rounds_in_each_process(name: str, processes: int, rounds: int) -> None:
    shares = PROFILES[name].shares
    assert [len(share) for share in shares] == [rounds] * processes
    assert [round for share in shares for round in share] == [*range(PROFILES[name].rounds)]


@pytest.mark.parametrize("processes", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("rounds", [1, 2, 7, 12, 31])
def test_shares_are_even_and_hold_each_round_once(processes: int, rounds: int) -> None:
    shares = Profile("tiny", 1, rounds, 0.0, 0.0, None, processes).shares
    assert [round for share in shares for round in share] == [*range(rounds)]
    assert len(shares) == min(processes, rounds)
    lengths = [len(share) for share in shares]
    assert min(lengths) >= 1 and max(lengths) - min(lengths) <= 1 and lengths == sorted(lengths, reverse=True)


def test_given_samples_are_spread_over_the_processes() -> None:
    changed = PROFILES["quick"].with_changes(samples=7)
    assert (changed.rounds, changed.case_seconds) == (7, None)
    assert [len(share) for share in changed.shares] == [1] * 7
    assert [len(share) for share in PROFILES["paper"].with_changes(samples=41).shares] == [3, *[2] * 19]


@pytest.mark.parametrize(
    ("samples", "rounds"),
    [(1000, 56), (56, 56), (55, 42), (42, 42), (15, 14), (14, 14), (13, 13), (6, 6), (2, 6), (0, 6)],
)
def test_slow_cases_have_equal_rounds_in_each_process(samples: int, rounds: int) -> None:
    """Below one in each process, fewer processes take one, but enough for an interval."""
    assert PROFILES["quick"].turns_within(samples) == rounds
    assert MIN_PROCESSES == 6


def test_fields_of_older_profiles_are_ignored() -> None:
    tiny = Profile("tiny", 1, 12, 0.0, 0.0, None, 3)
    assert Profile.from_json({**asdict(tiny), "precision": 0.01, "least": 12}) == tiny
    with pytest.raises(TypeError, match="unheard"):
        Profile.from_json({**asdict(tiny), "unheard": 1})


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_rejects_a_budget_of_zero(budget: float) -> None:
    with pytest.raises(ArgumentError, match="more than 0 expected"):
        PROFILES["smoke"].with_changes(budget=budget)
    assert PROFILES["smoke"].with_changes(budget=2.5).budget_seconds == 2.5


def test_a_given_size_is_not_shortened() -> None:
    quick = PROFILES["quick"]
    assert (quick.varied_bytes, PROFILES["paper"].varied_bytes) == (128 << 20, 1 << 30)
    assert quick.with_changes(bytes=1 << 30).varied_bytes == 1 << 30
    assert quick.with_changes(samples=3).varied_bytes == quick.varied_bytes
