"""All schedules give the same bytes, and report why they are not available."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from aeadlab._native import MAX_THREADS
from aeadlab.errors import ArgumentError
from aeadlab.parsplit import schedules
from aeadlab.parsplit.parsplit import ParSplit

GCM = "openssl/aes-256-gcm"
KEY, NONCE, AAD = bytes(range(32)), b"7 bytes", b"associated"
BLOCK, BYTES = 100, 15_011
OPENMP = [name for name in schedules.EXTERNAL if name.startswith("openmp-")]
NUMBA = [name for name in schedules.EXTERNAL if name.startswith("numba-")]
# A process has one threading layer of Numba, so its schedules are tested in child processes.
HERE = [*schedules.ENGINE, *OPENMP]


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


@cache
def expected() -> bytes:
    return bytes(ParSplit(GCM, BLOCK, 1).encrypt(KEY, NONCE, text(BYTES), AAD))


def assert_agrees(schedule: str, threads: int) -> None:
    """Seal and open with separate buffers and in place; child processes call this as well."""
    cipher = ParSplit(GCM, BLOCK, threads, schedule, serial_below=0)
    memory, back = bytearray(len(expected())), bytearray(BYTES)
    cipher.encrypt(KEY, NONCE, text(BYTES), AAD, memory)
    assert memory == expected()
    cipher.decrypt(KEY, NONCE, memory, AAD, back)
    assert back == text(BYTES)
    memory[:BYTES] = text(BYTES)
    cipher.encrypt(KEY, NONCE, memoryview(memory)[:BYTES], AAD, memory)
    assert memory == expected()
    cipher.decrypt(KEY, NONCE, memory, AAD, memory)
    assert memory[:BYTES] == text(BYTES)


def in_child(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a child process that imports this file."""
    head = f"import sys; sys.path.insert(0, {str(__file__).rpartition('/')[0]!r})\nfrom test_schedules import *\n"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", head + code]
    variables = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=variables)


def unavailable(schedule: str) -> bool:
    """Return whether a schedule is absent; if it is, assert that its use raises the reason."""
    reason = schedules.absent().get(schedule)
    if reason is None:
        return False
    with pytest.raises(ArgumentError) as raised:
        ParSplit(GCM, BLOCK, 2, schedule)
    assert str(raised.value) == f"schedule {schedule} is not available: {reason}"
    return True


@pytest.mark.parametrize("schedule", HERE)
def test_same_bytes_for_1_to_64_threads(schedule: str) -> None:
    if not unavailable(schedule):
        for threads in range(1, 65):
            assert_agrees(schedule, threads)


@pytest.mark.parametrize("schedule", NUMBA)
def test_same_bytes_with_each_threading_layer_of_numba(schedule: str) -> None:
    if not unavailable(schedule):
        done = in_child(f"for threads in range(1, 65): assert_agrees({schedule!r}, threads)")
        assert done.returncode == 0, done.stderr


def test_openmp_build_is_empty_where_openmp_is_absent() -> None:
    build = schedules.openmp_loops.build()
    assert (", OpenMP 20" in build) if OPENMP[0] not in schedules.absent() else build == ""


@settings(deadline=None, max_examples=200)
@given(
    data=st.binary(max_size=3000),
    block_size=st.integers(1, 400),
    threads=st.integers(1, MAX_THREADS),
    schedule=st.sampled_from([name for name in HERE if name not in schedules.absent()]),
)
def test_same_bytes_for_any_size(data: bytes, block_size: int, threads: int, schedule: str) -> None:
    cipher = ParSplit(GCM, block_size, threads, schedule, serial_below=0)
    sealed = cipher.encrypt(KEY, NONCE, data, AAD)
    assert sealed == ParSplit(GCM, block_size, 1).encrypt(KEY, NONCE, data, AAD)
    assert cipher.decrypt(KEY, NONCE, sealed, AAD) == data


def test_rejects_a_second_threading_layer_of_numba() -> None:
    here = [name for name in NUMBA if name not in schedules.absent()]
    assert len(here) >= 2, "numba contains workqueue, and omp requires only a compiler with OpenMP"
    code = f"""
assert_agrees({here[0]!r}, 2)
try:
    assert_agrees({here[1]!r}, 2)
except ArgumentError as error:
    print(error)
assert_agrees({here[0]!r}, 3)
"""
    done = in_child(code)
    assert done.returncode == 0, done.stderr
    layer = here[0].removeprefix("numba-")
    assert f"schedule {here[1]} given, but this process uses the threading layer {layer} of numba" in done.stdout


def test_numba_threads_are_limited_by_its_environment() -> None:
    code = """
assert_agrees("numba-workqueue", 3)
assert_agrees("numba-workqueue", 4)
"""
    done = in_child(code, NUMBA_NUM_THREADS="3")
    assert re.search("ArgumentError: 4 threads given, but schedule numba-workqueue has (at most )?3 in", done.stderr)


@pytest.mark.parametrize("schedule", [*OPENMP, "numba-omp", "numba-workqueue"])
def test_external_schedule_raises_after_a_fork(schedule: str) -> None:
    if unavailable(schedule):
        return
    code = f"""
import os, signal
assert_agrees({schedule!r}, 3)
child = os.fork()
if child == 0:
    signal.alarm(20)
    try:
        assert_agrees({schedule!r}, 3)
    except ArgumentError as error:
        assert_agrees("dynamic", 3)
        os._exit(0 if "did not survive the fork: use another schedule" in str(error) else 2)
    os._exit(3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = in_child(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("schedule", HERE)
def test_trace_has_a_row_per_block(schedule: str) -> None:
    if unavailable(schedule):
        return
    cipher = ParSplit(GCM, BLOCK, 4, schedule, serial_below=0)
    sealed, sealing = cipher.traced(KEY, NONCE, text(BYTES), AAD)
    assert sealed == expected()
    message, opening = cipher.traced(KEY, NONCE, sealed, AAD, op="decrypt")
    assert message == text(BYTES)
    for trace in (sealing, opening):
        assert trace.dtype.names == schedules.TRACE_COLUMNS
        assert np.array_equal(trace["block"], np.arange(-(-BYTES // BLOCK)))
        assert trace["thread"].max() < 4
        assert (trace["start_ns"] <= trace["end_ns"]).all()
        for worker in np.unique(trace["thread"]):
            blocks = np.sort(trace[trace["thread"] == worker], order="start_ns")
            assert (blocks["end_ns"][:-1] <= blocks["start_ns"][1:]).all()


@pytest.mark.alone
def test_delays_scale_ideally_with_the_thread_count() -> None:
    """Threads that only wait run in parallel even if there are more of them than cores."""
    code = """
import time
blocks, block = 64, 4000
def seconds(threads, schedule):
    cipher = ParSplit("baseline/delay", block, threads, schedule, serial_below=0, baseline=True)
    data, out = bytes(blocks * block), bytearray(cipher.sealed_bytes(blocks * block))
    def once():
        start = time.perf_counter()
        cipher.encrypt(b"", bytes(7), data, b"", out)
        return time.perf_counter() - start
    return min(once() for _ in range(5))
for schedule in ("static", "dynamic", "std-threads"):
    for threads in (1, 2, 4, 8, 16):
        ideal = blocks * block * 500e-9 / threads
        ratio = seconds(threads, schedule) / ideal
        assert 0.99 < ratio < 1.25, (schedule, threads, ratio)
"""
    done = in_child(code, AEADLAB_DELAY_NS_PER_BYTE="500")
    assert done.returncode == 0, done.stderr
