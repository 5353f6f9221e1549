"""What the sections of a report draw on, each computed once and only when it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from aeadlab import doctor, stats
from aeadlab.bench.case import Case
from aeadlab.doctor import Finding
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.kinds import KINDS
from aeadlab.progress import bar
from aeadlab.records import Record
from aeadlab.stats.groups import Groups
from aeadlab.stats.selection import usable
from aeadlab.studies import Study, find_study

MOST_CASES = 2000
"""Cases that are listed: more rows would make a page of several megabytes that nobody reads."""

_NO_RIVAL = frozenset({"baseline", "not-cryptographic"})
_FIRST_OP = ("seal", "encrypt", "digest", "open", "decrypt")
_CASE = list(stats.CASE_COLUMNS)

# Judged when the run ended, from facts of before and after it; a record keeps the later ones only.
OF_THE_RUN = ("load", "steal", "cgroup-throttled", "thermal")


@dataclass(frozen=True)
class Failure:
    """Cases that failed for one reason: how many, and the first of them in words."""

    implementation: str
    reason: str
    cases: int
    first: str


@dataclass(frozen=True)
class Leader:
    """The fastest implementation of a kind, in the way it was driven fastest.

    Attributes
    ----------
    row
        Its row of `Digest.cases`.
    rivals
        How many other implementations were measured alike.
    untold
        Those of them that this run cannot tell from it.
    """

    kind: str
    row: Mapping[Any, Any]
    rivals: int
    untold: tuple[str, ...]


class Digest:
    """A record, and what follows from it.

    Attributes
    ----------
    provenance
        Of the record; anything may be missing from one that others made.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.provenance: Mapping[str, Any] = record.provenance

    def known(self, key: str) -> Mapping[str, Any]:
        """A part of the provenance, empty where the record does not have it."""
        part = self.provenance.get(key)
        return part if isinstance(part, Mapping) else {}

    @property
    def notes(self) -> Sequence[Mapping[str, Any]]:
        """What happened during the run: starts, time spent, what a time budget cut."""
        return self.provenance.get("notes") or ()

    @cached_property
    def study(self) -> Study | None:
        """The record's study, None where this aeadlab has none of its name."""
        try:
            return find_study(self.record.study)
        except UnknownNameError:
            return None

    @cached_property
    def _rows(self) -> pd.DataFrame:
        columns = ("round", "order", "seconds", "flags")
        return usable(self.record.samples, [*_CASE, *columns])

    @cached_property
    def _groups(self) -> Groups:
        return Groups.of(self._rows, _CASE)

    @cached_property
    def cases(self) -> pd.DataFrame:
        """One row per case that has samples: `stats.summary`, and ``limit``, ``share``, ``share_low``, ``share_high``.

        The index is the place in `samples_of`.
        """
        table = stats.summary(self.record.samples)
        shares = stats.roofline_share(self.record.samples)[[*_CASE, "limit", "share", "low", "high"]]
        shares = shares.rename(columns={"low": "share_low", "high": "share_high"})
        return table.merge(shares, on=_CASE, how="left")

    def samples_of(self, case: int) -> pd.DataFrame:
        """The samples that count of a row of `cases`."""
        groups = self._groups
        start = groups.starts[case]
        return self._rows.iloc[groups.order[start : start + groups.sizes[case]]]

    @cached_property
    def listed(self) -> dict[str, pd.DataFrame]:
        """Rows of `cases` by kind, as they are listed; of very many the fastest of each kind."""
        kinds = sorted(set(self.cases["kind"]), key=lambda kind: (_place(kind, KINDS), kind))
        order = ["op", "bytes", "median", *_CASE]

        def by(column: pd.Series[Any]) -> pd.Series[Any]:
            return column.map(lambda op: _place(op, _FIRST_OP)) if column.name == "op" else column

        found = {}
        for kind in kinds:
            rows = self.cases[self.cases["kind"] == kind]
            if len(self.cases) > MOST_CASES:
                rows = rows.nlargest(MOST_CASES // len(kinds), "gib_per_s")
            found[kind] = rows.sort_values(order, kind="stable", key=by)
        return found

    @cached_property
    def steadiness(self) -> dict[int, stats.Modes]:
        """What the times of each listed case look like, by its index in `cases`."""
        listed = [int(case) for rows in self.listed.values() for case in rows.index]
        found = {}
        with bar(len(listed), "modes", "case") as shown:
            for case in listed:
                samples = self.samples_of(case)
                found[case] = stats.modes(samples["seconds"], samples["order"])
                shown.update()
        return found

    @cached_property
    def common_flags(self) -> list[str]:
        """Flags that every sample bears: they say something of the run, not of a case."""
        texts = self._rows["flags"].unique()
        first, *others = [text.split() for text in texts] or [[]]
        return [flag for flag in first if all(flag in other for other in others)]

    def flags_of(self, case: int) -> Counter[str]:
        """How many samples of a row of `cases` bear each of the other flags."""
        counts: Counter[str] = Counter()
        for text, number in self.samples_of(case)["flags"].value_counts().items():
            for flag in str(text).split():
                counts[flag] += number
        return Counter({flag: n for flag, n in sorted(counts.items()) if flag not in self.common_flags})

    @cached_property
    def noise(self) -> stats.NoiseFloor | None:
        """The run's noise floor; None where it has no A/A pair with enough rounds to tell."""
        try:
            floor = stats.noise_floor(self.record.samples)
        except ArgumentError:
            return None
        return floor if floor.width == floor.width else None

    @cached_property
    def failures(self) -> list[Failure]:
        """Cases that failed, those of one implementation and one reason together."""
        rows = self.record.samples[self.record.samples["order"] < 0]
        found: dict[tuple[str, str], list[str]] = {}
        for row in rows.to_dict("records"):
            reason = str(row["status"]).removeprefix("failed: ")
            found.setdefault((str(row["implementation"]), reason), []).append(Case.from_row(_named(row)).label)
        return [Failure(name, why, len(labels), labels[0]) for (name, why), labels in sorted(found.items())]

    @cached_property
    def unmeasured(self) -> list[str]:
        """Cases of the plan, in words, that have neither a sample that counts nor a reason."""
        samples = self.record.samples
        seen = pd.concat([self.cases[_CASE], samples.loc[samples["order"] < 0, _CASE]], ignore_index=True)
        taken = {Case.from_row(_named(row)) for row in seen.drop_duplicates().to_dict("records")}
        return [case.label for row in self.known("plan").get("cases", ()) if (case := Case.from_row(row)) not in taken]

    @cached_property
    def findings(self) -> list[Finding]:
        """What the doctor says of the stored facts, the worst first; see `OF_THE_RUN`."""
        quality = self.provenance.get("quality")
        found = [_as_recorded(finding, quality) for finding in doctor.findings(self.known("machine"))]
        order = {level: -place for place, level in enumerate(doctor.LEVELS)}
        return sorted(found, key=lambda finding: (order[finding.level], finding.value == doctor.UNKNOWN))

    @cached_property
    def leaders(self) -> list[Leader]:
        """The fastest of each kind that is present, reference lines apart."""
        described = self.known("implementations")
        flags = {name: set(facts.get("flags") or ()) for name, facts in described.items()}
        rival = ~self.cases["implementation"].map(lambda name: bool(_NO_RIVAL & flags.get(name, set())))
        rows = self.cases[rival.astype(bool) & (self.cases["replica"] == 0)]
        return [self._leader(kind, rows[rows["kind"] == kind]) for kind in KINDS if (rows["kind"] == kind).any()]

    def _leader(self, kind: str, rows: pd.DataFrame) -> Leader:
        rows = rows[rows["op"] == min(rows["op"], key=lambda op: _place(op, _FIRST_OP))]
        rows = rows[rows["bytes"] == rows["bytes"].max()]
        # What was slowed down on purpose is no rival of the rest.
        for column, usual in (("cache", "warm"), ("mask", "")):
            rows = rows[rows[column] == usual] if (rows[column] == usual).any() else rows
        best = rows.sort_values("median", kind="stable").drop_duplicates("implementation")
        first, *others = best.index
        untold = [str(best.loc[other, "implementation"]) for other in others if not self._slower(first, other)]
        return Leader(kind, best.loc[first].to_dict(), len(others), tuple(untold))

    def _slower(self, first: int, other: int) -> bool:
        if self.noise is None:
            return False
        frames = [self.samples_of(case).assign(status="ok", warmup=False) for case in (first, other)]
        try:
            return stats.compare(frames[0], frames[1], self.noise).verdict == "worse"
        except ArgumentError:
            # They share no round.
            return False


def _place(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else len(names)


def _named(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in row.items()}


def _as_recorded(finding: Finding, quality: Sequence[str] | None) -> Finding:
    """A finding of the run with the level that it had when the run ended."""
    if finding.name not in OF_THE_RUN or quality is None:
        return finding
    level: doctor.Level = (
        "critical" if f"!{finding.name}" in quality else "warning" if finding.name in quality else "info"
    )
    if level == finding.level or (level == "info" and finding.level == "ok"):
        return finding
    means = f"Judged as {level} when the run ended, from facts before and after it; what is shown is from after it."
    return Finding(finding.name, level, finding.value, means, finding.advice if level != "info" else "")
