"""The answer of a record for a terminal: a table, findings with their verdicts, and the report to open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Final

from aeadlab.display.markup import plain
from aeadlab.display.terminal import fill, paragraphs
from aeadlab.display.units import count_noun
from aeadlab.records.record import Record
from aeadlab.reporting.analysis import Analysis
from aeadlab.reporting.answer_table import answer_table
from aeadlab.reporting.page import report
from aeadlab.reporting.summary import main_results
from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evaluation import evaluate
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import VERDICTS
from aeadlab.verdicts.text import headline

MAX_FINDINGS: Final = 3
"""Number of findings that are sentences; the report has all."""


def answer(record: Record) -> str:
    """Return the table and the findings of a record, in 80 columns."""
    return paragraphs([answer_table(record), finding_lines([record])])


def write_report(record: Record) -> Path:
    """Write the report of a record beside it, and return its path; errors are those of `aeadlab.report`."""
    return report(record, record.path.with_suffix(".html"), force=True)


def findings_of(records: Sequence[Record]) -> list[Finding]:
    """Return the verdicts on the claims about the studies of records, each from the first record of its study."""
    evidence: dict[str, Evidence] = {}
    for record in records:
        if record.study not in evidence:
            evidence[record.study] = Evidence.from_record(record)
    return [evaluate(claim, evidence[claim.study]) for claim in claims_of() if claim.study in evidence]


def finding_lines(records: Sequence[Record]) -> list[str]:
    """Return the number of each verdict and the first conclusive findings as sentences.

    Where all are inconclusive, one sentence has the reason; where no document has a claim, the sentences are the main
    results of the report.
    """
    findings = findings_of(records)
    if not findings:
        results = [plain(result) for record in records for result in main_results(Analysis(record))]
        return [fill(result) for result in results[:MAX_FINDINGS]]
    conclusive = [finding for finding in findings if finding.verdict != "inconclusive"]
    if not conclusive:
        reasons = Counter(finding.reason for finding in findings).most_common(1)
        claims = "The claim about this study is" if len(findings) == 1 else f"All {len(findings)} claims are"
        return [fill(f"{claims} inconclusive: {reasons[0][0]}.")]
    return [fill(f"{verdict_counts(findings)}."), *(fill(_sentence(finding)) for finding in conclusive[:MAX_FINDINGS])]


def verdict_counts(findings: Sequence[Finding]) -> str:
    """Return the number of claims with each verdict."""
    counts = Counter(finding.verdict for finding in findings)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    return f"{count_noun(len(findings), 'claim')}: {verdicts}"


def _sentence(finding: Finding) -> str:
    claim = finding.claim
    published = f", published {claim.format_value(finding.published)}" if isfinite(finding.published) else ""
    verdict = finding.verdict[0].upper() + finding.verdict[1:]
    return (
        f"{verdict} ({claim.document}): {headline(finding.statement)}; {claim.measure}: {finding.measured}{published}."
    )
