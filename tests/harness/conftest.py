"""Fixtures: the harness from a study to its record, with kernels of known run times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aeadlab.bench import lock
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, plugins
from aeadlab.lab.measurement import measure
from aeadlab.records.record import Record
from aeadlab.stats import Comparison, Modes, compare, modes, noise_floor
from aeadlab.studies import Study

HERE = Path(__file__).parent
MARKED = 1003
"""Bytes of the messages that take the planted time; see tests/plugins/planted.c."""
Macros = Mapping[str, object]
Compiled = Callable[..., Path]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("alone")


@dataclass(frozen=True)
class Found:
    """The record of a run and its statistics."""

    record: Record

    def of(self, case: Case) -> pd.DataFrame:
        """Return the valid samples of one case."""
        rows = self.record.samples
        columns = ("implementation", "engine", "model", "bytes", "threads", "replica")
        same = np.logical_and.reduce([rows[name] == getattr(case, name) for name in columns])
        return rows[same & ~rows["warmup"] & (rows["status"] == "ok")]

    def judged(self, baseline: Case, candidate: Case) -> Comparison:
        """Return the verdict with the noise floor of the baseline's engine."""
        rows = self.record.samples
        alike = (rows["engine"] == baseline.engine) & ((rows["threads"] > 1) == (baseline.threads > 1))
        return compare(self.of(baseline), self.of(candidate), noise_floor(rows[alike]))

    def modes(self, case: Case) -> Modes:
        """Return the modes of one case, from samples that were not preempted."""
        rows = self.of(case)
        rows = rows[~rows["flags"].str.contains("preempted")]
        return modes(rows["seconds"], rows["order"], rows["process"])


@dataclass
class Planted:
    """Kernels by name, each an AEAD of a separate library, and runs of them.

    ``planted.run({"steady": {"UNITS": 1000}, "slower": {"UNITS": 1050}}, rounds=30)`` compiles them, verifies them
    against each other, and measures each in every round.
    """

    compiled: Compiled
    folder: Path
    runs: int = field(default=0)

    def case(self, name: str, replica: int = 0) -> Case:
        """Return the case of a kernel."""
        return Case(f"{name}/xor-tag", "seal", MARKED, replica=replica)

    def run(
        self,
        kernels: Mapping[str, Macros],
        *,
        rounds: int,
        replicas: Sequence[int] = (0,),
        processes: int = 1,
        sample_seconds: float = 0.0,
        more: Sequence[Case] = (),
    ) -> Found:
        """Run the kernels; without a sample time each sample is a single execution."""
        named = {name: {"LIBRARY": f'"{name}"', **given} for name, given in kernels.items()}
        made = [self.compiled("planted", MARKED=MARKED, **macros) for macros in named.values()]
        cases = [*(self.case(name, replica) for name in kernels for replica in replicas), *more]

        def chosen(catalogue: Catalogue, profile: Profile, names: Sequence[str] | None) -> list[Case]:
            return cases

        profile = Profile("harness", MARKED, rounds, 0.0, sample_seconds, None, processes)
        self.runs += 1
        study = Study("harness", "Is what was planted found?", chosen)
        return Found(measure(study, profile, plugins=made, folder=self.folder / str(self.runs)))


@pytest.fixture(scope="session")
def planted(compiled: Compiled, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    """Kernels in a separate folder, verified once for all tests."""
    folder = tmp_path_factory.mktemp("harness")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lock, "PATH", folder / "lock")
        patch.setenv("AEADLAB_CACHE", str(folder / "cache"))
        patch.delenv(plugins.VARIABLE, raising=False)
        yield Planted(compiled, folder)
