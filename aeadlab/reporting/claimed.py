"""What the documents claim that this record can be asked about, and what it answers."""

from __future__ import annotations

from aeadlab.judgement import Finding, claims_of, judged
from aeadlab.judgement.evidence import Evidence
from aeadlab.markup import Cell, Content, Html, element, joined, paragraph, texts
from aeadlab.reporting.digest import Digest
from aeadlab.reporting.words import clipped

_HEADINGS = ("claim", "what is said", "published", "counts", "here", "verdict")


def claimed(digest: Digest) -> Html:
    """One row per claim about the record's study."""
    asked = [claim for claim in claims_of() if claim.study == digest.record.study]
    if not asked:
        return paragraph("No document claims anything that this study could decide.")
    evidence = Evidence.of(digest.record)
    return joined([paragraph(_LEGEND), texts(_HEADINGS, [_row(judged(claim, evidence)) for claim in asked])])


_LEGEND = (
    "A claim is reproduced if the 95 % interval of its quantity, widened by the noise of the run, lies within the "
    "range that counts, and not reproduced if it lies outside; otherwise the run cannot tell."
)


def _row(finding: Finding) -> list[Content | Cell]:
    claim = finding.claim
    return [
        Cell(claim.key, f"{claim.document}, {claim.place}"),
        Cell(finding.statement, claim.measure),
        claim.written(finding.published),
        finding.counts.words(claim.written),
        finding.measured,
        Cell(element("b", finding.verdict), clipped(finding.why)),
    ]
