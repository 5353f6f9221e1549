"""Benchmarks of the lab itself, their effort, and two ways of measuring: interleaved runs and calls in this process."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver, share_arena
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.bench.runner import run
from aeadlab.catalogue import Catalogue, load
from aeadlab.display.progress import bar as progress_bar
from aeadlab.records.record import Record
from aeadlab.records.storing import store_journal
from aeadlab.stats import median_interval, ratio
from aeadlab.stats.interval import Interval


@dataclass(frozen=True)
class Effort:
    """The size of a run: full, or smoke, which executes every statement but takes too few samples for a conclusion."""

    max_bytes: int
    max_rounds: int
    """Limit of sample counts; six is the smallest count with an interval."""
    max_seconds: float
    """Limit of the duration of one sample, and of one run of another program."""

    def bytes(self, length: int) -> int:
        """Return the message length to measure instead of `length`."""
        return min(length, self.max_bytes)

    def rounds(self, count: int) -> int:
        """Return the sample count to take instead of `count`."""
        return min(count, self.max_rounds)

    def seconds(self, duration: float) -> float:
        """Return the sample duration to use instead of `duration`."""
        return min(duration, self.max_seconds)


FULL = Effort(1 << 62, 1 << 30, float("inf"))
SMOKE = Effort(1 << 20, 6, 1e-3)


@dataclass(frozen=True)
class Benchmark:
    """A measured number with its 95 % interval and the bound that it must keep; None if it is only shown."""

    name: str
    value: float
    low: float
    high: float
    bound: float | None
    sense: Literal[">=", "<="]
    unit: str
    note: str

    @classmethod
    def of(
        cls, name: str, found: Interval, bound: float | None, sense: Literal[">=", "<="], unit: str, note: str
    ) -> Self:
        """Return a benchmark whose value is an estimate with its interval."""
        return cls(name, found.estimate, found.low, found.high, bound, sense, unit, note)

    @property
    def holds(self) -> bool | None:
        """Whether the value is within the bound; None without a bound."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.sense == ">=" else self.value <= self.bound


@dataclass(frozen=True)
class Absent:
    """A benchmark that cannot run on this computer, with the reason."""

    name: str
    why: str


class Keyed:
    """Seals messages of one length in this process, with an AEAD behind the C ABI whose key is set up beforehand."""

    def __init__(self, implementation: str, bytes: int, placement: Literal["separate", "in-place"]) -> None:
        catalogue = load()
        case = Case(implementation, "seal", bytes, placement=placement)
        self.implementation = catalogue.find(implementation)
        self._driver = driver(case, catalogue, 1)
        share_arena([self._driver], [case], 1)

    def batch(self, seconds: float) -> int:
        """Return the number of messages that take this long."""
        return self._driver.calibrate(int(seconds * 1e9))

    def ns(self, batch: int) -> float:
        """Return the wall time of one batch, in nanoseconds per message."""
        return self._driver.sample(batch)[0] / batch

    def cpu_ns(self, batch: int) -> float:
        """Return the CPU time of one batch, in nanoseconds per message; batches take many milliseconds."""
        return self._driver.sample(batch)[1] / batch


def native_case(name: str, op: str, bytes: int, catalogue: Catalogue | None = None, **dimensions: Any) -> _native.Case:
    """Return a keyed case of ParSplit with one thread, or with other `dimensions`, to be sampled without a plan."""
    defaults = {"engine": "parsplit", "model": "keyed", "block_size": 0, "threads": 1, "schedule": "dynamic"}
    defaults |= {"placement": "separate", "serial_below": None, "cold": False}
    implementation: Any = (catalogue or load()).find(name)
    return _native.Case(implementation.native, op=op, bytes=bytes, **defaults | dimensions)


def alternating(first: Callable[[], float], second: Callable[[], float], rounds: int) -> np.ndarray:
    """Return the results of both calls in each round, shape (2, rounds).

    The order alternates, because the first call of a round changes the cache state for the second.
    """
    pairs = []
    for round in range(rounds):
        if round % 2:
            result = first()
            pairs.append((result, second()))
        else:
            other = second()
            pairs.append((first(), other))
    return np.array(pairs, dtype=float).T


def durations(call: Callable[[], object], runs: int) -> np.ndarray:
    """Return the wall time of each of several calls in seconds."""
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return np.array(took)


def measured(name: str, cases: Sequence[Case], rounds: int, seconds: float = 0.0) -> Record:
    """Measure all cases in one interleaved run, without the verification that their own studies perform."""
    profile = Profile(name, max(c.bytes for c in cases), rounds, 0.0, seconds, budget_seconds=None)
    plan = Plan(name, profile, tuple(dict.fromkeys(cases)))
    with tempfile.TemporaryDirectory() as folder, progress_bar(len(plan.cases) * rounds, name, "sample") as shown:
        journal = run(plan, Path(folder) / "journal", lambda taken, _: shown.update(taken - shown.n))
        if journal.failures:
            raise SystemExit(f"{name}: {journal.failures}")
        return store_journal(journal, {}, Path(folder))


def rows(samples: pd.DataFrame, case: Case) -> pd.DataFrame:
    """Return the samples of one case."""
    dimensions = case.row()
    return samples[(samples[list(dimensions)] == pd.Series(dimensions)).all(axis=1)]


def within_one_process(values: np.ndarray) -> Interval:
    """Return the median of rounds of this process; the interval leaves out the differences between processes."""
    return median_interval(values, np.arange(len(values)), np.zeros(len(values)))


def ratio_of_times(times: np.ndarray, reference: np.ndarray) -> Interval:
    """Return the median of `times` over `reference`, paired by round."""
    return Interval(*map(float, np.exp(within_one_process(np.log(times / reference)))))


def relative_speed(name: str, record: Record, case: Case, reference: Case, bound: float | None, note: str) -> Benchmark:
    """Return the speed of `case` relative to `reference`, paired by round."""
    found = ratio(rows(record.samples, case), rows(record.samples, reference))
    return Benchmark(name, found.ratio, found.low, found.high, bound, ">=", "", note)
