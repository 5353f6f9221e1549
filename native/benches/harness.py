"""The overhead of the lab: of a sample, a study of many short cases, reading a record, and the command line."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from benchmark import FULL, Benchmark, Effort, durations, within_one_process

from aeadlab import load
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import NativeDriver, driver, share_arena
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.lab.measurement import measure
from aeadlab.records.reading import load_record
from aeadlab.records.storing import store_journal
from aeadlab.stats import summary
from aeadlab.studies import Study

SHORT = dict.fromkeys(("baseline/memcpy", "baseline/xor"), "encrypt")
SHORT |= dict.fromkeys(("openssl/aes-256-gcm", "aws-lc/aes-256-gcm"), "seal")
CASES, LOADS, LISTINGS = 10_000, 9, 15
# Rounds and processes of `quick`, with samples of 0.2 ms: its samples of 1 ms would take four minutes and hide more of
# the overhead.
PROFILE = Profile("short", CASES, 12, 0.0, 2e-4, None, 3)
MILLION = (1000, 1000)
"""Case count and round count."""


def benchmarks(effort: Effort) -> list[Benchmark]:
    """Return the benchmarks of this file."""
    return [_sample(effort), _study(effort), _record(effort), _listing(effort)]


def _sample(effort: Effort) -> Benchmark:
    """Return the time of a native call with an empty message, less its timed part."""
    case, calls, groups = Case("baseline/memcpy", "encrypt", 0), 2000, effort.rounds(60)
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
    note = (
        "native call with an empty message, including its result tuple; four fifths are the two getrusage calls for "
        "CPU time, page faults and switches; each byte of a message, up to 4096, adds 1 ns for the fingerprint"
    )
    found = within_one_process(np.array(outside[groups // 10 :]))
    return Benchmark.of("overhead of a sample outside its timed part", found, 200, "<=", "ns", note)


def _short_cases(count: int) -> list[Case]:
    lengths = range(1, count // len(SHORT) + 1)
    return [Case(name, op, bytes) for bytes in lengths for name, op in SHORT.items()]  # type: ignore[arg-type]


def _study(effort: Effort) -> Benchmark:
    """Return the share of `aeadlab.measure` that its timed calls take, with the verification done beforehand."""
    count, profile = CASES if effort is FULL else 40, replace(PROFILE, rounds=effort.rounds(PROFILE.rounds))
    study = Study("short-cases", "What does the harness cost?", lambda *_: _short_cases(count))
    with tempfile.TemporaryDirectory() as folder:
        warm = Study("short-cases", "", lambda *_: _short_cases(len(SHORT)))
        measure(warm, Profile("short", 1, 1, 0.0, 0.0, None), folder=Path(folder))
        start = time.perf_counter()
        samples = measure(study, profile, folder=Path(folder)).samples
        wall = time.perf_counter() - start
    counted = int(samples["wall_ns"].sum()) * 1e-9
    share = counted / wall
    note = (
        f"{count} cases of up to {count // len(SHORT)} bytes, {profile.rounds} rounds, samples of 0.2 ms, one run: "
        f"{counted:.1f} of {wall:.1f} s; the rest includes calibration"
    )
    return Benchmark("share of timed calls in a study of 10,000 short cases", share, share, share, 0.8, ">=", "", note)


def _record(effort: Effort) -> Benchmark:
    cases, rounds = (effort.rounds(number) for number in MILLION)
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
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal", plan, list(map(tuple, samples.tolist())))
        path = store_journal(journal, {}, Path(folder)).path
        with machine_lock():
            took = durations(lambda: summary(load_record(path).samples), effort.rounds(LOADS))
    note = f"{cases} cases, {rounds} rounds; {LOADS} times, the first {took[0]:.2f} s"
    return Benchmark.of("time to load and summarise a million samples", within_one_process(took), 1.0, "<=", "s", note)


def _listing(effort: Effort) -> Benchmark:
    """Return the duration of `aeadlab list`, from the start of the process to its end."""
    runs = effort.rounds(LISTINGS)
    command = [sys.executable, "-c", "from aeadlab.cli import main; raise SystemExit(main(['list']))"]
    # The first run fills the file cache and stores the results of loading the plugins.
    took = durations(partial(subprocess.run, command, stdout=subprocess.DEVNULL, check=True), runs + 1)
    note = (
        f"whole process, {runs} runs, warm caches; the longest took {took[1:].max():.2f} s, the first {took[0]:.2f} s"
    )
    return Benchmark.of("duration of aeadlab list", within_one_process(took[1:]), 0.5, "<=", "s", note)
