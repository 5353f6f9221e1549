"""All findings about a document's claims, as a frame, for a notebook, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import get_args

import pandas as pd

from aeadlab.judgement.claim import Finding
from aeadlab.judgement.documents import claims_of
from aeadlab.judgement.evaluation import evaluate
from aeadlab.judgement.ranges import Verdict
from aeadlab.judgement.sources import Source, sources
from aeadlab.records import Record

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Findings:
    """What was found about claims; a notebook shows it as a table.

    Attributes
    ----------
    findings
        One for each claim, in the order of the documents.
    sources
        The records that were asked, by study.
    """

    findings: tuple[Finding, ...]
    sources: dict[str, Source]

    @property
    def table(self) -> pd.DataFrame:
        """One row per claim: ``document``, ``key``, ``place``, ``statement``, ``measure``, ``verdict``, ``measured``
        (text), ``unit``, ``published``, ``counts_from`` and ``counts_to`` (the range that counts as reproduced),
        ``value``, ``low`` and ``high`` (95 % interval), ``noise`` (half-width in log ratio), ``reason`` (of what is
        inconclusive), ``differs``, ``study`` and ``record``. Ratios are as they are, not in percent.
        """
        return pd.DataFrame([finding.as_dict() for finding in self.findings])

    def counts(self) -> dict[Verdict, int]:
        """How many findings have each verdict."""
        verdicts = [finding.verdict for finding in self.findings]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def summary(self) -> str:
        """The counts in words."""
        return ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items())

    def cautions(self) -> list[str]:
        """What speaks against the records, one sentence each."""
        return [f"{source.record}: {why}" for source in self.sources.values() for why in source.cautions]

    def __repr__(self) -> str:
        return f"{len(self.findings)} claims: {self.summary()}"

    def _repr_html_(self) -> str:
        rows = [
            {
                "where": f"{finding.claim.document}, {finding.claim.place}",
                "claim": finding.statement,
                "quantity": finding.claim.measure,
                "published": finding.claim.written(finding.published),
                "counts": finding.counts.words(finding.claim.written),
                "measured here": finding.measured,
                "verdict": finding.verdict,
                "why": finding.why,
            }
            for finding in self.findings
        ]
        # Text is escaped; without the option pandas would cut it after 50 characters.
        with pd.option_context("display.max_colwidth", None):
            table = pd.DataFrame(rows).to_html(index=False, border=0)
        notes = [f"{source.record}: {source.about}" for source in self.sources.values()] + self.cautions()
        listed = "".join(f"<li>{escape(note)}</li>" for note in notes)
        return f"<p>{escape(repr(self))}</p>{table}<ul>{listed}</ul>"


def claims(document: str | None = None, records: Sequence[Record | Path | str] = ()) -> Findings:
    """Hold what documents claim against records.

    Parameters
    ----------
    document
        One of those that claims are known of, such as ``ETH``; None means all.
    records
        Records or their paths, one of each study; none means the newest of each study, reference records among them.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there are no claims of such a document.
    aeadlab.errors.ArgumentError
        If two records are of one study.
    aeadlab.errors.RecordError
        If a record cannot be read.
    """
    asked = claims_of(document)
    found = sources([claim.study for claim in asked if claim.study], records)
    evidence = {study: (source.record, source.evidence) for study, source in found.items()}
    used = {study: source for study, source in found.items() if any(claim.study == study for claim in asked)}
    return Findings(evaluate(asked, evidence), used)
