"""The lab's own AES-GCM, and one standard message on two threads, against other libraries, ParSplit and copies.

``python native/benches/run.py one_message`` runs these benchmarks alone. They need two idle cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from benchmark import (
    Absent,
    Benchmark,
    Effort,
    measured,
    native_case,
    ratio_of_times,
    relative_speed,
    rows,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as Pyca
from reused import interleaved

from aeadlab import AESGCM, ParSplit, _native, load
from aeadlab.bench.case import Case
from aeadlab.host.cores import process_cores
from aeadlab.lab.measurement.select import find_implementations
from aeadlab.stats import summary

KIB, MIB = 1 << 10, 1 << 20
OWN, LIBRARY = "aeadlab/aes-256-gcm", "openssl/aes-256-gcm"
LINKED = (LIBRARY, "aws-lc/aes-256-gcm", "boringssl/aes-256-gcm")
# Lower bound of the speed relative to the fastest library, by message length.
KERNEL = {64: 0.9, KIB: 0.9, 4 * KIB: 0.9, 16 * KIB: 1.0, MIB: 1.0}
LONG = {64 * MIB: 30, 1024 * MIB: 12}
"""Round counts by message length."""
SEGMENT = 256 * KIB
IN_CACHE, IN_A_ROW = MIB, 64
"""Length of a message in cache, and how many of them a sample has: the first one finds its memory evicted."""
PATIENCE, PAUSE = 30.0, 0.02
"""Time that is spent waiting for idle cores, and between two messages, in seconds."""
# Title, what is measured, its limit, and the lower bound of the relative speed.
OF_LIMITS = (
    ("one message, own kernel, 2 threads", "message", "streaming", 0.90),
    ("ParSplit, own kernel, 2 threads", "split", "streaming", 0.90),
    (f"one message, {LIBRARY}, 2 threads", "library message", "ordinary", 0.97),
    (f"ParSplit, {LIBRARY}, 2 threads", "library split", "ordinary", 0.97),
    (f"one message over ParSplit, {LIBRARY}, 2 threads", "library message", "library split", 0.97),
    (f"own kernel over {LIBRARY}, one message, 2 threads", "message", "library message", 1.0),
    (f"own kernel over {LIBRARY}, one message, 1 thread", "message, 1 thread", "library message, 1 thread", 1.2),
)
Calls = dict[str, Callable[[], object]]


def benchmarks(effort: Effort) -> list[Benchmark | Absent]:
    """Return the benchmarks of this file."""
    found = [*_kernel(effort), *_splitting(effort)]
    for length, rounds in LONG.items():
        found += _limits(effort, length, rounds)
    return [*found, _against_pyca(effort), *_short_pauses(effort)]


def _kernel(effort: Effort) -> list[Benchmark | Absent]:
    """Return the speed of the own kernel in cache relative to the fastest library of each length."""
    found: list[Benchmark | Absent] = []
    for length, bound in KERNEL.items():
        cases = {name: Case(name, "seal", length) for name in (OWN, *LINKED)}
        available, absent = find_implementations(cases.values(), load())
        record = measured("own kernel", [cases[name] for name in available], effort.rounds(36), effort.seconds(1e-3))
        others = [name for name in available if name != OWN]
        medians = {name: summary(rows(record.samples, cases[name]))["median"].item() for name in others}
        fastest = min(medians, key=medians.__getitem__)
        title = f"{OWN} over the fastest library, 1 thread, {_named(length)}"
        note = f"keyed, separate output; the fastest of {', '.join(medians)} is {fastest}"
        found.append(relative_speed(title, record, cases[OWN], cases[fastest], bound, note))
        found += [Absent(f"{title}: {name}", reason) for name, reason in absent.items()]
    return found


def _splitting(effort: Effort) -> list[Benchmark]:
    """Return the speed of ParSplit with blocks of 16 KiB relative to the whole message; the paper has 0.776."""
    found = []
    for name in (OWN, LIBRARY):
        whole = Case(name, "seal", IN_CACHE)
        split = Case(name, "seal", IN_CACHE, "parsplit", block_size=16 * KIB, threads=1, schedule="dynamic")
        record = measured("own kernel in blocks", [whole, split], effort.rounds(36), effort.seconds(1e-3))
        title = f"{name}: ParSplit, 1 thread, 16 KiB blocks, against whole message"
        bound = 0.97 if name == OWN else None
        found.append(relative_speed(title, record, split, whole, bound, "1 MiB, keyed, separate output"))
    return found


def _limits(effort: Effort, full: int, rounds: int) -> list[Benchmark]:
    """Return the speed of long messages relative to the slower of twice one thread in cache and a copy."""
    length, key = effort.bytes(full), bytes(range(32))
    data, out = np.ones(length, np.uint8).data, np.ones(length + 16 * -(-length // SEGMENT), np.uint8).data
    calls: Calls = {}
    for prefix, name, implementation in (("", OWN, None), ("library ", LIBRARY, LIBRARY)):
        split = ParSplit(name, SEGMENT, 2).with_key(key)
        calls[f"{prefix}split"] = partial(split.encrypt_into, bytes(7), data, None, out)
        for threads, suffix in ((2, ""), (1, ", 1 thread")):
            message = AESGCM(key, threads, implementation=implementation, segment_bytes=SEGMENT)
            calls[f"{prefix}message{suffix}"] = partial(message.encrypt_into, bytes(12), data, None, out[: length + 16])
        short = min(length, IN_CACHE)
        single = AESGCM(key, 1, implementation=implementation)
        calls[f"{prefix}in cache"] = partial(_repeat, single, data[:short], out[: short + 16])
    arena = _native.Arena(length, 64, 1)
    for name in ("copy", "copy-stream"):
        copy = native_case(f"baseline/{name}", "encrypt", length, threads=2, block_size=SEGMENT)
        calls[name] = partial(copy.sample, arena, 1)
    times, idle = interleaved(calls, 1, effort.rounds(rounds), effort.seconds(PATIENCE))
    scale = length / min(length, IN_CACHE) / IN_A_ROW / 2
    limits = {
        "streaming": np.maximum(times["in cache"] * scale, times["copy-stream"]),
        "ordinary": np.maximum(times["library in cache"] * scale, times["copy"]),
    }
    lengths = {name: IN_A_ROW * min(length, IN_CACHE) if name.endswith("in cache") else length for name in times}
    speeds = ", ".join(f"{name} {lengths[name] / np.median(taken) / (1 << 30):.1f}" for name, taken in times.items())
    note = f"{SEGMENT // KIB} KiB segments and blocks, reused memory, {process_cores()} cores; GiB/s: {speeds}"
    note += "" if idle else "; NOT JUDGED, because other programs used the cores"
    found = []
    for title, name, limit, bound in OF_LIMITS:
        reference = limits.get(limit, times.get(limit))
        assert reference is not None
        of = f" of the slower of twice 1 thread in cache and a copy with {limit} stores" if limit in limits else ""
        ratio = ratio_of_times(reference, times[name])
        found.append(Benchmark.of(f"{title}, {_named(full)}{of}", ratio, bound if idle else None, ">=", "", note))
        note = "in the same run"
    return found


def _repeat(cipher: AESGCM, data: memoryview, out: memoryview) -> None:
    for _ in range(IN_A_ROW):
        cipher.encrypt_into(bytes(12), data, None, out)


def _against_pyca(effort: Effort) -> Benchmark:
    """Return the speed of a call with a new result relative to pyca's."""
    length, key = effort.bytes(64 * MIB), bytes(range(32))
    data = np.ones(length, np.uint8).data
    calls: Calls = {
        "own": partial(AESGCM(key).encrypt, bytes(12), data, None),
        "pyca": partial(Pyca(key).encrypt, bytes(12), data, None),
    }
    times, idle = interleaved(calls, 1, effort.rounds(40), effort.seconds(PATIENCE))
    speeds = ", ".join(f"{name} {length / np.median(taken) / (1 << 30):.1f}" for name, taken in times.items())
    title = "AESGCM.encrypt over pyca's, 64 MiB, new result"
    return Benchmark.of(title, ratio_of_times(times["pyca"], times["own"]), 4.0 if idle else None, ">=", "", speeds)


def _short_pauses(effort: Effort) -> list[Benchmark]:
    """Return the speed of two threads relative to twice one thread, for messages of 4 MiB."""
    length, key = effort.bytes(4 * MIB), bytes(range(32))
    data, out = np.ones(length, np.uint8).data, np.ones(length + 16, np.uint8).data
    one, two = (partial(AESGCM(key, threads).encrypt_into, bytes(12), data, None, out) for threads in (1, 2))
    found = []
    for how, pause in (("back to back", 0.0), ("with pauses", effort.seconds(PAUSE))):
        times: dict[str, list[float]] = {"one": [], "two": []}
        for _ in range(effort.rounds(300)):
            for name, call in (("one", one), ("two", two)):
                call() if not pause else time.sleep(pause)
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
        ratio = ratio_of_times(np.array(times["one"]) / 2, np.array(times["two"]))
        title = f"2 threads over twice 1 thread, one message of 4 MiB, {how}"
        found.append(Benchmark.of(title, ratio, 0.85, ">=", "", "own kernel, reused memory"))
    return found


def _named(length: int) -> str:
    for factor, unit in ((1 << 30, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if length >= factor:
            return f"{length // factor} {unit}"
    return f"{length} B"
