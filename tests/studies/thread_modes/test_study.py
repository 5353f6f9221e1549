from __future__ import annotations

from collections.abc import Callable

import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.profile import PROFILES
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.kinds import DELAY
from aeadlab.errors import ArgumentError
from aeadlab.parsplit import schedules
from aeadlab.studies import Selection
from aeadlab.studies.thread_modes import study as thread_modes
from aeadlab.studies.thread_modes.study import COUNTS, PUBLISHED, STUDY, message

Cases = Callable[..., list[Case]]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture
def cases(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Cases:
    monkeypatch.setattr(thread_modes, "process_cores", lambda: 2)
    return lambda profile="paper", **chosen: STUDY.cases(catalogue, PROFILES[profile], Selection.of(**chosen))


def test_paper_has_every_schedule_at_every_count(cases: Cases) -> None:
    declared = {(case.schedule, case.threads) for case in cases() if case.implementation == DELAY}
    unpinned = [name for name in schedules.NAMES if not name.endswith("-pinned")]
    assert declared >= {(name, threads) for name in unpinned for threads in COUNTS}
    assert {*range(1, 17), 24, 28, 32, 48, 64} == {*COUNTS}
    assert {name for name, _ in declared} == {*unpinned, *schedules.EXPERIMENTS}


def test_each_thread_has_64_blocks_at_a_feasible_rate(cases: Cases) -> None:
    for threads in COUNTS:
        length, block = message(threads)
        assert length == 64 * threads * block
        assert threads / (block * 25e-9) < 80_000
    five = [case for case in cases() if case.threads == 5 and case.implementation == DELAY]
    assert {5, 8, 320, 65536} < {case.bytes // case.block_size for case in five}


def test_computing_threads_are_limited_by_cores(cases: Cases) -> None:
    real = [case for case in cases() if case.implementation != DELAY]
    assert {case.threads for case in real} == {1, 2}
    assert {case.schedule for case in real} == {"rayon", "dynamic"}
    assert {case.implementation for case in real} == {*thread_modes.COMPUTING}


def test_counts_and_implementations_can_be_selected(cases: Cases) -> None:
    declared = cases("quick", threads=[5, 7], implementations=[DELAY])
    assert {case.implementation for case in declared} == {DELAY}
    assert {case.threads for case in declared if case.schedule != "static"} == {5, 7}
    assert 1 in {case.threads for case in declared}, "the reference of perfect balance"
    assert not any(case.threads == 5 for case in cases("paper", threads=[4], implementations=[DELAY]))
    only = cases("quick", implementations=["openssl/aes-256-gcm"])
    assert {case.implementation for case in only} == {"openssl/aes-256-gcm"}


def test_rejects_more_computing_threads_than_cores(cases: Cases) -> None:
    with pytest.raises(ArgumentError, match="threads 4, 5: .* at most 2 threads here"):
        cases("quick", threads=[4, 5], implementations=["openssl/aes-256-gcm"])
    assert {case.threads for case in cases("quick", threads=[2, 5], implementations=["openssl/aes-256-gcm"])} == {2}


def test_the_number_of_samples_does_not_change_the_cases(catalogue: Catalogue, cases: Cases) -> None:
    changed = PROFILES["quick"].with_changes(samples=200)
    assert STUDY.cases(catalogue, changed, Selection()) == cases("quick")


def test_smoke_is_short(cases: Cases) -> None:
    seconds = sum(case.bytes * 25e-9 / case.threads for case in cases("smoke") if case.implementation == DELAY)
    assert PROFILES["smoke"].rounds * seconds < 3


def test_the_case_of_figure_12_requires_its_threads_as_cores(cases: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    assert PUBLISHED not in cases()
    monkeypatch.setattr(thread_modes, "process_cores", lambda: 5)
    assert PUBLISHED in cases()
    assert PUBLISHED not in cases("quick")
    assert PUBLISHED not in cases("paper", implementations=[DELAY])
    assert (PUBLISHED.bytes, PUBLISHED.threads, PUBLISHED.model) == (1 << 30, 5, "rekeyed")
