"""The announced rounds, processes and resolution of plans."""

from __future__ import annotations

from dataclasses import replace

from aeadlab.bench.announcement import announcement
from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import PROFILES
from aeadlab.stats.resolution import NOISE, resolution

NAMED, OTHER = Case("ring/aes-256-gcm", "seal", 4096), Case("baseline/memcpy", "encrypt", 4096)
CASES = with_noise_pairs((NAMED, OTHER))


def plan(profile: str, named: tuple[str, ...] = ()) -> Plan:
    return Plan("baselines", PROFILES[profile], CASES, named=named)


def test_states_rounds_processes_and_budget() -> None:
    assert announcement(plan("quick")) == (
        f"2 cases with 56 rounds in 14 processes: {resolution(14, 4)}. This is expected if {NOISE}, and the budget of "
        "300 s allows all rounds."
    )


def test_cases_with_fewer_rounds_have_their_own_resolution() -> None:
    """Profile paper has twelve rounds for implementations that the study does not name, each in its own process."""
    assert announcement(plan("paper", named=(NAMED.implementation,))) == (
        f"1 case with 100 rounds in 20 processes: {resolution(20, 5)}; "
        f"1 case with 12 rounds in 12 processes: {resolution(12, 1)}. This is expected if {NOISE}."
    )


def test_a_run_that_resumes_after_a_cut_announces_what_is_left() -> None:
    """The first processes of the run took two of their four rounds, because its budget allows no more."""
    notes = [{"start": 1.0}, {"spent": 40.0, "share": 0, "rounds": 3}, {"spent": 40.0, "share": 1, "rounds": 2}]
    assert announcement(plan("quick"), notes) == (
        f"2 cases with 28 rounds in 14 processes: {resolution(14, 2)}. This is expected if {NOISE}. "
        "The budget of 300 s allows 2 of 4 rounds in each process."
    )
    complete = [{"spent": 40.0, "share": 0, "rounds": 4}]
    assert announcement(plan("quick"), complete) == announcement(plan("quick"))


def test_a_shorter_last_share_is_no_cut() -> None:
    uneven = replace(plan("quick"), profile=replace(PROFILES["quick"], rounds=16))
    notes = [{"share": 0, "rounds": 2}, {"share": 13, "rounds": 1}]
    assert announcement(uneven, notes) == announcement(uneven)
    assert str(resolution(14, 1)) in announcement(uneven)


def test_one_process_supports_no_verdict() -> None:
    text = announcement(plan("smoke"))
    assert text == "2 cases with 5 rounds in 1 process: no verdicts with fewer than 3 processes."
