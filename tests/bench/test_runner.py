"""Runs with real workers: faults, interrupts, kills and resumption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from aeadlab.bench import runner
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.runner import run
from aeadlab.errors import BusyError, MeasurementError, RecordError

MakePlan = Callable[..., Plan]
Faulty = Callable[[str], None]

WAIT = 30.0
"""Time limit in seconds of each wait, of which none is expected to take two seconds."""

MEASURE = """
import json, signal, sys
from pathlib import Path
from aeadlab.bench import lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.runner import run
lock.PATH = Path(sys.argv[1])
# A shell that starts the tests in the background ignores interrupts, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
run(Plan.from_json(json.loads(sys.argv[2])), Path(sys.argv[3]))
"""

# In a faulty worker: `fault(case, n)` is called before sample n of each case.
DRIVER = """
right = worker.driver

class Faulty:
    def __init__(self, case, driver):
        self.case, self.driver, self.taken = case, driver, 0
    def __getattr__(self, name):
        return getattr(self.driver, name)
    def sample(self, batch):
        fault(self.case, self.taken)
        self.taken += 1
        return self.driver.sample(batch)

def driver(case, catalogue, seed):
    return Faulty(case, right(case, catalogue, seed))

def share_arena(drivers, cases, seed, right=worker.share_arena):
    right([d.driver for d in drivers], cases, seed)

worker.driver, worker.share_arena = driver, share_arena
"""


def taken(journal: Journal) -> list[tuple[int, int]]:
    """Return (round, case) of the samples after the warm-up, in order."""
    return [(row[1], row[0]) for row in journal.samples if not row[2]]


def every(plan: Plan, without: int | None = None) -> list[tuple[int, int]]:
    """Return (round, case) of the whole plan, in order."""
    rounds = range(plan.profile.rounds)
    return [(round, case) for round in rounds for case in plan.order(round) if case != without]


def wait_for(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, f"waited {WAIT} s for {what}"
        time.sleep(0.002)


def alive(pid: int) -> bool:
    """Return whether the process runs and is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@contextmanager
def measuring(plan: Plan, path: Path, lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a measuring process that leads a process group, as a command in a terminal does."""
    command = [sys.executable, "-c", MEASURE, str(lock), json.dumps(plan.to_json()), str(path)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE)
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_a_run_takes_every_sample_and_reports_progress(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan(rounds=30, sample=0.005)
    reports: list[tuple[int, int]] = []
    journal = run(plan, tmp_path / "journal", lambda done, planned: reports.append((done, planned)))
    assert taken(journal) == every(plan)
    assert journal.failures == {}
    assert sum(row[2] for row in journal.samples) == len(plan.cases)
    assert journal.samples == Journal.read(tmp_path / "journal").samples
    assert len(reports) >= 2 and reports == sorted(reports) and {planned for _, planned in reports} == {120}


def test_each_process_reports_its_warm_ups_apart(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan(rounds=14, sample=0.02, processes=2)
    reports: list[tuple[str, int, int]] = []
    run(
        plan, tmp_path / "journal", lambda done, planned: reports.append(("taken", done, planned)),
        warm_up=lambda done, due: reports.append(("warmed", done, due)),
    )  # fmt: skip
    assert reports[0] == ("warmed", 0, 4) and reports.count(reports[0]) == 2, "once for each process"
    assert all(planned == (4 if stage == "warmed" else 56) for stage, _, planned in reports)
    assert max(done for stage, done, _ in reports if stage == "taken") > 28


def test_a_finished_run_is_not_repeated(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan()
    first = run(plan, tmp_path / "journal")
    assert taken(run(plan, tmp_path / "journal")) == taken(first)


@pytest.mark.parametrize("kills", [1, 3])
def test_kill_9_of_the_group_loses_at_most_one_sample(
    tmp_path: Path, make_plan: MakePlan, own_lock: Path, kills: int
) -> None:
    plan, path = make_plan(rounds=250, sample=0.001), tmp_path / "journal"
    kept: list[tuple[int, ...]] = []
    for kill in range(1, kills + 1):
        with measuring(plan, path, own_lock) as process:
            wait_for(lambda goal=75 * kill: lines(path) > goal, "samples")  # type: ignore[misc]
            os.killpg(process.pid, signal.SIGKILL)
        # The samples follow the plan without a gap, so no finished sample is missing.
        killed = Journal.read(path)
        wait_for(lambda pid=killed.notes[-1]["pid"]: not alive(pid), "the end of the worker")  # type: ignore[misc]
        assert killed.samples[: len(kept)] == kept
        assert taken(killed) == every(plan)[: len(taken(killed))]
        assert 0 < len(taken(killed)) < len(every(plan))
        kept = killed.samples
    final = run(plan, path)
    assert final.samples[: len(kept)] == kept
    assert taken(final) == every(plan)
    assert final.failures == {}
    assert sum("start" in note for note in final.notes) == kills + 1


def test_kill_9_releases_the_lock(tmp_path: Path, make_plan: MakePlan, own_lock: Path) -> None:
    plan, path = make_plan(rounds=5000, sample=0.001), tmp_path / "journal"
    with measuring(plan, path, own_lock) as process:
        wait_for(lambda: lines(path) > 20, "samples")
        with pytest.raises(BusyError, match=f"process {process.pid} is measuring"):
            run(plan, tmp_path / "other")
        assert not (tmp_path / "other").exists()
        os.killpg(process.pid, signal.SIGKILL)
    wait_for(lambda: not alive(Journal.read(path).notes[0]["pid"]), "the end of the worker")
    with machine_lock():
        pass


def test_an_orphaned_worker_holds_the_lock_until_it_ends(tmp_path: Path, make_plan: MakePlan, own_lock: Path) -> None:
    plan, path = make_plan(rounds=100_000, sample=0.001), tmp_path / "journal"
    with measuring(plan, path, own_lock) as process:
        wait_for(lambda: lines(path) > 20, "samples")
        worker = Journal.read(path).notes[0]["pid"]
        os.kill(worker, signal.SIGSTOP)
        # The SIGTERM at its parent's death would end a worker that has not stopped yet, as on a loaded computer.
        wait_for(lambda: psutil.Process(worker).status() == psutil.STATUS_STOPPED, "the stop of the worker")
        process.kill()
        process.wait()
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the lock is free while the orphaned worker exists")
        os.kill(worker, signal.SIGCONT)
        wait_for(lambda: not alive(worker), "the end of the worker")
    with machine_lock():
        pass


def test_a_run_resumes_after_ctrl_c(tmp_path: Path, make_plan: MakePlan, own_lock: Path) -> None:
    plan, path = make_plan(rounds=250, sample=0.001), tmp_path / "journal"
    with measuring(plan, path, own_lock) as process:
        wait_for(lambda: lines(path) > 50, "samples")
        # A terminal sends the signal to the whole group, including the worker.
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT)
    assert b"KeyboardInterrupt" in errors
    stopped = Journal.read(path)
    assert stopped.failures == {}
    assert not alive(stopped.notes[0]["pid"])
    with machine_lock():
        pass
    final = run(plan, path)
    assert final.samples[: len(stopped.samples)] == stopped.samples
    assert taken(final) == every(plan)
    assert final.failures == {}


def test_workers_ignore_interrupts(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    """A run in a thread does not receive the interrupt and must not record a crash of the case."""
    faulty_worker(DRIVER + "def fault(case, n):\n    os.kill(os.getpid(), signal.SIGINT)\n")
    assert run(make_plan(), tmp_path / "journal").failures == {}


def test_an_error_in_the_callback_ends_the_worker(tmp_path: Path, make_plan: MakePlan) -> None:
    def stop(done: int, planned: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        run(make_plan(rounds=100_000, sample=0.001), path, stop)
    assert not alive(Journal.read(path).notes[0]["pid"])


@pytest.mark.parametrize("failing", [0, 3])
def test_kill_9_of_a_worker_fails_only_the_current_case(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty, failing: int
) -> None:
    plan, path, inside = make_plan(), tmp_path / "journal", tmp_path / "inside"
    faulty_worker(
        DRIVER + f"def fault(case, n):\n"
        f"    if n == 3 and case.label == {plan.cases[failing].label!r}:\n"
        f"        Path({str(inside)!r}).write_text(str(os.getpid()))\n"
        f"        time.sleep({WAIT})\n"
    )

    def kill() -> None:
        wait_for(lambda: inside.exists() and inside.read_text(), "the case")
        os.kill(int(inside.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    journal = run(plan, path)
    killer.join()
    assert journal.failures == {failing: "the process ended with SIGKILL"}
    # One warm-up and two samples precede the kill during the third.
    assert [pair for pair in taken(journal) if pair[1] == failing] == [(0, failing), (1, failing)]
    assert [pair for pair in taken(journal) if pair[1] != failing] == every(plan, without=failing)


def test_a_stalled_case_fails_alone(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "STALL_SECONDS", 3.0)
    plan, failing = make_plan(), 2
    faulty_worker(
        DRIVER
        + f"def fault(case, n):\n    if n == 3 and case.label == {plan.cases[failing].label!r}: time.sleep({WAIT})\n"
    )
    journal = run(plan, tmp_path / "journal")
    assert journal.failures == {failing: "the process stalled (no sample for 3 s)"}
    assert [pair for pair in taken(journal) if pair[1] != failing] == every(plan, without=failing)


def test_a_stopped_run_ends_at_once_with_its_samples(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty
) -> None:
    plan, path, stop = make_plan(), tmp_path / "journal", threading.Event()
    # The second sample of a case exceeds the time limit of the test.
    faulty_worker(DRIVER + f"def fault(case, n):\n    if n == 2 and case.op == 'open': time.sleep({WAIT})\n")

    def stop_after_a_round() -> None:
        wait_for(lambda: path.exists() and len(taken(Journal.read(path))) >= 4, "first round")
        stop.set()

    stopper = threading.Thread(target=stop_after_a_round)
    stopper.start()
    began = time.monotonic()
    journal = run(plan, path, stop=stop)
    stopper.join()
    assert time.monotonic() - began < WAIT / 2
    done = taken(journal)
    assert 4 <= len(done) < 16 and not journal.failures, "the interrupted case has not failed"
    assert journal.notes[-1] == {"stopped": f"{len(done)} of 16 samples"} == Journal.read(path).notes[-1]
    with machine_lock():
        pass
    assert not psutil.Process().children(), "the worker has ended"


def test_a_run_stopped_before_a_sample_leaves_no_journal(tmp_path: Path, make_plan: MakePlan) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(MeasurementError, match="stopped before the first sample"):
        run(make_plan(), tmp_path / "journal", stop=stop)
    assert not (tmp_path / "journal").exists()
    with machine_lock():
        pass


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "the process ended with SIGSEGV"),
        ("os.abort()", "the process ended with SIGABRT"),
        ("os._exit(3)", "the process ended with status 3"),
        ("os.write(2, b'stack smashing detected\\n'); os.abort()", "SIGABRT (stack smashing detected)"),
        ("raise SystemError('half an object')", "the process ended with status 1 (SystemError: half an object)"),
    ],
)
def test_the_reason_of_a_crash_is_recorded(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty, fault: str, reason: str
) -> None:
    plan = make_plan()
    faulty_worker(DRIVER + f"def fault(case, n):\n    if case.implementation.startswith('rust'):\n        {fault}\n")
    journal = run(plan, tmp_path / "journal")
    assert list(journal.failures) == [2]
    assert journal.failures[2].endswith(reason)
    assert taken(journal) == every(plan, without=2)


def test_two_crashing_cases_fail_alone(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan = make_plan()
    faulty_worker(DRIVER + "def fault(case, n):\n    if n == 2 and case.op != 'seal': os.abort()\n")
    journal = run(plan, tmp_path / "journal")
    assert set(journal.failures) == {0, 3}
    assert {case for _, case in taken(journal)} >= {1, 2}
    assert len(taken(journal)) == len(set(taken(journal)))


def test_a_crash_during_preparation_fails_only_its_case(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty
) -> None:
    plan = make_plan()
    faulty_worker(
        "right = worker.driver\n"
        "def driver(case, *rest):\n"
        "    if case.implementation.startswith('rust'): os.abort()\n"
        "    return right(case, *rest)\n"
        "worker.driver = driver\n"
    )
    journal = run(plan, tmp_path / "journal")
    assert set(journal.failures) == {2}
    assert taken(journal) == every(plan, without=2)


def test_a_crash_after_a_failure_does_not_stop_the_run(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty
) -> None:
    plan = make_plan()
    faulty_worker(
        DRIVER + "def fault(case, n):\n"
        "    if case.implementation.startswith('rust'): raise ValueError('half written')\n"
        "def fail(self, index, why, right=worker.Worker._fail):\n"
        "    right(self, index, why)\n"
        "    os.abort()\n"
        "worker.Worker._fail = fail\n"
    )
    journal = run(plan, tmp_path / "journal")
    assert journal.failures == {2: "the process ended with SIGABRT"}
    assert taken(journal) == every(plan, without=2)


def test_a_crash_outside_all_cases_fails_the_run(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan, path = make_plan(), tmp_path / "journal"
    faulty_worker("def load(plugins): sys.exit('no catalogue today')\nworker.load = load\n")
    with pytest.raises(MeasurementError, match="ended with status 1: no catalogue today"):
        run(plan, path)
    assert Journal.read(path).failures == {}
    faulty_worker("")
    assert taken(run(plan, path)) == every(plan)


def test_a_child_that_does_not_start_fails_no_case(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan = make_plan()
    faulty_worker(
        "from aeadlab.errors import ChildError\n" + DRIVER + "def fault(case, n):\n"
        "    if n == 2 and case.implementation.startswith('rust'): raise ChildError('no child today')\n"
    )
    with pytest.raises(MeasurementError, match="ended with status 1: no child today"):
        run(plan, tmp_path / "journal")
    assert Journal.read(tmp_path / "journal").failures == {}


def test_missing_memory_is_an_error_with_advice(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    faulty_worker(
        "def none(*_): raise MemoryError('two buffers of 4096 bytes cannot be allocated')\n"
        "from aeadlab import _native\n_native.Arena = none\n"
    )
    with pytest.raises(MeasurementError) as caught:
        run(make_plan(), tmp_path / "journal")
    assert str(caught.value).endswith(
        "status 1: two buffers of 4096 bytes cannot be allocated: choose a smaller message"
    )


def test_a_crash_at_exit_does_not_fail_the_run(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan = make_plan()
    faulty_worker("atexit.register(os.abort)\n")
    journal = run(plan, tmp_path / "journal")
    assert (taken(journal), journal.failures) == (every(plan), {})


def test_printed_text_does_not_disturb_progress(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan = make_plan()
    faulty_worker(DRIVER + "def fault(case, n):\n    os.write(1, b'hello\\n'); print('hello')\n")
    reports: list[int] = []
    journal = run(plan, tmp_path / "journal", lambda done, _: reports.append(done))
    assert (taken(journal), journal.failures) == (every(plan), {})
    assert reports


def test_a_case_with_a_wrong_result_fails(tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty) -> None:
    plan = make_plan()
    faulty_worker(
        "from aeadlab.bench.drivers import NativeDriver\n"
        "right = worker.driver\n"
        "class Wrong(NativeDriver):\n"
        "    @property\n"
        "    def fingerprint(self): return self.native.fingerprint ^ 1\n"
        "def driver(case, *rest):\n"
        "    made = right(case, *rest)\n"
        "    if case.implementation.startswith('rust'): made.__class__ = Wrong\n"
        "    return made\n"
        "worker.driver = driver\n"
    )
    journal = run(plan, tmp_path / "journal")
    assert set(journal.failures) == {1, 2, 3}, "both of two differ, with all their cases"
    assert journal.failures[2].startswith("its result differs from that of openssl/aes-256-gcm, and no third library")
    assert {case for _, case in taken(journal)} == {0}


def test_an_incomplete_last_sample_is_repeated(tmp_path: Path, make_plan: MakePlan) -> None:
    plan, path = make_plan(), tmp_path / "journal"
    run(plan, path)
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    journal = run(plan, path)
    assert taken(journal) == every(plan)
    assert path.read_bytes().startswith(content[: content[:-5].rfind(b"\n")])


def test_a_crash_within_a_line_keeps_the_journal_readable(
    tmp_path: Path, make_plan: MakePlan, faulty_worker: Faulty
) -> None:
    plan, path = make_plan(), tmp_path / "journal"
    faulty_worker(
        DRIVER + "def fault(case, n):\n"
        "    if n == 3 and case.implementation.startswith('rust'):\n"
        f"        with open({str(path)!r}, 'ab') as file: file.write(b'[2, 2, 0,')\n"
        "        os.abort()\n"
    )
    journal = run(plan, path)
    assert set(journal.failures) == {2}
    assert {pair for pair in taken(journal) if pair[1] != 2} == set(every(plan, without=2))


def test_a_damaged_journal_is_an_error_and_kept(tmp_path: Path, make_plan: MakePlan) -> None:
    plan, path = make_plan(), tmp_path / "journal"
    run(plan, path)
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*whole[:4], whole[4][:10] + whole[5], *whole[6:]]))
    before = path.read_bytes()
    with pytest.raises(RecordError, match="damaged in line 5"):
        run(plan, path)
    assert path.read_bytes() == before


def test_rejects_the_journal_of_another_plan(tmp_path: Path, make_plan: MakePlan) -> None:
    path = tmp_path / "journal"
    run(make_plan(rounds=1), path)
    before = path.read_bytes()
    with pytest.raises(RecordError, match="is of another plan"):
        run(make_plan(rounds=2), path)
    assert path.read_bytes() == before


def test_a_caller_can_pass_its_lock(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan()
    with machine_lock() as lock:
        with pytest.raises(BusyError):
            run(plan, tmp_path / "refused")
        assert taken(run(plan, tmp_path / "journal", lock=lock)) == every(plan)
        with pytest.raises(BusyError), machine_lock():
            pytest.fail("the run released the caller's lock")


def test_processes_share_the_rounds_after_a_warm_up_each(make_plan: MakePlan, tmp_path: Path) -> None:
    plan = make_plan(rounds=5, processes=3)
    journal = run(plan, tmp_path / "journal")
    field = SAMPLE_FIELDS.index("process")
    of_round = {row[1]: row[field] for row in journal.samples if not row[2]}
    assert of_round == {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}
    assert len(journal.done()) == 5 * len(plan.cases), "every round of every case once"
    warmed = {(row[0], row[field]) for row in journal.samples if row[2]}
    assert warmed == {(case, process) for case in range(len(plan.cases)) for process in range(3)}
    assert len({note["pid"] for note in journal.notes if "pid" in note}) == 3
    ended = [(note["share"], note["rounds"]) for note in journal.notes if note.get("spent", 0) > 0]
    assert ended == [(0, 2), (1, 2), (2, 1)], "the budget is shared"
