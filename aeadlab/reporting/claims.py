"""The section with the published claims about the record's study, and their verdicts."""

from __future__ import annotations

from aeadlab.display.markup import Cell, Content, Html, element, join, paragraph, text_table, truncate
from aeadlab.reporting.analysis import Analysis
from aeadlab.studies.claims import claims_of, judge
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import PREDICTED, Findings

_HEADINGS = ("claim", "statement", "published", "accepted range", "measured", "verdict")
_LEGEND = (
    "A claim is reproduced if the 95 % interval of its quantity, widened by the margin, lies within the accepted "
    "range, not reproduced if it lies outside, and inconclusive if it overlaps a bound of the range, or if the verdict "
    "does not hold together with those on all claims of the document in this table."
)


def claims(analysis: Analysis) -> Html:
    """Return a table with one row for each claim about the record's study."""
    chosen = [claim for claim in claims_of() if claim.study == analysis.record.study]
    if not chosen:
        return paragraph("No document has a claim about this study.")
    evidence = Evidence.from_record(analysis.record)
    findings = Findings(judge(chosen, {analysis.record.study: (analysis.record.name, evidence)}), {})
    predicted = findings.has_predictions
    rows = [[*_row(finding), *[finding.predicted] * predicted] for finding in findings.findings]
    return join([paragraph(_LEGEND), text_table([*_HEADINGS, *[PREDICTED] * predicted], rows)])


def _row(finding: Finding) -> list[Content | Cell]:
    claim = finding.claim
    return [
        Cell(claim.key, f"{claim.document}, {claim.place}"),
        Cell(" ".join(filter(None, (finding.statement, claim.substitute))), claim.measure),
        claim.format_value(finding.published),
        finding.accepted.describe(claim.format_value),
        Cell(finding.measured, finding.basis),
        Cell(element("b", finding.verdicts), truncate(finding.why)),
    ]
