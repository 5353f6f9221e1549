"""The results that the sections of a report share, each computed on first use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab import stats
from aeadlab.bench.case import Case
from aeadlab.catalogue.kinds import KINDS, UNPROTECTED
from aeadlab.dimensions import DEFAULT_CONDITIONS
from aeadlab.display.progress import bar
from aeadlab.errors import UnknownNameError
from aeadlab.host import doctor
from aeadlab.host.doctor import Finding
from aeadlab.records.record import Record
from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import unit as unit_of
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.processes import joint_level
from aeadlab.stats.roofline import shares_of_memcpy
from aeadlab.stats.selection import usable
from aeadlab.studies import Study, find_study

MAX_CASES = 2000
"""Maximum number of listed cases; a page with more would have several megabytes."""

RUN_FINDINGS = ("load", "steal", "cgroup-throttled", "thermal")
"""Findings that the doctor derives from facts before and after the run; a record contains only those after it."""

_OPS = ("seal", "encrypt", "digest", "open", "decrypt")
_CASE = list(stats.CASE_COLUMNS)


@dataclass(frozen=True)
class Failure:
    """The failed cases of one implementation with one reason.

    Attributes
    ----------
    cases
        Their number.
    first
        The label of the first of them.
    """

    implementation: str
    reason: str
    cases: int
    first: str


@dataclass(frozen=True)
class Leader:
    """The fastest implementation of a kind, in its fastest case.

    Attributes
    ----------
    row
        Its row of `Analysis.cases`.
    low, high
        Interval of its median in seconds, which holds for all `candidates` at once (Bonferroni), since it was chosen.
    candidates
        Number of cases of which it is the fastest: of all implementations, in all conditions that vary.
    unit
        What the comparisons with the others come from, in words; ``""`` without others.
    rivals
        Number of other implementations with the same operation and message size.
    indistinguishable
        Those of them that are not slower by more than the noise floor.
    noise
        The noise floor of all of them.
    """

    kind: str
    row: Mapping[Any, Any]
    low: float
    high: float
    candidates: int
    unit: str
    rivals: int
    indistinguishable: tuple[str, ...]
    noise: stats.NoiseFloor


class Analysis:
    """A record and the results derived from it.

    Attributes
    ----------
    provenance
        The provenance of the record, in which any key may be missing.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.provenance: Mapping[str, Any] = record.provenance

    def section(self, key: str) -> Mapping[str, Any]:
        """Return a mapping of the provenance, or an empty one if the record does not have it."""
        part = self.provenance.get(key)
        return part if isinstance(part, Mapping) else {}

    @property
    def notes(self) -> Sequence[Mapping[str, Any]]:
        """Events of the run: process starts, time spent, and limits of the time budget."""
        return self.provenance.get("notes") or ()

    @cached_property
    def study(self) -> Study | None:
        """The record's study, or None if this version of aeadlab does not have it."""
        try:
            return find_study(self.record.study)
        except UnknownNameError:
            return None

    @cached_property
    def _rows(self) -> pd.DataFrame:
        columns = ("round", "order", "process", "seconds", "flags")
        return usable(self.record.samples, [*_CASE, *columns])

    @cached_property
    def _groups(self) -> Groups:
        return Groups.of(self._rows, _CASE)

    @cached_property
    def cases(self) -> pd.DataFrame:
        """One row for each case with samples: `stats.summary`, ``limit``, ``share``, ``share_low``, ``share_high``.

        The shares of memcpy are in the columns of `aeadlab.stats.roofline.shares_of_memcpy`.
        The index is the argument of `samples_of` and `flags_of`.
        """
        table = stats.summary(self.record.samples)
        shares = stats.roofline_share(self.record.samples)[[*_CASE, "limit", "share", "low", "high"]]
        shares = shares.rename(columns={"low": "share_low", "high": "share_high"})
        table = table.merge(shares, on=_CASE, how="left")
        return table.merge(shares_of_memcpy(self.record.samples), on=_CASE, how="left")

    def samples_of(self, case: int) -> pd.DataFrame:
        """Return the counted samples of a row of `cases`."""
        return self._rows.iloc[self._positions_of(case)]

    def _positions_of(self, case: int) -> NDArray[np.intp]:
        groups = self._groups
        start = groups.starts[case]
        return groups.order[start : start + groups.sizes[case]]

    @cached_property
    def listed(self) -> dict[str, pd.DataFrame]:
        """Sorted rows of `cases` by kind; if there are more than `MAX_CASES`, the fastest of each kind."""
        kinds = sorted(set(self.cases["kind"]), key=lambda kind: (_position(kind, KINDS), kind))
        order = ["op", "bytes", "median", *_CASE]

        def sort_key(column: pd.Series[Any]) -> pd.Series[Any]:
            return column.map(lambda op: _position(op, _OPS)) if column.name == "op" else column

        listed = {}
        for kind in kinds:
            rows = self.cases[self.cases["kind"] == kind]
            if len(self.cases) > MAX_CASES:
                rows = rows.nlargest(MAX_CASES // len(kinds), "gib_per_s")
            listed[kind] = rows.sort_values(order, kind="stable", key=sort_key)
        return listed

    @cached_property
    def modes(self) -> dict[int, stats.Modes]:
        """The modes and drift of each listed case, by its index in `cases`."""
        listed = [int(case) for rows in self.listed.values() for case in rows.index]
        modes = {}
        # Selecting rows of a frame takes longer than the statistics.
        columns = [self._rows[name].to_numpy(np.float64) for name in ("seconds", "order", "process")]
        with bar(len(listed), "drawing", "case") as progress:
            for case in listed:
                rows = self._positions_of(case)
                modes[case] = stats.modes(*(column[rows] for column in columns))
                progress.update()
        return modes

    @cached_property
    def common_flags(self) -> list[str]:
        """Flags of all samples, which concern the run and not a case."""
        texts = self._rows["flags"].unique()
        first, *others = [text.split() for text in texts] or [[]]
        return [flag for flag in first if all(flag in other for other in others)]

    def flags_of(self, case: int) -> Counter[str]:
        """Return the number of samples with each flag except `common_flags`, for a row of `cases`."""
        counts: Counter[str] = Counter()
        for text, number in self.samples_of(case)["flags"].value_counts().items():
            for flag in str(text).split():
                counts[flag] += number
        return Counter({flag: n for flag, n in sorted(counts.items()) if flag not in self.common_flags})

    @cached_property
    def noise(self) -> stats.NoiseFloor:
        """The noise floor of the run, from all its A/A pairs."""
        return stats.noise_floor(self.record.samples)

    @cached_property
    def failures(self) -> list[Failure]:
        """Failed cases, grouped by implementation and reason."""
        rows = self.record.samples[self.record.samples["order"] < 0]
        labels: dict[tuple[str, str], list[str]] = {}
        for row in _records(rows):
            reason = str(row["status"]).removeprefix("failed: ")
            labels.setdefault((str(row["implementation"]), reason), []).append(Case.from_row(row).label)
        return [Failure(name, reason, len(cases), cases[0]) for (name, reason), cases in sorted(labels.items())]

    @cached_property
    def unmeasured(self) -> list[str]:
        """Labels of the planned cases that have neither a counted sample nor a failure."""
        samples = self.record.samples
        rows = pd.concat([self.cases[_CASE], samples.loc[samples["order"] < 0, _CASE]], ignore_index=True)
        present = {Case.from_row(row) for row in _records(rows.drop_duplicates())}
        planned = map(Case.from_row, self.section("plan").get("cases", ()))
        return [case.label for case in planned if case not in present]

    @cached_property
    def findings(self) -> list[Finding]:
        """The doctor's findings for the stored facts, the most severe first; see `RUN_FINDINGS`."""
        quality = self.provenance.get("quality")
        findings = [_at_end_of_run(finding, quality) for finding in doctor.findings(self.record.machine)]
        severity = {level: -place for place, level in enumerate(doctor.LEVELS)}
        return sorted(findings, key=lambda finding: (severity[finding.level], finding.value == doctor.UNKNOWN))

    @cached_property
    def leaders(self) -> list[Leader]:
        """The fastest implementation of each kind in the record, without those that protect no data (`UNPROTECTED`)."""
        implementations = self.section("implementations")
        flags = {name: set(facts.get("flags") or ()) for name, facts in implementations.items()}
        excluded = self.cases["implementation"].map(lambda name: bool(UNPROTECTED & flags.get(name, set())))
        rows = self.cases[~excluded.astype(bool) & (self.cases["replica"] == 0)]
        return [self._leader(kind, rows[rows["kind"] == kind]) for kind in KINDS if (rows["kind"] == kind).any()]

    def _leader(self, kind: str, rows: pd.DataFrame) -> Leader:
        rows = rows[rows["op"] == min(rows["op"], key=lambda op: _position(op, _OPS))]
        rows = rows[rows["bytes"] == rows["bytes"].max()]
        # Cold caches and hidden CPU features are deliberate limits, so these cases are no rivals of the others.
        for column, default in DEFAULT_CONDITIONS.items():
            comparable = rows[column] == default
            rows = rows[comparable] if comparable.any() and column != "placement" else rows
        best = rows.sort_values("median", kind="stable").drop_duplicates("implementation")
        first, *others = best.index
        noise = stats.noise_floor(self.record.samples, best)
        slower, unit = self._slower(first, others, noise, len(rows)) if others else (set(), "")
        equal = [str(best.loc[other, "implementation"]) for other in others if other not in slower]
        chosen, level = self.samples_of(first), joint_level(len(rows))
        # Of logarithms, because the t interval of a few processes can reach below 0.
        logs = np.log(chosen["seconds"].to_numpy(dtype=np.float64))
        _, low, high = np.exp(stats.median_interval(logs, chosen["round"], chosen["process"], level)).tolist()
        return Leader(kind, best.loc[first].to_dict(), low, high, len(rows), unit, len(others), tuple(equal), noise)

    def _slower(
        self, first: int, others: Sequence[int], noise: stats.NoiseFloor, candidates: int
    ) -> tuple[set[int], str]:
        """Return which cases are slower than the first by more than the noise floor, and of how many processes.

        The level holds for all pairs of the candidates, of which the samples chose the first and the others.
        """
        fastest = self.samples_of(first)
        # One table of all pairs: a comparison of each takes a minute for a thousand cases.
        places = [self._positions_of(case) for case in others]
        rows = self._rows[["process", "round", "seconds"]].iloc[np.concatenate(places)]
        rows = rows.assign(case=np.repeat(others, [place.size for place in places]))
        table = relative_speed(rows, fastest, ["case"], [], stats.confidence_of_chosen(candidates))
        # A ratio is that of speeds; one without a common round is NaN, and no verdict.
        ends = zip(1 / table["high"], 1 / table["low"], strict=True)
        verdicts = [
            stats.verdict(low, high, noise, processes)
            for (low, high), processes in zip(ends, table["processes"], strict=True)
        ]
        slower = {int(case) for case, found in zip(table["case"], verdicts, strict=True) if found == "slower"}
        return slower, unit_of(int(table["processes"].min()), int(table["pairs"].min()))


def _position(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else len(names)


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return rows.to_dict("records")  # type: ignore[return-value]


def _at_end_of_run(finding: Finding, quality: Sequence[str] | None) -> Finding:
    """Return a finding of `RUN_FINDINGS` with the level that the quality flags of the run state, others unchanged."""
    if finding.name not in RUN_FINDINGS or quality is None:
        return finding
    level: doctor.Level = (
        "critical" if f"!{finding.name}" in quality else "warning" if finding.name in quality else "info"
    )
    if level == finding.level or (level == "info" and finding.level == "ok"):
        return finding
    means = f"The level {level} was derived from facts before and after the run; the value is that after the run."
    return Finding(finding.name, level, finding.value, means, finding.advice if level != "info" else "")
