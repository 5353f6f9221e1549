"""The two stages of tuning: a screening round of all candidates, then the finalists in all their settings."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from aeadlab._native import SERIAL_BELOW
from aeadlab.bench.case import Case
from aeadlab.bench.plan import Plan, with_noise_pairs
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.display import listing
from aeadlab.errors import MeasurementError
from aeadlab.host.load import busy_cores
from aeadlab.lab.measurement.lengths import verify_lengths
from aeadlab.lab.measurement.run import exclude_cases, run_plan
from aeadlab.lab.tuning.candidates import shapes
from aeadlab.lab.tuning.choice import Choice, Processes, Settings, Times, choose, ratio
from aeadlab.lab.tuning.tuned import Row, Tuned
from aeadlab.stats import median_interval, smallest_count

MEMCPY = "baseline/memcpy"

_BLOCK_SIZES = (64 << 10, 256 << 10, 1 << 20)
_SCREENING_BYTES = 8 << 20
_SCREENING_ROUNDS = 3
_FINALISTS = (4, 3, 2)
"""Number of implementations in the second stage; the smaller ones if the time budget does not suffice."""
_MAX_ROUNDS = 60
_PROCESSES = smallest_count()
"""Number of processes that share the rounds of the last stage, the fewest with an interval free of distributions."""
_MEMCPY_BLOCK = 256 << 10


Shapes = Sequence[tuple[int, int]]
"""Pairs of block size in bytes and thread count."""


class Timer:
    """Interleaved runs under the machine lock of descriptor `lock`, with a common budget in seconds."""

    def __init__(self, lock: int, catalogue: Catalogue, plugins: Sequence[Path], budget: float) -> None:
        self._lock = lock
        self._plugins = tuple(map(str, plugins))
        self._catalogue = catalogue
        self._remaining = budget
        self.failures: dict[str, str] = {}
        """Reason of the first failure of each implementation, by name."""

    def fitting_rounds(self, round_seconds: float) -> int:
        """Return the rounds that fit into the rest of the budget beside a warm-up of each process; may be negative."""
        return int(self._remaining / round_seconds) - _PROCESSES

    def time(
        self, cases: Sequence[Case], rounds: int, title: str, processes: int = 1
    ) -> tuple[dict[Case, Times], dict[Case, Times], Processes]:
        """Run cases in interleaved rounds; return seconds of a message, CPU over wall time, and each round's process.

        Each case has a value for each round, NaN where it failed.
        """
        profile = Profile("tune", max(c.bytes for c in cases), rounds, 0.0, 1e-3, None, processes)
        plan = Plan(title, profile, tuple(cases), plugins=self._plugins)
        # The lengths and block sizes follow from earlier stages, so they are compared with other libraries here.
        wrong, _, _ = verify_lengths(cases, self._catalogue, plan.seed)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "journal"
            exclude_cases(plan, path, {c: wrong[c.implementation] for c in cases if c.implementation in wrong})
            journal = run_plan(plan, path, self._lock)
        seconds, cores = ({case: np.full(rounds, np.nan) for case in cases} for _ in range(2))
        process = np.zeros(rounds, dtype=np.int64)
        for index, round, warmup, batch, wall_ns, cpu_ns, *_, number in journal.samples:
            self._remaining -= wall_ns / 1e9
            if not warmup and index not in journal.failures:
                process[round] = number
                seconds[plan.cases[index]][round] = wall_ns / batch / 1e9
                cores[plan.cases[index]][round] = cpu_ns / wall_ns
        for index, reason in journal.failures.items():
            self.failures.setdefault(plan.cases[index].implementation, reason)
        return seconds, cores, process


def measure_candidates(
    implementations: Sequence[Implementation],
    length: int,
    block_size: int | None,
    threads: int,
    timer: Timer,
    excluded: Mapping[str, str],
    machine: Mapping[str, object],
) -> Tuned:
    """Screen all implementations, then measure the fastest ones in all their settings and choose.

    Parameters
    ----------
    implementations
        Verified candidates, in the order of preference; memcpy among them is measured as the memory limit.
    length, block_size, threads
        Bytes of a message, the only block size in bytes if not None, and the largest thread count.
    excluded, machine
        For the result.
    """
    start, busy = time.monotonic(), busy_cores()
    block_sizes = _BLOCK_SIZES if block_size is None else (block_size,)
    candidates = {
        i.name: shapes(length, block_sizes, threads, "thread-safe" in i.description.flags, SERIAL_BELOW)
        for i in implementations
        if i.name != MEMCPY
    }
    screening_bytes = min(length, _SCREENING_BYTES)
    speeds = _screen(candidates, screening_bytes, timer)
    if not speeds:
        raise MeasurementError(f"no candidate could be measured: {'; '.join(listing.named_reasons(timer.failures))}")
    finalists, rounds = _select_finalists(candidates, speeds, length, threads, timer)
    # The A/A pair is of the first case, which therefore is one of the fastest implementation.
    fastest = next(iter(speeds))
    first = (fastest, _widest(candidates[fastest]))
    settings = dict.fromkeys((first, *((name, shape) for name, group in finalists.items() for shape in group)))
    cases = [_case(name, length, *shape) for name, shape in settings]
    limits = {t: _case(MEMCPY, length, min(_MEMCPY_BLOCK, length), t) for t in sorted({c.threads for c in cases})}
    if any(i.name == MEMCPY for i in implementations):
        cases += limits.values()
    seconds, cores, process = timer.time(with_noise_pairs(cases), rounds, "tuning", _PROCESSES)
    repeated = next((times for case, times in seconds.items() if case.replica), None)
    measured = {_settings(case): case for case in cases if case.implementation != MEMCPY}
    choice = choose({key: seconds[case] for key, case in measured.items()}, process, repeated, list(candidates))
    missing = np.full(rounds, np.nan)
    rows = [
        _row(case, seconds[case], seconds.get(limits[case.threads], missing), process, cores[case], choice)
        for case in measured.values()
        if np.count_nonzero(np.isfinite(seconds[case])) >= smallest_count()
    ]
    rows.sort(key=lambda row: -row.gib_per_s)
    return Tuned(
        settings=choice.chosen,
        why=choice.explain(),
        rows=tuple(rows),
        screened={name: speed / 2**30 for name, speed in speeds.items() if name not in finalists},
        excluded={**excluded, **timer.failures},
        bytes=length,
        screening_bytes=screening_bytes,
        machine=dict(machine),
        rounds=rounds,
        seconds=time.monotonic() - start,
        noise=choice.noise,
        busy=max(busy, busy_cores()),
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def _screen(candidates: Mapping[str, Shapes], length: int, timer: Timer) -> dict[str, float]:
    """Return the bytes per second of each implementation that does not fail, with all its threads, fastest first."""
    cases = {name: _case(name, length, *_widest(group)) for name, group in candidates.items()}
    times, _, _ = timer.time(list(cases.values()), _SCREENING_ROUNDS, "screening")
    # The minimum of few times: other programs can only make a time longer.
    fastest = {name: float(np.min(times[case])) for name, case in cases.items() if np.isfinite(times[case]).all()}
    return {name: length / fastest[name] for name in sorted(fastest, key=fastest.__getitem__)}


def _select_finalists(
    candidates: Mapping[str, Shapes], speeds: Mapping[str, float], length: int, threads: int, timer: Timer
) -> tuple[dict[str, Shapes], int]:
    """Return the shapes of the fastest implementations, as many as the time allows, and the number of rounds."""
    for count in _FINALISTS:
        finalists = {name: candidates[name] for name in list(speeds)[:count]}
        # With t threads a message may take threads / t times as long as with all of them.
        cost = sum(length / speeds[name] * threads / t for name, group in finalists.items() for _, t in group)
        if (rounds := timer.fitting_rounds(cost)) >= smallest_count():
            break
    return finalists, min(max(rounds, smallest_count()), _MAX_ROUNDS)


def _widest(group: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Return the shape of the most threads, and of these the one of the smallest blocks."""
    return max(group, key=lambda shape: (shape[1], -shape[0]))


def _case(name: str, length: int, block_size: int, threads: int) -> Case:
    # One-shot, since users of ParSplit give the key with each message.
    op = "encrypt" if name == MEMCPY else "seal"
    return Case(name, op, length, "parsplit", "oneshot", block_size, threads, "dynamic")  # type: ignore[arg-type]


def _settings(case: Case) -> Settings:
    return Settings(case.implementation, case.block_size, case.threads)


def _row(case: Case, seconds: Times, limit: Times, process: Processes, cores: Times, choice: Choice) -> Row:
    taken = np.isfinite(seconds)
    interval = median_interval(seconds[taken], np.flatnonzero(taken), process[taken])
    median, low, high = (case.bytes / 2**30 / value for value in interval)
    share = ratio(limit, seconds, process)[0]
    settings = _settings(case)
    return Row(
        *settings,
        gib_per_s=median,
        low=high,
        high=low,
        memcpy_share=share if isfinite(share) else None,
        equal=settings in choice.equal,
        cores=float(np.nanmedian(cores)),
    )
