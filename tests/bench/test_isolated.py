"""Isolated cases, crashes of their processes, and killed workers."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from aeadlab import _native
from aeadlab.bench import isolated
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import CACHED_BYTES, driver, share_arena
from aeadlab.bench.isolated import IsolatedDriver, close_all, process_key
from aeadlab.bench.journal import Journal
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.runner import run
from aeadlab.catalogue import load
from aeadlab.errors import ArgumentError, MeasurementError, UnknownNameError, VerificationError
from aeadlab.parsplit import schedules

MakePlan = Callable[..., Plan]
Compiled = Callable[..., Path]

OPENSSL = Case("openssl/aes-256-gcm", "seal", 4096, mask="no-aes")
PLAIN = replace(OPENSSL, mask="")
TOY = Case("botan/xor-tag", "seal", 4096, mask="no-aes")
CASES = (
    PLAIN,
    OPENSSL,
    replace(OPENSSL, op="open"),
    replace(OPENSSL, mask="no-avx2"),
    Case("aws-lc/aes-256-gcm", "seal", 4096, mask="no-aes"),
    Case("openssl/aes-256-gcm", "seal", 4096, engine="parsplit", block_size=512, schedule="dynamic", mask="no-aes"),
    Case("pyca/aes-256-gcm", "seal", 4096, engine="python", mask="no-aes"),
)

WORK = """
import json, sys
from pathlib import Path
from aeadlab.bench import lock
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.runner import run
lock.PATH = Path(sys.argv[1])
run(Plan.from_json(json.loads(sys.argv[2])), Path(sys.argv[3]))
"""


@pytest.fixture(autouse=True)
def no_process_left() -> Iterator[None]:
    yield
    close_all()
    assert processes_below(os.getpid()) == []


def processes_below(pid: int) -> list[psutil.Process]:
    """Return the processes of isolated cases below a process."""
    try:
        below = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [p for p in below if p.status() != psutil.STATUS_ZOMBIE and "aeadlab.bench.isolated_worker" in p.cmdline()]


def ready(*cases: Case, plugins: tuple[Path, ...] = (), seed: int = 1) -> list[IsolatedDriver]:
    catalogue = load(plugins)
    drivers = [driver(case, catalogue, seed) for case in cases]
    share_arena(drivers, list(cases), seed)
    assert all(isinstance(one, IsolatedDriver) for one in drivers)
    return drivers  # type: ignore[return-value]


def wait_for(condition: Callable[[], object], what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.005)


@pytest.fixture
def crashing(compiled: Compiled) -> Path:
    """A library that crashes if AES instructions are hidden from it."""
    return compiled(
        "toy",
        LIBRARY='"botan"',
        FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"',
        ON_MESSAGE='if (getenv("BOTAN_CLEAR_CPUID") != NULL) raise(SIGSEGV)',
    )


def test_a_mask_changes_the_kernel_but_not_the_result() -> None:
    plain = driver(PLAIN, load(), 1)
    share_arena([plain], [PLAIN], 1)
    plain.sample(1)
    before = dict(os.environ)
    control, hidden = ready(replace(OPENSSL, mask="nothing"), OPENSSL)
    kernel = load().find(OPENSSL.implementation).description.kernel
    assert control.kernel == kernel != hidden.kernel
    batch = hidden.calibrate(1_000_000)
    row = hidden.sample(batch)
    assert len(row) == 7 and 200_000 < row[0] < 100_000_000
    control.sample(1)
    assert plain.fingerprint == control.fingerprint == hidden.fingerprint is not None
    assert dict(os.environ) == before
    assert load().find(OPENSSL.implementation).description.kernel == kernel


def test_the_seed_determines_the_data() -> None:
    found = []
    for seed in (1, 2):
        (one,) = ready(OPENSSL, seed=seed)
        one.sample(1)
        found.append(one.fingerprint)
    assert found[0] != found[1]


def test_each_mask_has_one_process() -> None:
    ready(*(case for case in CASES if case.mask))
    assert len(processes_below(os.getpid())) == 2


def waiting(schedule: str, threads: int = 3) -> Case:
    return Case("baseline/delay", "seal", 1 << 20, "parsplit", block_size=1 << 14, threads=threads, schedule=schedule)


@pytest.mark.alone
def test_each_numba_layer_has_a_process_with_all_threads() -> None:
    """TBB limits itself to the number of cores by default."""
    cases = [waiting(f"numba-{layer}", threads) for layer in ("omp", "tbb", "workqueue") for threads in (1, 8)]
    drivers = ready(*(case for case in cases if case.schedule not in schedules.absent()))
    processes = {one.group for one in drivers}
    assert len(processes_below(os.getpid())) == len(processes) == len(drivers) / 2 >= 2
    for alone, together in zip(drivers[::2], drivers[1::2], strict=True):
        seconds = [min(one.sample(1)[0] for _ in range(9)) for one in (alone, together)]
        # TBB wakes its workers one after the other.
        assert 2.05 < seconds[0] / seconds[1] < 8.5, alone.case.schedule
    assert len({one.fingerprint for one in drivers}) == 1


def test_waiting_processes_require_no_preparation() -> None:
    own, other, masked = PLAIN, waiting("numba-workqueue"), OPENSSL
    for beside, preparation in ((other, "none"), (masked, "execution")):
        drivers = [driver(case, load(), 1) for case in (own, beside)]
        share_arena(drivers, [own, beside], 1)
        assert drivers[0].preparation == preparation  # type: ignore[attr-defined]


def test_a_layer_with_too_few_threads_fails_its_cases_only(
    tmp_path: Path, make_plan: MakePlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_NUM_THREADS", "2")
    plan = make_plan((waiting("dynamic"), waiting("numba-workqueue")), rounds=2, sample=0.0)
    journal = run(plan, tmp_path / "journal")
    assert list(journal.failures) == [1]
    assert "3 threads given, but schedule numba-workqueue has at most 2" in journal.failures[1]
    assert {row[0] for row in journal.samples if not row[2]} == {0}


def test_masked_cases_are_taken_in_the_order_of_the_plan(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan(CASES, rounds=6, sample=1e-5, processes=2)
    journal = run(plan, tmp_path / "journal")
    assert journal.failures == {}
    order = [(round, case) for round in range(6) for case in plan.order(round)]
    assert [(row[1], row[0]) for row in journal.samples if not row[2]] == order
    wall = {index: min(row[4] / row[3] for row in journal.samples if row[0] == index) for index in (0, 1)}
    assert wall[1] > 3 * wall[0], "AES without AES instructions"


def test_a_crash_fails_only_its_case(tmp_path: Path, make_plan: MakePlan, crashing: Path) -> None:
    cases = (replace(TOY, mask=""), TOY, OPENSSL, replace(TOY, mask="no-vaes"), PLAIN)
    plan = replace(make_plan(cases, rounds=3), plugins=(str(crashing),))
    journal = run(plan, tmp_path / "journal")
    assert set(journal.failures) == {1, 3}
    assert journal.failures[1] == "the process under mask no-aes ended with SIGSEGV"
    assert sorted({row[0] for row in journal.samples if not row[2]}) == [0, 2, 4]
    assert len([note for note in journal.notes if "start" in note]) == 1, "the worker has not been restarted"


def test_after_a_crash_a_new_process_omits_the_case(compiled: Compiled) -> None:
    plugin = compiled(
        "toy",
        LIBRARY='"botan"',
        FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"',
        ON_MESSAGE='static int n; if (++n == 9) { write(2, "why\\n", 4); abort(); }',
    )
    toy, other, again = ready(TOY, OPENSSL, replace(OPENSSL, op="open"), plugins=(plugin,))
    other.sample(1)
    first = other.fingerprint
    with pytest.raises(MeasurementError, match=r"the process under mask no-aes ended with SIGABRT \(why\)"):
        for _ in range(20):
            toy.sample(1)
    assert other.sample(1)[0] > 0 and other.fingerprint == first
    assert again.sample(1)[0] > 0
    with pytest.raises(MeasurementError, match="SIGABRT"):
        toy.sample(1)
    assert other.sample(1)[0] > 0, "a request for the failed case does not affect the others"


def test_a_crash_during_preparation_fails_only_its_case(compiled: Compiled) -> None:
    plugin = compiled("toy", LIBRARY='"botan"', FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"', ON_KEYED="_exit(3)")
    other, toy, last = ready(OPENSSL, replace(TOY, op="open"), replace(OPENSSL, op="open"), plugins=(plugin,))
    with pytest.raises(MeasurementError, match="the process under mask no-aes ended with status 3"):
        toy.sample(1)
    assert other.sample(1)[0] > 0 and last.sample(1)[0] > 0


def test_an_unsupported_case_fails_only_itself() -> None:
    wrong = replace(OPENSSL, engine="python")
    also, other = ready(wrong, OPENSSL)
    with pytest.raises(MeasurementError, match="openssl/aes-256-gcm is behind the C ABI"):
        also.sample(1)
    assert other.sample(1)[0] > 0
    (alone,) = ready(wrong)
    with pytest.raises(MeasurementError, match="use engine whole"):
        alone.calibrate(1000)


def test_a_different_result_of_a_new_process_is_an_error() -> None:
    (one,) = ready(OPENSSL)
    one.sample(1)
    assert one.group is not None
    assert one.group.close() == "the process under mask no-aes ended with status 0"
    one.sample(1)
    one.group.close()
    one._fingerprint = 7
    with pytest.raises(VerificationError, match="differs from the first sample's"):
        one.sample(1)


SPLIT = replace(PLAIN, engine="parsplit", block_size=512, schedule="dynamic")
FIRST_ARMS = (
    PLAIN,
    replace(SPLIT, op="open"),
    replace(SPLIT, bytes=1 << 20, threads=2),
    replace(
        SPLIT, bytes=1 << 20, threads=2, schedule="numba-workqueue", implementation="baseline/memcpy", op="encrypt"
    ),
    Case("pyca/aes-256-gcm", "open", 4096, engine="python"),
    Case("openssl/aes-128-ctr", "encrypt", 509 * 100, engine="cells", block_size=509),
    Case("generators/chacha8.per-thread", "generate", 1 << 20, threads=2),
)


def test_second_arms_of_every_engine_run_in_another_process(tmp_path: Path, make_plan: MakePlan) -> None:
    plan = make_plan(with_noise_pairs(FIRST_ARMS), rounds=4, sample=1e-5, processes=2)
    assert len(plan.cases) == 2 * len(FIRST_ARMS)
    catalogue = load()
    keys = [process_key(case, catalogue) for case in plan.cases]
    assert keys == [(), (), (), ("numba-workqueue",), (), (), (), *[("replica",)] * 3] + [
        ("replica", "numba-workqueue"),
        *[("replica",)] * 3,
    ]
    journal = run(plan, tmp_path / "journal")
    assert journal.failures == {}
    order = [(round, case) for round in range(4) for case in plan.order(round)]
    whole = {index for index, case in enumerate(plan.cases) if case.engine == "cells"}
    taken = [(row[1], row[0]) for row in journal.samples if not row[2]]
    assert [pair for pair in taken if pair[1] not in whole] == [pair for pair in order if pair[1] not in whole]
    medians = [
        statistics.median(row[4] / row[3] for row in journal.samples if row[0] == index and not row[2])
        for index in range(len(plan.cases))
    ]
    for first, second in zip(medians[: len(FIRST_ARMS)], medians[len(FIRST_ARMS) :], strict=True):
        assert 0.2 < second / first < 5


def test_all_cases_are_prepared_beside_second_arms() -> None:
    """Each process displaces the caches of the other, and does not use its memory meanwhile."""
    python = Case("pyca/aes-256-gcm", "seal", 4096, engine="python")
    large, cold = replace(PLAIN, bytes=CACHED_BYTES + 1), replace(PLAIN, cache="cold")
    cases = [PLAIN, python, large, replace(python, bytes=CACHED_BYTES + 1), cold, replace(PLAIN, replica=1)]
    drivers = [driver(case, load(), 1) for case in cases]
    share_arena(drivers, cases, 1)
    prepared = [one.preparation for one in drivers[:5]]  # type: ignore[attr-defined]
    assert prepared == ["execution", "execution", "touch", "execution", "none"]


def test_missing_memory_is_an_error_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    start = isolated.Child

    class Poor(start):  # type: ignore[misc, valid-type]
        def send(self, message: dict[str, object]) -> None:
            self.poor = "arena" in message
            super().send(message)

        def receive(self, *_: object) -> object:
            reply = super().receive()
            return {"error": "two buffers cannot be allocated"} if self.poor else reply

    monkeypatch.setattr(isolated, "Child", Poor)
    with pytest.raises(MeasurementError, match="mask no-aes: two buffers cannot be allocated; choose a smaller"):
        ready(OPENSSL)


def test_a_driver_without_a_process_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="share_arena"):
        IsolatedDriver(OPENSSL, load()).sample(1)


def test_an_unknown_mask_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean no-aes"):
        driver(replace(OPENSSL, mask="no-aesni"), load(), 1)


@pytest.mark.parametrize("victim", ["worker", "group"])
def test_no_process_outlives_a_killed_worker(tmp_path: Path, make_plan: MakePlan, own_lock: Path, victim: str) -> None:
    """This includes a process within a long sample, which does not read requests."""
    slow = Case("baseline/delay", "seal", 1 << 25, mask="nothing")
    plan, path = make_plan([slow], rounds=2), tmp_path / "journal"
    command = [sys.executable, "-c", WORK, str(own_lock), json.dumps(plan.to_json()), str(path)]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        try:
            wait_for(lambda: processes_below(process.pid), "the process of the case")
            (child,) = processes_below(process.pid)
            wait_for(lambda: path.read_bytes().count(b"\n") > 2, "the first sample")
            time.sleep(0.1)
            worker = child.ppid()
            assert worker == Journal.read(path).notes[0]["pid"] != process.pid
            if victim == "worker":
                os.kill(worker, signal.SIGKILL)
            else:
                os.killpg(process.pid, signal.SIGKILL)
            # A sample takes two seconds.
            wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "its end", 1)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_printed_text_does_not_mix_with_replies(compiled: Compiled) -> None:
    plugin = compiled(
        "toy", LIBRARY='"botan"', FEATURE_SWITCH='"BOTAN_CLEAR_CPUID"', ON_MESSAGE='write(1, "hello\\n", 6)'
    )
    (toy,) = ready(TOY, plugins=(plugin,))
    assert toy.sample(2)[0] > 0


def test_processes_have_separate_arenas() -> None:
    """Unmasked cases keep their own arena with the same content."""
    plain = driver(PLAIN, load(), 1)
    (hidden,) = ready(OPENSSL)
    share_arena([plain], [PLAIN], 1)
    for _ in range(5):
        hidden.sample(1)
        plain.sample(1)
    assert isinstance(plain.arena, _native.Arena)  # type: ignore[attr-defined]
    assert hidden.fingerprint == plain.fingerprint
