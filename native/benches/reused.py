"""ParSplit on two threads against pyca's `encrypt_into` and a copy, called from Python with the same reused memory.

``python native/benches/run.py reused`` runs these benchmarks alone. They need two idle cores.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
from benchmark import Benchmark, Effort, ratio_of_times
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aeadlab import ParSplit, load_plugin
from aeadlab.host.cores import process_cores
from aeadlab.host.load import busy_cores

HERE = Path(__file__).resolve().parent
KIB, MIB = 1 << 10, 1 << 20
AEAD, COPY = "openssl/aes-256-gcm", "copy/ordinary-stores"
FASTER = "libaegis/aegis-128x2"
"""Shows whether a share of the copy below 1 is the cost of ParSplit or that of the cipher."""
# Message length, block size, rounds, and what is compared: measured, reference, lower bound of the relative speed. pyca
# takes messages of less than 2 GiB.
SIZES = (
    (MIB, 64 * KIB, 300, (("two", "one", 1.0), ("two", "pyca", None))),
    (4 * MIB, 64 * KIB, 200, (("two", "pyca", 1.7), ("two", "one", None), ("two", "copy", None))),
    (
        64 * MIB,
        256 * KIB,
        40,
        (("two", "copy", 0.97), ("faster", "copy", None), ("two", "pyca", None), ("two", "one", None)),
    ),
    (
        1024 * MIB,
        256 * KIB,
        12,
        (("two", "copy", 0.97), ("faster", "copy", None), ("two", "pyca", None), ("two", "one", None)),
    ),
)
TITLES = {"two": "2 threads", "one": "1 thread", "pyca": "pyca's encrypt_into", "copy": "a copy in 2 threads"}
TITLES["faster"] = f"{FASTER} in 2 threads"
SAMPLE_BYTES = 16 * MIB
"""Shorter messages are repeated in a sample, as a program does that has many of them."""
MOST_BUSY, GROUP, PATIENCE = 0.1, 0.5, 30.0
"""Cores that other programs may use between two groups of rounds, the duration of a group, and that of waiting for idle
cores; both in seconds."""


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the relative speeds for repeated messages, and for short ones also one by one, after other calls."""
    found = []
    for full, block, rounds, ratios in SIZES:
        length = effort.bytes(full)
        calls = prepared(length, block)
        runs = {"": (max(1, SAMPLE_BYTES // length), rounds)}
        if full < SAMPLE_BYTES:
            runs[", one by one"] = 1, 2 * rounds
        for how, (repeats, count) in runs.items():
            times, idle = interleaved(calls, repeats, effort.rounds(count), effort.seconds(PATIENCE))
            for name, reference, bound in ratios:
                judged = bound if idle and not how else None
                found.append(_benchmark(times, full, block, name, reference, judged, how, idle))
    return found


def prepared(length: int, block: int) -> dict[str, Callable[[], object]]:
    """Return the calls that encrypt or copy one message from and to the same memory."""
    key, data = bytes(range(32)), np.ones(length, np.uint8).data
    out = np.ones(length + 16 * -(-length // block), np.uint8).data
    whole, pyca = out[: length + 16], AESGCM(key)
    copy()
    ciphers = {"two": ParSplit(AEAD, block, 2), "one": ParSplit(AEAD, block, 1)}
    ciphers["copy"] = ParSplit(COPY, block, 2, baseline=True)
    ciphers["faster"] = ParSplit(FASTER, block, 2)
    calls = {
        name: partial(cipher.with_key(key[: cipher.key_bytes]).encrypt_into, bytes(cipher.nonce_bytes), data, None, out)
        for name, cipher in ciphers.items()
    }
    return {**calls, "pyca": partial(pyca.encrypt_into, bytes(12), data, None, whole)}


def interleaved(
    calls: dict[str, Callable[[], object]], repeats: int, rounds: int, patience: float
) -> tuple[dict[str, np.ndarray], bool]:
    """Return the times of all calls in each round, in a random order, and whether other programs left the cores idle.

    The rounds are taken in groups. While `patience` lasts, in seconds, a group waits until the cores are idle, and is
    dropped if they are not idle after it: a thread that another program keeps from its core shows nothing of ParSplit.
    """
    random, names = np.random.default_rng(1), list(calls)
    times: dict[str, list[float]] = {name: [] for name in names}
    end, idle = time.monotonic() + patience, True
    for call in calls.values():
        call()
    while len(times[names[0]]) < rounds:
        before = busy_cores()
        if before > MOST_BUSY and time.monotonic() < end:
            continue
        group: dict[str, list[float]] = {name: [] for name in names}
        stop = time.monotonic() + GROUP
        while time.monotonic() < stop and len(times[names[0]]) + len(group[names[0]]) < rounds:
            for index in random.permutation(len(names)):
                call = calls[names[index]]
                start = time.perf_counter()
                for _ in range(repeats):
                    call()
                group[names[index]].append((time.perf_counter() - start) / repeats)
        undisturbed = max(before, busy_cores()) <= MOST_BUSY
        if undisturbed or time.monotonic() >= end:
            idle = idle and undisturbed
            for name in names:
                times[name] += group[name]
    return {name: np.array(found) for name, found in times.items()}, idle


def _benchmark(
    times: dict[str, np.ndarray],
    length: int,
    block: int,
    name: str,
    reference: str,
    bound: float | None,
    how: str,
    idle: bool,
) -> Benchmark:
    speeds = {key: length / np.median(found) / (1 << 30) for key, found in times.items()}
    shown = ", ".join(f"{TITLES[key]} {speed:.1f}" for key, speed in speeds.items())
    note = f"{AEAD}, {block // KIB} KiB blocks, reused memory, {process_cores()} cores; GiB/s: {shown}"
    note += "" if idle else "; NOT JUDGED, because other programs used the cores"
    title = f"{TITLES[name]} over {TITLES[reference]}, {length // MIB} MiB{how}"
    return Benchmark.of(title, ratio_of_times(times[reference], times[name]), bound, ">=", "", note)


@cache
def copy() -> None:
    """Compile and register the copy of copy.c."""
    target = HERE.parents[1] / "build" / "copy.so"
    target.parent.mkdir(exist_ok=True)
    flags = ["-O3", "-march=native", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{HERE.parent / 'include'}"]
    subprocess.run([os.environ.get("CC", "cc"), *flags, HERE / "copy.c", "-o", target], check=True)
    load_plugin(target)
