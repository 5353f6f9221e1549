"""Ctrl-C during a long call."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from aeadlab.parsplit import schedules

WITHIN = 0.3
"""Seconds from the signal to the exception, including the wiping of the output."""

CHILD = """
import signal, sys, time
from aeadlab import ParSplit
schedule, placement = sys.argv[1:]
cipher = ParSplit("baseline/delay", 65536, 3, schedule, baseline=True)
data = b"x" * (128 << 20)  # 25 ns for each byte: over a second
out = bytearray(b"\\xaa") * cipher.sealed_bytes(len(data))
view = memoryview(out)[:len(data)]
if placement == "in place":
    view[:] = data
before = signal.getsignal(signal.SIGINT)
print("ready", flush=True)
try:
    cipher.encrypt(b"", bytes(7), view if placement == "in place" else data, b"", out)
except KeyboardInterrupt:
    caught = time.monotonic()
    assert not any(out[:4096]) and out == bytes(len(out)), "the output is not wiped"
    assert signal.getsignal(signal.SIGINT) is before
    print(caught, flush=True)
try:
    signal.raise_signal(signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt:
    print("still works")
"""


@pytest.mark.parametrize("placement", ["separate", "in place"])
@pytest.mark.parametrize("schedule", [name for name in schedules.NAMES if not name.startswith("numba")])
def test_interrupt_returns_soon_and_wipes_the_output(schedule: str, placement: str) -> None:
    if schedule in schedules.absent():
        assert schedules.absent()[schedule]
        return
    command = [sys.executable, "-c", CHILD, schedule, placement]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        time.sleep(0.2)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=30)
    caught, *rest = output.splitlines()
    assert rest == ["still works"], errors
    # The monotonic clock is the same for both processes.
    assert 0 < float(caught) - sent < WITHIN


def test_wiping_a_large_result_is_fast() -> None:
    code = """
import os, signal, threading, time
from aeadlab import ParSplit
cipher = ParSplit("baseline/delay", 65536, 3, baseline=True)
data = bytes(1 << 30)
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.2, interrupt).start()
try:
    cipher.encrypt(b"", bytes(7), data)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True)
    assert 0 < float(done.stdout) < WITHIN


def test_custom_signal_handler_does_not_end_the_call() -> None:
    code = """
import signal, threading, os, time
from aeadlab import ParSplit
handled = []
signal.signal(signal.SIGINT, lambda *_: handled.append(time.monotonic()))
cipher = ParSplit("baseline/delay", 65536, 8, baseline=True)
data = b"x" * (64 << 20)
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
assert bytes(cipher.encrypt(b"", bytes(7), data))[:len(data)] == data
assert handled
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_interrupt_does_not_end_a_call_in_another_thread() -> None:
    code = """
import signal, threading, os
from concurrent.futures import ThreadPoolExecutor
from aeadlab import ParSplit
cipher = ParSplit("baseline/delay", 65536, 8, baseline=True)
data = b"x" * (64 << 20)
with ThreadPoolExecutor(1) as pool:
    done = pool.submit(cipher.encrypt, b"", bytes(7), data)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        done.result()
    except KeyboardInterrupt:
        pass
    else:
        raise SystemExit("no KeyboardInterrupt in the main thread")
    assert bytes(done.result())[:len(data)] == data
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
