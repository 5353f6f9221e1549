"""The result of a measurement as text: medians, remarks on the run, and the reasons for missing samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aeadlab.bench.plan import WHOLE_RUNS, Plan
from aeadlab.display.listing import first_of
from aeadlab.display.terminal import fill
from aeadlab.records.record import Record
from aeadlab.stats import medians
from aeadlab.stats.selection import counted
from aeadlab.stats.text import medians_table

_LISTED = 5
"""Longest list of implementations in a remark."""


def summary(record: Record) -> str:
    """Return the medians, the remarks of `remarks` and the path of a record, at most 80 columns but for the path."""
    return "\n".join([medians_table(record.samples), *map(fill, remarks(record)), f"record: {record.path}"])


def as_dict(record: Record) -> dict[str, Any]:
    """Return the medians as rows, the remarks and the path of a record for JSON."""
    table = medians(record.samples) if counted(record.samples).any() else record.samples.head(0)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    plan = record.provenance["plan"]
    facts = {"study": record.study, "profile": plan["profile"]["name"], "complete": is_complete(record)}
    return {"record": str(record.path), **facts, "rows": rows, "remarks": remarks(record)}


def remarks(record: Record) -> list[str]:
    """Return the reasons for cases with fewer samples than the profile requires, or with none; one line each."""
    notes = record.provenance["notes"]
    lines = [f"the time budget ended the run: {note['cut']}" for note in notes if "cut" in note]
    lines += [f"every interval was narrow enough after {note['enough']}" for note in notes if "enough" in note]
    lines += [f"slow cases with fewer samples: {'; '.join(note['slow'])}" for note in notes if "slow" in note]
    plan = Plan.from_json(record.provenance["plan"])
    reduced = [case for i, case in enumerate(plan.cases) if plan.rounds_of(i) < plan.profile.rounds]
    if others := sum(not case.is_whole_run for case in reduced):
        subject = f"{_cases(others)} of implementations that the document does not name"
        lines.append(f"{plan.profile.others} samples of {subject}")
    if whole_runs := len(reduced) - others:
        lines.append(f"{WHOLE_RUNS} samples of {_cases(whole_runs)} whose samples take seconds each")
    for name, reason in record.provenance["refused"].items():
        lines.append(f"not timed: {name}: {reason.removeprefix(f'{name} ')}")
    alone = list(record.provenance.get("lengths", {}).get("without_second_library", {}))
    # Baselines are in every record, and no other library has them.
    if alone := [name for name in alone if not name.startswith("baseline/")]:
        lines.append(f"not compared at the measured lengths, no second library: {first_of(alone, _LISTED)}")
    lines += [f"not masked: {reason}" for reason in record.provenance.get("unmasked", [])]
    return [*lines, *(f"{name} {status}" for name, status in _failures(record))]


def is_complete(record: Record, requested: Iterable[str] = ()) -> bool:
    """Return whether no case failed and every requested implementation was timed, also those of the selection.

    Absent implementations that the user did not name are expected, since a study lists those of all computers.
    """
    selected = (record.provenance.get("selection") or {}).get("implementations") or ()
    return not _failures(record) and record.provenance["refused"].keys().isdisjoint([*requested, *selected])


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count > 1)}"


def _failures(record: Record) -> list[tuple[str, str]]:
    """Return each implementation with the status of its failed cases, without duplicates."""
    rows = record.samples[record.samples["order"] < 0]
    return sorted(set(zip(rows["implementation"], rows["status"], strict=True)))
