"""The claims of all documents: the ``CLAIMS`` of each ``claims.py`` below this folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from aeadlab.display.nearest import hint
from aeadlab.errors import UnknownNameError
from aeadlab.records.record import Record
from aeadlab.verdicts import published
from aeadlab.verdicts.claim import Claim, Finding
from aeadlab.verdicts.evaluation import evaluate_all
from aeadlab.verdicts.evidence import Evidence
from aeadlab.verdicts.findings import Findings
from aeadlab.verdicts.sources import sources


@cache
def all_claims() -> dict[str, tuple[Claim, ...]]:
    """Return the claims by document, the documents in the order of `aeadlab.verdicts.published.DOCUMENTS`."""
    folder = Path(__file__).parent
    modules = [
        import_module(f"aeadlab.studies.{file.parent.name}.claims") for file in sorted(folder.glob("*/claims.py"))
    ]
    # ETH lists the claims of the thread modes among its own, which determines their position.
    unique = dict.fromkeys(claim for module in modules for claim in module.CLAIMS)
    documents = dict.fromkeys((*published.DOCUMENTS, *(claim.document for claim in unique)))
    by_document = {name: tuple(claim for claim in unique if claim.document == name) for name in documents}
    return {name: claims for name, claims in by_document.items() if claims}


def claims_of(document: str | None = None) -> tuple[Claim, ...]:
    """Return the claims of one document, in upper or lower case, or of all.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there are no claims of such a document.
    """
    known = all_claims()
    if document is None:
        return tuple(claim for claims in known.values() for claim in claims)
    for name, claims in known.items():
        if name.lower() == document.lower():
            return claims
    listed = f"there are claims of {', '.join(known)}"
    raise UnknownNameError(f"no claims of a document {document!r}; {hint(document, known, listed)}")


def judge(selected: Iterable[Claim], evidence: Mapping[str, tuple[str, Evidence]]) -> tuple[Finding, ...]:
    """Return the verdicts of `evaluate_all`, and beside them the predictions of each ``predictions.py`` below here."""
    folder = Path(__file__).parent
    modules = [
        import_module(f"aeadlab.studies.{file.parent.name}.predictions") for file in folder.glob("*/predictions.py")
    ]

    def with_prediction(finding: Finding) -> Finding:
        _, of_record = evidence.get(finding.claim.study, ("", None))
        found = (module.predicted(finding.claim.key, of_record) for module in modules if of_record)
        return replace(finding, prediction=next(filter(None, found), None))

    return tuple(map(with_prediction, evaluate_all(selected, evidence)))


def claims(document: str | None = None, records: Sequence[Record | Path | str] = ()) -> Findings:
    """Compare the claims of documents with records.

    Errors are those of `claims_of` and `aeadlab.verdicts.sources.sources`.

    Parameters
    ----------
    document
        A document that has claims, such as ``ETH``; None stands for all.
    records
        Records or their paths, one of each study, with which claims of other studies are inconclusive; by default the
        newest of each study, else its reference record.
    """
    selected = claims_of(document)
    by_study = sources([claim.study for claim in selected if claim.study], records)
    evidence = {study: (source.record, source.evidence) for study, source in by_study.items()}
    used = {study: source for study, source in by_study.items() if any(claim.study == study for claim in selected)}
    return Findings(judge(selected, evidence), used)
