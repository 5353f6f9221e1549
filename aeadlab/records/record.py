"""A record: the samples of one run with their provenance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.display import listing
from aeadlab.display.markup import element, join, paragraph
from aeadlab.display.printable import printable
from aeadlab.host.cores import recorded_cores
from aeadlab.host.cpu_name import cpu_name
from aeadlab.paths import is_reference
from aeadlab.stats import medians
from aeadlab.stats.selection import counted


def message_lengths(samples: pd.DataFrame) -> list[int]:
    """Return the bytes of the messages of samples in ascending order: of cells each, of generators the whole output."""
    cases = samples[["engine", "bytes", "block_size"]].drop_duplicates()
    lengths = cases["bytes"].where(cases["engine"].astype(str).ne("cells"), cases["block_size"])
    return sorted({int(length) for length in lengths})


@dataclass(frozen=True)
class Record:
    """A stored run.

    Attributes
    ----------
    path
        The Parquet file.
    samples
        One row per sample, columns as in ``data/README.md``; a failed case has one more row, with its reason.
    provenance
        Machine, builds, versions, plan and seed of the run.
    """

    path: Path
    samples: pd.DataFrame
    provenance: dict[str, Any]

    @property
    def name(self) -> str:
        """File name of the record in printable text."""
        return printable(self.path.name)

    @property
    def study(self) -> str:
        """Name of the study."""
        return str(self.provenance["plan"]["study"])

    @property
    def profile(self) -> Profile:
        """Profile of the run."""
        return Profile.from_json(self.provenance["plan"]["profile"])

    @property
    def cases(self) -> list[Case]:
        """The cases that have samples or a reason, without the second arms of A/A pairs."""
        columns = [field.name for field in fields(Case)]
        first = self.samples.loc[self.samples["replica"] == 0, columns].drop_duplicates()
        rows: list[dict[str, Any]] = first.to_dict("records")  # type: ignore[assignment]
        return [Case.from_row(row) for row in rows]

    @property
    def machine(self) -> dict[str, Any]:
        """Facts of the computer, as returned by `aeadlab.host.machine.facts`; empty where they were not stored."""
        return self.provenance.get("machine") or {}

    @property
    def cores(self) -> int | None:
        """Number of logical CPUs that the run could use; see `aeadlab.host.cores.recorded_cores`."""
        return recorded_cores(self.machine)

    @property
    def caches(self) -> dict[str, int]:
        """Bytes of one instance of each data or unified cache, by level: ``{"L1": 32768}``."""
        return {
            f"L{cache['level']}": cache["size"]
            for cache in self.machine.get("caches") or ()
            if cache.get("type") != "instruction" and cache.get("size")
        }

    @property
    def refused(self) -> dict[str, str]:
        """Reason for each implementation that was excluded before timing."""
        return self.provenance.get("refused") or {}

    @property
    def not_timed(self) -> dict[str, str]:
        """Reason for each excluded implementation and, by its label, for each failed case."""
        failed = self.samples[self.samples["status"].str.startswith("failed: ") & (self.samples["order"] < 0)]
        rows: list[dict[str, Any]] = failed.to_dict("records")  # type: ignore[assignment]
        cases = {Case.from_row(row).label: row["status"].removeprefix("failed: ") for row in rows}
        return {**self.refused, **cases}

    @cached_property
    def _medians(self) -> pd.DataFrame:
        return medians(self.samples) if counted(self.samples).any() else pd.DataFrame()

    def _summary(self) -> str:
        return (
            f"study {self.study}, profile {self.provenance['plan']['profile']['name']}, {len(self._medians)} cases, "
            f"{int(counted(self.samples).sum())} samples, {cpu_name(self.machine) or 'unknown CPU'}"
            f"{', a reference record, not measured here' if is_reference(self.path) else ''}"
        )

    def __repr__(self) -> str:
        reasons = (f"not timed: {reason}" for reason in listing.named_reasons(self.not_timed))
        lines = [f"<Record {self.name}: {self._summary()}>", *listing.as_text(self._medians), *reasons]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        return join(
            [
                paragraph(element("b", self.name), f": {self._summary()}"),
                listing.as_html(self._medians),
                listing.reasons_html("Not timed:", self.not_timed),
            ]
        )
