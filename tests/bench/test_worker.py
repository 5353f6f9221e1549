"""The worker, run in this process with fake drivers."""

from __future__ import annotations

import gc
import mmap
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.bench import worker
from aeadlab.bench.case import Case
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.worker import Worker
from aeadlab.errors import ArgumentError, AuthenticationError, MeasurementError, RecordError

MakePlan = Callable[..., Plan]
ROW = (1000, 1000, 2500, 0, 0, 0, 0)
NAMES = ("a/aes-256-gcm", "b/aes-256-gcm", "c/aes-256-gcm")
CASES = tuple(Case(name, "seal", 4096) for name in NAMES)


class Fake:
    """A driver that calls `sampled` for every sample and has the given fingerprint."""

    def __init__(self, case: Case, sampled: Callable[[Case], object], fingerprint: int | None) -> None:
        self.case = case
        self.fingerprint = fingerprint
        self._sampled = sampled

    def calibrate(self, target_ns: int) -> int:
        return target_ns // 100

    def sample(self, batch: int) -> tuple[int, ...]:
        found = self._sampled(self.case)
        return found if isinstance(found, tuple) else ROW


@pytest.fixture
def prints() -> dict[Case, int | None]:
    """Fingerprints of fake drivers; 7 by default."""
    return {}


Run = Callable[..., Journal]


@pytest.fixture
def in_flight() -> Iterator[mmap.mmap]:
    with mmap.mmap(-1, 8) as word:
        yield word


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """Exempt the objects of the test process from collection, which would take most of the time of each worker."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def work(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    prints: dict[Case, int | None],
    in_flight: mmap.mmap,
    frozen: None,
) -> Iterator[Run]:
    """``work(plan, sampled=..., made=...)``: run a worker on the plan's journal and return the stored journal."""

    def run(
        plan: Plan,
        sampled: Callable[[Case], object] = lambda _: None,
        made: Callable[[Case], object] = lambda _: None,
        report: Callable[[Mapping[str, int]], object] = lambda _: None,
    ) -> Journal:
        def driver(case: Case, catalogue: object, seed: int) -> Fake:
            made(case)
            return Fake(case, sampled, prints.get(case, 7))

        monkeypatch.setattr(worker, "driver", driver)
        monkeypatch.setattr(worker, "load", lambda plugins: None)
        path = tmp_path / "journal"
        journal = Journal.read(path) if path.exists() else Journal.create(path, plan)
        Worker(journal, in_flight, report).run()
        return Journal.read(path)

    yield run
    gc.enable()


def taken(journal: Journal, *, warmup: bool = False) -> list[tuple[int, int]]:
    """Return (round, case) of the samples, in order."""
    return [(row[1], row[0]) for row in journal.samples if bool(row[2]) == warmup]


def every(plan: Plan) -> list[tuple[int, int]]:
    """Return (round, case) of the whole plan, in order."""
    return [(round, case) for round in range(plan.profile.rounds) for case in plan.order(round)]


def test_rounds_follow_the_order_of_the_plan(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=20)
    assert taken(work(plan)) == every(plan)


def test_warm_ups_precede_the_rounds_and_are_marked(work: Run, make_plan: MakePlan) -> None:
    journal = work(make_plan(CASES, rounds=2))
    assert [(row[0], row[1], row[2]) for row in journal.samples[:3]] == [(0, -1, 1), (1, -1, 1), (2, -1, 1)]
    assert not any(row[2] for row in journal.samples[3:])


def test_the_profile_sets_the_warm_up_time(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES[:1], rounds=1, warm_up=0.06)
    began = time.monotonic()
    journal = work(plan, lambda _: time.sleep(0.01))
    assert time.monotonic() - began >= 0.06
    assert 2 <= len(taken(journal, warmup=True)) <= 7


def test_one_case_of_each_implementation_has_a_long_warm_up(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan([CASES[0], replace(CASES[0], bytes=17), CASES[1]], rounds=1, warm_up=0.03)
    journal = work(plan, lambda _: time.sleep(0.005))
    warm = [sum(case == index for _, case in taken(journal, warmup=True)) for index in range(3)]
    assert warm[0] > 1 and warm[2] > 1
    assert warm[1] == 1


def test_each_sample_has_the_calibrated_batch(work: Run, make_plan: MakePlan) -> None:
    journal = work(make_plan(CASES, rounds=2, sample=1e-6))
    assert {row[3] for row in journal.samples} == {10}


def test_a_later_process_keeps_the_batch(work: Run, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new calibration would give each process another batch length."""
    plan = make_plan(CASES, rounds=4, sample=1e-6)
    path = work(plan).path
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:9]))
    calibrated: list[int] = []
    monkeypatch.setattr(Fake, "calibrate", lambda _, target: calibrated.append(target) or 77)
    assert {row[3] for row in work(plan).samples} == {10}
    assert calibrated == []


def test_the_paper_profile_times_single_executions(work: Run, make_plan: MakePlan) -> None:
    assert {row[3] for row in work(make_plan(CASES, sample=0.0)).samples} == {1}


def test_samples_are_stored_with_all_counters(work: Run, make_plan: MakePlan) -> None:
    journal = work(make_plan(CASES[:1], rounds=1), lambda _: (1, 2, 3, 4, 5, 6, 7))
    assert journal.samples[-1][4:] == (1, 2, 3, 4, 5, 6, 7, 0)


def test_each_sample_is_written_before_the_next(work: Run, make_plan: MakePlan, tmp_path: Path) -> None:
    seen: list[int] = []
    journal = work(make_plan(CASES, rounds=3), lambda _: seen.append(len(Journal.read(tmp_path / "journal").samples)))
    assert seen == list(range(len(journal.samples)))


def test_the_running_case_is_marked(work: Run, make_plan: MakePlan, in_flight: mmap.mmap) -> None:
    plan = make_plan(CASES)
    wrong: list[Case] = []

    def look(case: Case) -> None:
        if int.from_bytes(in_flight[:8], "little") != plan.cases.index(case) + 1:
            wrong.append(case)

    work(plan, sampled=look, made=look)
    assert wrong == []
    assert in_flight[:8] == bytes(8)


def test_existing_samples_are_not_repeated(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=4)
    path = work(plan).path
    whole = path.read_bytes().splitlines(keepends=True)
    # Lines: the plan, a start, three warm-ups, and seven samples of rounds 0 to 2.
    path.write_bytes(b"".join(whole[:12]))
    before = Journal.read(path)
    assert len(taken(before)) == 7
    after = work(plan)
    assert after.samples[: len(before.samples)] == before.samples
    assert taken(after) == every(plan)
    assert len(taken(after, warmup=True)) == 6
    started, ended = ["pid", "start"], ["rounds", "share", "spent"]
    assert [sorted(note) for note in after.notes] == [started, started, ended]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MeasurementError("the tag is wrong"), "the tag is wrong"),
        (ArgumentError("too long"), "too long"),
        (ValueError("from a Python library"), "ValueError: from a Python library"),
        (OverflowError("2**31"), "OverflowError: 2**31"),
        (MemoryError(), "MemoryError: "),
    ],
)
@pytest.mark.parametrize("where", ["made", "sampled"])
def test_a_failing_case_fails_alone(work: Run, make_plan: MakePlan, error: Exception, reason: str, where: str) -> None:
    def fail(case: Case) -> None:
        if case == CASES[1]:
            raise error

    plan = make_plan(CASES)
    journal = work(plan, **{where: fail})
    assert journal.failures == {1: reason}
    assert taken(journal) == [(round, case) for round, case in every(plan) if case != 1]


def test_a_case_that_fails_later_keeps_its_samples(work: Run, make_plan: MakePlan) -> None:
    calls: list[Case] = []

    def third(case: Case) -> None:
        calls.append(case)
        if case == CASES[1] and calls.count(case) == 3:
            raise MeasurementError("the result changed")

    plan = make_plan(CASES, rounds=5)
    journal = work(plan, third)
    assert journal.failures == {1: "the result changed"}
    assert [pair for pair in taken(journal) if pair[1] == 1] == [(0, 1)]
    work(plan, third)
    assert calls.count(CASES[1]) == 3


def test_a_clock_that_goes_backwards_fails_the_case(work: Run, make_plan: MakePlan) -> None:
    journal = work(make_plan(CASES), lambda case: (-5, *ROW[1:]) if case == CASES[2] else None)
    assert journal.failures == {2: "the clock went backwards by 5 ns"}


def test_a_result_unlike_another_library_fails(work: Run, make_plan: MakePlan, prints: dict[Case, int | None]) -> None:
    """Without a third library, nobody knows which of two is right."""
    prints[CASES[1]] = 8
    plan = make_plan(CASES[:2])
    journal = work(plan)
    undecided = "and no third library decides which one is right"
    names = [case.implementation for case in CASES]
    assert journal.failures[0] == f"its result differs from that of {names[1]}, {undecided}"
    assert journal.failures[1] == f"its result differs from that of {names[0]}, {undecided}"


@pytest.mark.parametrize("position", range(3))
def test_the_majority_of_libraries_decides_in_any_order(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None], position: int
) -> None:
    cases = [Case(f"{library}/aes-256-gcm", "seal", 4096) for library in "abc"]
    prints[cases[position]] = 8
    others = " and ".join(case.implementation for case in cases if case != cases[position])
    assert work(make_plan(cases)).failures == {position: f"its result differs from that of {others}"}


def test_a_wrong_result_fails_all_cases_of_the_implementation(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None]
) -> None:
    split: dict[str, Any] = {"engine": "parsplit", "block_size": 1024, "schedule": "static"}
    cases = [Case(f"{library}/aes-256-gcm", "seal", 4096) for library in "abc"]
    cases += [Case("b/aes-256-gcm", "open", 4096), Case("b/aes-256-gcm", "seal", 4096, **split)]
    cases += [Case("b/aes-128-gcm", "seal", 4096)]
    prints[cases[1]] = 8
    journal = work(make_plan(cases))
    assert set(journal.failures) == {1, 3, 4}
    assert {case for _, case in taken(journal)} == {0, 2, 5}


def test_a_rejected_message_fails_the_seal_rows_too(work: Run, make_plan: MakePlan) -> None:
    cases = [Case("a/aes-256-gcm", op, 4096) for op in ("seal", "open")]  # type: ignore[arg-type]

    def sample(case: Case) -> Any:
        if case.op == "open" and case.replica == 0:
            raise AuthenticationError("a tag does not match")
        return None

    journal = work(make_plan(cases), sample)
    assert set(journal.failures) == {0, 1} and journal.failures[1] == "a tag does not match"
    assert journal.failures[0].startswith("wrong result of a/aes-256-gcm open 4096 B whole")


def test_variants_of_an_algorithm_have_equal_results(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None]
) -> None:
    names = ("a/aes-128-ctr", "b/aes-128-ctr.plain", "b/aes-128-ctr.unrolled")
    variants = [Case(name, "encrypt", 4096) for name in names]
    prints[variants[2]] = 8
    assert work(make_plan(variants)).failures == {
        2: "its result differs from that of a/aes-128-ctr and b/aes-128-ctr.plain"
    }


@pytest.mark.parametrize(
    "other",
    [
        Case("b/aes-128-gcm", "seal", 4096),
        Case("b/aes-256-gcm", "open", 4096),
        Case("b/aes-256-gcm", "seal", 4097),
        Case("b/aes-256-gcm", "seal", 4096, placement="in-place"),
        Case("b/aes-256-gcm", "seal", 4096, engine="parsplit", block_size=1024, schedule="rayon"),
    ],
)
def test_results_of_different_operations_may_differ(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None], other: Case
) -> None:
    prints[other] = 8
    assert work(make_plan((CASES[0], other))).failures == {}


def test_results_of_different_block_sizes_may_differ(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None]
) -> None:
    cases = [Case("a/b", "seal", 4096, engine="parsplit", block_size=n, schedule="rayon") for n in (512, 1024)]
    prints[cases[0]] = 8
    assert work(make_plan(cases)).failures == {}


def test_threads_schedule_and_model_keep_the_result(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None]
) -> None:
    split = {"op": "seal", "bytes": 4096, "engine": "parsplit", "block_size": 1024}
    first = Case("a/aes-256-gcm", schedule="rayon", **split)  # type: ignore[arg-type]
    other = Case("b/aes-256-gcm", schedule="dynamic", threads=2, model="oneshot", **split)  # type: ignore[arg-type]
    prints[other] = 8
    assert set(work(make_plan((first, other))).failures) == {0, 1}


def test_cases_without_a_fingerprint_are_not_compared(
    work: Run, make_plan: MakePlan, prints: dict[Case, int | None]
) -> None:
    prints.update({CASES[0]: None, CASES[1]: 8, CASES[2]: 8})
    assert work(make_plan(CASES)).failures == {}


def test_no_round_starts_after_the_budget(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=1000, budget=0.15)
    journal = work(plan, lambda _: time.sleep(0.01))
    rounds = len(taken(journal)) // 3
    assert 1 <= rounds < 10
    assert taken(journal) == every(plan)[: 3 * rounds], "the last round is complete"
    assert journal.notes[-1]["cut"].startswith(f"{rounds} of 1000 rounds in ")


def test_the_smallest_budget_allows_one_round(work: Run, make_plan: MakePlan) -> None:
    journal = work(make_plan(CASES, rounds=3, budget=0.0))
    assert len(taken(journal)) == 3
    assert journal.notes[-1]["cut"].startswith("1 of 3 rounds")


def processes_of(journal: Journal) -> dict[int, int]:
    """Return the number of rounds of each process."""
    rounds: dict[int, set[int]] = {}
    for row in journal.samples:
        if not row[2]:
            rounds.setdefault(row[-1], set()).add(row[1])
    return {process: len(found) for process, found in rounds.items()}


def in_processes(work: Run, plan: Plan, sampled: Callable[[Case], object] = lambda _: None) -> Journal:
    """Run one worker after the other, as many as the plan has processes."""
    for _ in range(plan.profile.processes):
        journal = work(plan, sampled)
        if "spent" not in journal.notes[-1]:
            break
    return journal


@pytest.mark.parametrize(
    ("budget", "counts"), [(36.0, [1] * 6), (50.0, [1, 1, 2, 2, 2, 2]), (54.5, [2] * 6), (130.0, [6, 6, 6, 6, 6, 7])]
)
def test_a_slow_plan_loses_rounds_and_no_process(
    work: Run, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch, budget: float, counts: list[int]
) -> None:
    """A round takes 3 s and the warm-up too. A rest of time that suffices for some processes only goes to the last."""
    now = 0.0

    def sampled(case: Case) -> None:
        nonlocal now
        now += 1.0

    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: now, time=time.time))
    plan = make_plan(CASES, rounds=60, processes=6, budget=budget)
    journal = in_processes(work, plan, sampled)
    assert [*processes_of(journal).values()] == counts
    least = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    seconds = 3 * (6 + sum(counts))
    assert seconds <= budget
    assert journal.notes[-1] == {"reduced": f"{least} of 10 rounds in each of 6 processes in {seconds} s"}
    # The rounds of a process are the first of its share.
    assert {row[1] for row in journal.samples if not row[2]} == {
        10 * process + turn for process, count in enumerate(counts) for turn in range(count)
    }
    again = work(plan)
    assert again.samples == journal.samples and again.notes[: len(journal.notes)] == journal.notes


def test_the_budget_ends_a_run_after_a_process(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=8, processes=4, budget=0.0)
    journal = in_processes(work, plan)
    assert processes_of(journal) == {0: 1}
    # A busy computer takes longer than half a second to start a process.
    assert re.fullmatch(r"1 of 4 processes with 1 of 2 rounds in \d+ s", journal.notes[-1]["cut"])


def test_a_fast_plan_takes_all_rounds_within_its_budget(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=9, processes=3, budget=60.0)
    journal = in_processes(work, plan)
    assert taken(journal) == every(plan)
    assert processes_of(journal) == {0: 3, 1: 3, 2: 3}
    assert [{name: note[name] for name in ("share", "rounds")} for note in journal.notes if "spent" in note] == [
        {"share": share, "rounds": 3} for share in range(3)
    ]


def test_an_interrupted_process_is_completed_by_the_next(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=4, processes=2)
    path = work(plan).path
    # Lines: the plan, a start, three warm-ups, and four of six samples.
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:9]))
    assert taken(work(plan)) == every(plan)[:6]
    journal = work(plan)
    assert taken(journal) == every(plan)
    assert [note["share"] for note in journal.notes if "share" in note] == [0, 1]
    assert processes_of(journal) == {0: 2, 1: 1, 2: 2}


def test_no_garbage_collection_within_a_sample(work: Run, make_plan: MakePlan) -> None:
    during: list[bool] = []
    work(make_plan(CASES), lambda _: during.append(gc.isenabled()))
    assert not any(during)


def test_progress_is_reported_at_intervals(
    work: Run, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = make_plan(CASES, rounds=5)
    reported: list[Mapping[str, int]] = []
    warming = [{"taken": 0, "warmed": warmed, "due": 3} for warmed in range(3)]
    work(plan, report=reported.append)
    assert reported == warming[:1], "the others follow within a quarter of a second"
    (tmp_path / "journal").unlink()
    monkeypatch.setattr(worker, "REPORT_SECONDS", -1.0)
    reported.clear()
    work(plan, report=reported.append)
    assert reported == [*warming, *({"taken": taken} for taken in range(1, 16))]


def test_a_full_disk_does_not_fail_the_running_case(
    work: Run, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch, in_flight: mmap.mmap
) -> None:
    write = Journal.append

    def full(journal: Journal, line: list[int] | dict[str, object]) -> None:
        if isinstance(line, list) and line[1] == 1:
            raise RecordError("journal cannot be written: No space left on device")
        write(journal, line)

    monkeypatch.setattr(Journal, "append", full)
    with pytest.raises(RecordError, match="No space left"):
        work(make_plan(CASES))
    assert in_flight[:8] == bytes(8)


def test_unnamed_implementations_have_fewer_rounds(work: Run, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=9, warm_up=0.02)
    plan = replace(plan, profile=replace(plan.profile, others=4), named=NAMES[:2])
    journal = work(plan)
    assert [sum(case == index for _, case in taken(journal)) for index in range(3)] == [9, 9, 4]
    warm = [sum(case == index for _, case in taken(journal, warmup=True)) for index in range(3)]
    assert min(warm[:2]) > 1 and warm[2] == 1
    assert plan.samples == len(taken(journal)) == 22
    assert taken(journal) == [(round, case) for round, case in every(plan) if case < 2 or round < 4]


def test_a_later_process_does_not_repeat_long_warm_ups(work: Run, make_plan: MakePlan) -> None:
    """A case of 50 ms, of code that has run in the process before; such a case alone is warmed up."""
    cases = (CASES[0], replace(CASES[0], bytes=1 << 16), replace(CASES[1], bytes=1 << 16))
    slow = (int(5e7), *ROW[1:])
    journal = in_processes(
        work, make_plan(cases, rounds=3, processes=3), lambda case: slow if case.bytes > 4096 else None
    )
    warmed = [[row[0] for row in journal.samples if row[2] and row[-1] == process] for process in range(3)]
    assert warmed == [[0, 1, 2], [0, 2], [0, 2]]
    assert len(taken(journal)) == 9


@pytest.mark.parametrize(("seconds", "samples"), [(0.5, 24), (1, 16), (1.5, 8), (2, 8), (2.2, 7), (30, 6)])
def test_a_slow_case_has_fewer_samples_in_each_process(
    work: Run, make_plan: MakePlan, seconds: float, samples: int
) -> None:
    """Of 24 rounds in 8 processes; as long as the limit allows one in each, no process goes without."""
    plan = make_plan(CASES, rounds=24, processes=8)
    plan = replace(plan, profile=replace(plan.profile, case_seconds=16.0))
    slow = (int(1e9 * seconds), *ROW[1:])
    journal = in_processes(work, plan, lambda case: slow if case.implementation == NAMES[1] else None)
    assert [sum(case == index for _, case in taken(journal)) for index in range(3)] == [24, samples, 24]
    found = [note["slow"] for note in journal.notes if "slow" in note]
    assert found == ([] if samples == 24 else [[f"{CASES[1].label}: {samples} samples"]])
    by_process = [
        sum(row[0] == 1 and row[-1] == process and not row[2] for row in journal.samples) for process in range(8)
    ]
    assert max(by_process) - min(by_process) <= 1 and by_process == sorted(by_process, reverse=True)
    assert len(taken(work(plan))) == len(taken(journal))
