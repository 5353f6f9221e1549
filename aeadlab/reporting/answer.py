"""The answer of a record for a terminal: a table, findings with their verdicts, and the report to open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Final

from aeadlab.display.markup import plain
from aeadlab.display.terminal import fill, paragraphs
from aeadlab.records.record import Record
from aeadlab.reporting.analysis import Analysis
from aeadlab.reporting.answer_table import answer_table
from aeadlab.reporting.page import report
from aeadlab.reporting.summary import main_results
from aeadlab.studies.claims import claims
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.text import headline

MAX_FINDINGS: Final = 3
"""Number of findings that are sentences; the report has all."""


def answer(record: Record) -> str:
    """Return the table and the findings of a record, in 80 columns."""
    return paragraphs([answer_table(record), finding_lines([record])])


def write_report(record: Record) -> Path:
    """Write the report of a record beside it, and return its path; errors are those of `aeadlab.report`."""
    return report(record, record.path.with_suffix(".html"), force=True)


def findings_of(records: Sequence[Record]) -> Findings:
    """Return the verdicts on the claims about the studies of records, each from the first record of its study."""
    first: dict[str, Record] = {}
    for record in records:
        first.setdefault(record.study, record)
    # Without records, the claims would be judged by the newest ones.
    found = claims(records=list(first.values())) if first else Findings((), {})
    return Findings(tuple(finding for finding in found.findings if finding.claim.study in first), found.sources)


def finding_lines(records: Sequence[Record]) -> list[str]:
    """Return the number of each verdict and the first conclusive findings as sentences.

    Where all are inconclusive, one sentence has the reason; where no document has a claim, the sentences are the main
    results of the report.
    """
    found = findings_of(records)
    findings = found.findings
    if not findings:
        results = [plain(result) for record in records for result in main_results(Analysis(record))]
        return [fill(result) for result in results[:MAX_FINDINGS]]
    conclusive = [finding for finding in findings if finding.verdict != "inconclusive"]
    if not conclusive:
        reasons = Counter(finding.reason for finding in findings).most_common(1)
        subject = "The claim about this study is" if len(findings) == 1 else f"All {len(findings)} claims are"
        return [fill(f"{subject} inconclusive: {reasons[0][0]}.")]
    return [fill(f"{found!r}."), *(fill(_sentence(finding)) for finding in conclusive[:MAX_FINDINGS])]


def _sentence(finding: Finding) -> str:
    claim = finding.claim
    published = f", published {claim.format_value(finding.published)}" if isfinite(finding.published) else ""
    verdict = finding.verdict[0].upper() + finding.verdict[1:]
    basis = f" ({finding.basis})" if finding.basis else ""
    measured = f"{claim.measure}: {finding.measured}{basis}{published}"
    return f"{verdict} ({claim.document}): {headline(finding.statement)}; {measured}."
