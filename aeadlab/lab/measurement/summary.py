"""The result of a measurement as text: remarks on the run, with the reasons for missing samples, and the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from aeadlab.bench.plan import Plan, whole_runs
from aeadlab.dimensions import BASELINE
from aeadlab.display.listing import first_of
from aeadlab.display.terminal import fill, paragraphs
from aeadlab.errors import Error
from aeadlab.records.record import Record
from aeadlab.stats import medians
from aeadlab.stats.selection import counted

_LISTED = 5
"""Longest list of implementations in a remark."""


def summary(record: Record) -> str:
    """Write the report of a record, and return remarks, answer and the report's path.

    A line has at most 80 columns, except for the path. A report that cannot be written is a remark.
    """
    # Matplotlib takes half a second to load, and is not required to measure.
    from aeadlab.reporting import answer

    try:
        last = f"report: {answer.write_report(record)}"
    except Error as error:
        last = f"{fill(str(error))}\nrecord: {record.path}"
    return paragraphs([list(map(fill, remarks(record, _LISTED))), [answer.answer(record)], [last]])


def as_dict(record: Record) -> dict[str, Any]:
    """Write the report of a record, and return its medians as rows, remarks, findings and paths for JSON."""
    from aeadlab.reporting import answer

    table = medians(record.samples) if counted(record.samples).any() else record.samples.head(0)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    plan = record.provenance["plan"]
    facts = {"study": record.study, "profile": plan["profile"]["name"], "complete": is_complete(record)}
    findings = [finding.as_dict() for finding in answer.findings_of([record]).findings]
    notes = remarks(record)
    paths: dict[str, str | None] = {"record": str(record.path), "report": None}
    try:
        paths["report"] = str(answer.write_report(record))
    except Error as error:
        notes.append(str(error))
    return {**paths, **facts, "rows": rows, "findings": findings, "remarks": notes}


def remarks(record: Record, most: int | None = None) -> list[str]:
    """Return the reasons for cases with fewer samples than the profile requires, or with none; one line each.

    `most` is the number of implementations that are listed as not timed; None for all.
    """
    notes = record.provenance["notes"]
    lines = [f"the time budget ended the run: {note['cut']}" for note in notes if "cut" in note]
    lines += [f"fewer rounds: {note['reduced']}" for note in notes if "reduced" in note]
    lines += [f"every interval was narrow enough after {note['enough']}" for note in notes if "enough" in note]
    lines += [f"slow cases with fewer samples: {'; '.join(note['slow'])}" for note in notes if "slow" in note]
    plan = Plan.from_json(record.provenance["plan"])
    reduced = [case for i, case in enumerate(plan.cases) if plan.rounds_of(i) < plan.profile.rounds]
    if others := sum(not case.is_whole_run for case in reduced):
        subject = f"{_cases(others)} of implementations that the document does not name"
        lines.append(f"{plan.profile.others} samples of {subject}")
    long = Counter(min(whole_runs(case), plan.profile.rounds) for case in reduced if case.is_whole_run)
    lines += [f"{runs} samples of {_cases(count)} whose samples take seconds each" for runs, count in long.items()]
    refused = list(record.provenance["refused"].items())
    lines += [f"not timed: {name}: {reason.removeprefix(f'{name} ')}" for name, reason in refused[:most]]
    if left_out := len(refused[most:]) if most is not None else 0:
        lines.append(f"not timed: {left_out} more, with the reasons in the report")
    alone = list(record.provenance.get("lengths", {}).get("without_second_library", {}))
    # Baselines are in every record, and no other library has them.
    if alone := [name for name in alone if not name.startswith(BASELINE)]:
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
