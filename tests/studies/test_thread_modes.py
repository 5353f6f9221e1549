from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab import schedules
from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.errors import ArgumentError
from aeadlab.kinds import DELAY
from aeadlab.studies import Selection, thread_modes
from aeadlab.studies.thread_modes import COUNTS, STUDY, message

Cases = Callable[..., list[Case]]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setattr(thread_modes, "logical_cores", lambda: 2)
    return lambda profile="paper", **chosen: STUDY.cases(catalogue, PROFILES[profile], Selection.of(**chosen))


def test_a_thorough_run_has_every_schedule_at_every_count(cases: Cases) -> None:
    found = {(case.schedule, case.threads) for case in cases() if case.implementation == DELAY}
    unpinned = [name for name in schedules.NAMES if not name.endswith("-pinned")]
    assert found >= {(name, threads) for name in unpinned for threads in COUNTS}
    assert {*range(1, 17), 24, 28, 32, 48, 64} == {*COUNTS}
    assert {name for name, _ in found} == {*unpinned, *schedules.EXPERIMENTS}


def test_each_thread_has_64_blocks_and_two_cores_can_wake_them(cases: Cases) -> None:
    for threads in COUNTS:
        length, block = message(threads)
        assert length == 64 * threads * block
        assert threads / (block * 25e-9) < 80_000
    five = [case for case in cases() if case.threads == 5 and case.implementation == DELAY]
    assert {5, 8, 320, 65536} < {case.bytes // case.block_size for case in five}


def test_threads_that_compute_are_no_more_than_cores(cases: Cases) -> None:
    real = [case for case in cases() if case.implementation != DELAY]
    assert {case.threads for case in real} == {1, 2}
    assert {case.schedule for case in real} == {"rayon", "dynamic"}
    assert {case.implementation for case in real} == {*thread_modes.REAL}


def test_a_user_chooses_counts_and_implementations(cases: Cases) -> None:
    found = cases("quick", threads=[5, 7], implementations=[DELAY])
    assert {case.implementation for case in found} == {DELAY}
    assert {case.threads for case in found if case.schedule != "static"} == {5, 7}
    assert 1 in {case.threads for case in found}, "what an even division is"
    assert not any(case.threads == 5 for case in cases("paper", threads=[4], implementations=[DELAY]))
    only = cases("quick", implementations=["openssl/aes-256-gcm"])
    assert {case.implementation for case in only} == {"openssl/aes-256-gcm"}


def test_threads_that_compute_and_cores_that_are_not_there_are_told(cases: Cases) -> None:
    with pytest.raises(ArgumentError, match="threads 4, 5 given: .* at most as many as the 2 cores here"):
        cases("quick", threads=[4, 5], implementations=["openssl/aes-256-gcm"])
    assert {case.threads for case in cases("quick", threads=[2, 5], implementations=["openssl/aes-256-gcm"])} == {2}


def test_the_number_of_samples_changes_no_case(catalogue: Catalogue, cases: Cases) -> None:
    changed = PROFILES["quick"].with_changes(samples=200)
    assert STUDY.cases(catalogue, changed, Selection()) == cases("quick")


def test_smoke_is_short(cases: Cases) -> None:
    seconds = sum(case.bytes * 25e-9 / case.threads for case in cases("smoke") if case.implementation == DELAY)
    assert PROFILES["smoke"].rounds * seconds < 3
