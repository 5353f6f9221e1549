"""What measuring costs beside what is measured: per sample, per study of many short cases, per record that is read."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bar import Bar

from aeadlab import load
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import NativeDriver, driver, share_arena
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.measurement import measure
from aeadlab.records import from_journal, load_record
from aeadlab.stats import median_interval, summary
from aeadlab.studies import Study

SHORT = {
    "baseline/memcpy": "encrypt",
    "baseline/xor": "encrypt",
    "openssl/aes-256-gcm": "seal",
    "aws-lc/aes-256-gcm": "seal",
}
CASES, LOADS = 10_000, 9
# Rounds and processes of `quick`; its samples of 1 ms would take four minutes, and hide more.
PROFILE = Profile("short", CASES, 12, 0.0, 2e-4, None, 3)
MILLION = (1000, 1000)
"""Cases and rounds."""


def bars() -> list[Bar]:
    """The bars of this file."""
    return [_sample(), _study(), _record()]


def _sample() -> Bar:
    """The native call with nothing to do: all of it is overhead but what the clock covers."""
    case, calls, groups = Case("baseline/memcpy", "encrypt", 0), 2000, 60
    made = driver(case, load(), 1)
    share_arena([made], [case], 1)
    assert isinstance(made, NativeDriver) and made.arena is not None
    sample, arena = made.native.sample, made.arena
    outside = []
    with machine_lock():
        for _ in range(groups):
            start = time.perf_counter_ns()
            rows = [sample(arena, 1) for _ in range(calls)]
            outside.append((time.perf_counter_ns() - start - sum(row[0] for row in rows)) / calls)
    found = median_interval(np.array(outside[groups // 10 :]))
    note = (
        "native call with an empty message, its result made a tuple; four fifths are the two getrusage that give CPU "
        "time, page faults and switches, and each byte of a message adds 1 ns for the fingerprint, to 4096 of them"
    )
    return Bar("a sample costs outside of its timed part", found.estimate, found.low, found.high, 200, "<=", "ns", note)


def _short_cases() -> Iterator[Case]:
    for bytes in range(1, CASES // len(SHORT) + 1):
        for name, op in SHORT.items():
            yield Case(name, op, bytes)  # type: ignore[arg-type]


def _study() -> Bar:
    """The whole of `aeadlab.measure` but for the first verification, which is remembered."""
    study = Study("short-cases", "What does the harness cost?", lambda *_: list(_short_cases()), {}, "")
    with tempfile.TemporaryDirectory() as folder:
        warm = Study("short-cases", "", lambda *_: list(_short_cases())[: len(SHORT)], {}, "")
        measure(warm, Profile("short", 1, 1, 0.0, 0.0, None), folder=Path(folder))
        start = time.perf_counter()
        samples = measure(study, PROFILE, folder=Path(folder)).samples
        wall = time.perf_counter() - start
    counted = int(samples["wall_ns"].sum()) * 1e-9
    share = counted / wall
    note = (
        f"{CASES} cases of up to {CASES // len(SHORT)} bytes, {PROFILE.rounds} rounds, samples of 0.2 ms, one run: "
        f"{counted:.1f} of {wall:.1f} s; calibrating is in the rest"
    )
    return Bar("a study of 10,000 short cases: share in kernels", share, share, share, 0.8, ">=", "", note)


def _record() -> Bar:
    cases, rounds = MILLION
    plan = Plan(
        "million",
        Profile("million", cases, rounds, 0.0, 0.0, None),
        tuple(Case(f"library-{i % 20}/algorithm-{i % 7}", "seal", i + 1) for i in range(cases)),
    )
    samples = np.zeros((cases * rounds, len(SAMPLE_FIELDS)), dtype=np.int64)
    columns = {name: samples[:, index] for index, name in enumerate(SAMPLE_FIELDS)}
    columns["case"][:] = np.tile(np.arange(cases), rounds)
    columns["round"][:] = np.repeat(np.arange(rounds), cases)
    columns["batch"][:] = 1
    columns["wall_ns"][:] = np.random.default_rng(1).lognormal(13, 0.02, len(samples))
    columns["tsc_ticks"][:] = columns["wall_ns"] * 2
    took = []
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", plan, list(map(tuple, samples.tolist())))
        path = from_journal(journal, {}, Path(folder))
        with machine_lock():
            for _ in range(LOADS):
                start = time.perf_counter()
                summary(load_record(path).samples)
                took.append(time.perf_counter() - start)
    found = median_interval(np.array(took))
    note = f"{cases} cases, {rounds} rounds; {LOADS} times, the first {took[0]:.2f} s"
    return Bar(
        "loading and summarising a million samples takes", found.estimate, found.low, found.high, 1.0, "<=", "s", note
    )
