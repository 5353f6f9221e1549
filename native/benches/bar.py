"""What a bar is, how two cases of one interleaved run become one, and an implementation timed in this process."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver, share_arena
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.bench.runner import run
from aeadlab.catalogue import load
from aeadlab.progress import bar as progress_bar
from aeadlab.records import Record, from_journal, load_record
from aeadlab.stats import ratio


@dataclass(frozen=True)
class Bar:
    """A number, its 95 % interval, and the bound that it should keep; without one it is shown for what it says."""

    name: str
    value: float
    low: float
    high: float
    bound: float | None
    sense: Literal[">=", "<="]
    unit: str
    note: str

    @property
    def holds(self) -> bool | None:
        """Whether the value keeps the bound; None where there is none."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.sense == ">=" else self.value <= self.bound


@dataclass(frozen=True)
class Absent:
    """A bar that this computer cannot measure, and why."""

    name: str
    why: str


class Keyed:
    """Messages of one length sealed by an AEAD behind the C ABI, its key set up before, in this process.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the implementation does not exist here.
    """

    def __init__(self, implementation: str, bytes: int, placement: Literal["separate", "in-place"]) -> None:
        catalogue = load()
        case = Case(implementation, "seal", bytes, placement=placement)
        self.implementation = catalogue.find(implementation)
        self._driver = driver(case, catalogue, 1)
        share_arena([self._driver], [case], 1)

    def batch(self, seconds: float) -> int:
        """Messages that take so long."""
        return self._driver.calibrate(int(seconds * 1e9))

    def ns(self, batch: int) -> float:
        """Nanoseconds per message, of one batch."""
        return self._driver.sample(batch)[0] / batch

    def cpu_ns(self, batch: int) -> float:
        """The same in CPU time, which is fit for batches of many milliseconds only."""
        return self._driver.sample(batch)[1] / batch


def measured(name: str, cases: Sequence[Case], rounds: int, seconds: float = 0.0) -> Record:
    """All cases in one interleaved run, without verification: what is compared here was verified by its own study."""
    profile = Profile(name, max(c.bytes for c in cases), rounds, 0.0, seconds, budget_seconds=None)
    plan = Plan(name, profile, tuple(dict.fromkeys(cases)))
    with tempfile.TemporaryDirectory() as folder, progress_bar(len(plan.cases) * rounds, name, "sample") as shown:
        journal = run(plan, Path(folder) / "journal", lambda taken, _: shown.update(taken - shown.n))
        if journal.failures:
            raise SystemExit(f"{name}: {journal.failures}")
        return load_record(from_journal(journal, {}, Path(folder)))


def rows(samples: pd.DataFrame, case: Case) -> pd.DataFrame:
    """The samples of one case."""
    wanted: Mapping[str, Any] = case.row()
    mask = pd.Series(True, index=samples.index)
    for column, value in wanted.items():
        mask &= samples[column] == value
    return samples[mask]


def relative_speed(name: str, record: Record, case: Case, reference: Case, bound: float | None, note: str) -> Bar:
    """How fast `case` is, in units of `reference`: the median over rounds, with its interval."""
    found = ratio(rows(record.samples, case), rows(record.samples, reference))
    return Bar(name, found.ratio, found.low, found.high, bound, ">=", "", note)
