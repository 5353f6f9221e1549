"""The answers of executed notebooks for a terminal, from the records that they stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from aeadlab.display.terminal import paragraphs
from aeadlab.errors import Error
from aeadlab.lab.notebooks import Outcome
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.reporting import answer
from aeadlab.reporting.answer import finding_lines, findings_of
from aeadlab.reporting.answer_table import answer_table
from aeadlab.studies import all_studies


def answer_one(outcome: Outcome) -> str:
    """Write the report of a notebook's record, and return table, findings and the report's path.

    A notebook with several records has the table and the report of the record of its own study. A notebook without a
    record, or one that failed, has the path of its page.
    """
    records = load_records(outcome.records)
    if outcome.error or not records:
        return f"page: {outcome.page}" if outcome.page else ""
    studies = {name for name, study in all_studies().items() if Path(study.notebook).stem == outcome.name}
    record = next((record for record in records if record.study in studies), records[0])
    path = answer.write_report(record)
    return paragraphs([answer_table(record), finding_lines(records), [f"report: {path}"]])


def answer_several(outcomes: Sequence[Outcome]) -> str:
    """Return the findings of all notebooks, and the folder of their pages."""
    records = load_records(path for outcome in outcomes for path in outcome.records)
    pages = [outcome.page for outcome in outcomes if outcome.page]
    findings = finding_lines(records) if records else []
    return paragraphs([findings, [f"pages: {pages[0].parent}"] if pages else []])


def remark(outcome: Outcome) -> str:
    """Return the number of claims with each verdict about a notebook's records, or ``""`` for none."""
    findings = findings_of(load_records(outcome.records))
    return f"; {findings!r}" if findings.findings else ""


def load_records(paths: Iterable[Path]) -> list[Record]:
    """Return the records of files; files that are no records are left out."""
    records = []
    for path in paths:
        with suppress(Error):
            records.append(load_record(path))
    return records
