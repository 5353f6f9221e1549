"""All findings about the claims of a document as a table, and the records that they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, get_args

import pandas as pd

from aeadlab.display.markup import bullet_list, join, paragraph, text_table
from aeadlab.display.units import count_noun
from aeadlab.records.reference import note
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.ranges import Verdict
from aeadlab.verdicts.sources import Source

PREDICTED: Final = "predicted (no verdict)"
"""Heading of the column of predictions."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Findings:
    """The verdicts on several claims; notebooks display them as a table.

    Attributes
    ----------
    findings
        One for each claim, in the order of the documents.
    sources
        The records that decided, by study.
    """

    findings: tuple[Finding, ...]
    sources: dict[str, Source]

    @property
    def table(self) -> pd.DataFrame:
        """One row per claim: ``document``, ``key``, ``place``, ``statement``, ``substitute``, ``measure``, ``verdict``,
        ``direction`` and ``size`` (verdicts on these, None where there is none), ``criterion_version``,
        ``aspect_version`` (of the second verdict's criterion), ``measured`` (text), ``unit``, ``published``,
        ``counts_from`` and ``counts_to`` (the accepted range), ``value``, ``low`` and ``high`` (95 % interval),
        ``noise`` (half-width in log ratio), ``p_value`` and ``p_adjusted`` (smallest error level of the verdict, alone
        and by Holm's procedure), ``aspect_p_value`` and ``aspect_p_adjusted`` (of the second verdict), ``processes``,
        ``rounds``, ``reason`` (of an inconclusive verdict), ``aspect_reason`` (of an inconclusive second verdict),
        ``differs``, ``study`` and ``record``; ``predicted``, ``predicted_low`` and ``predicted_high`` are of the
        document's computer by a model, and decide nothing. Ratios are not in percent.
        """
        return pd.DataFrame([finding.as_dict() for finding in self.findings])

    @property
    def has_predictions(self) -> bool:
        """Whether a finding has a prediction, which tables then show in a column of its own."""
        return any(finding.prediction for finding in self.findings)

    def of(self, document: str) -> Findings:
        """Return the findings about one document, with all sources."""
        return Findings(tuple(each for each in self.findings if each.claim.document == document), self.sources)

    def counts(self) -> dict[Verdict, int]:
        """Return the number of findings with each verdict."""
        verdicts = [finding.verdict for finding in self.findings]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}

    def summary(self) -> str:
        """Return the number of findings with each verdict that occurs, as text."""
        return ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items() if number)

    @property
    def reference_record(self) -> str:
        """A sentence if records that decided are reference records, not measured here; otherwise ``""``."""
        return note({study: source.cpu for study, source in self.sources.items()})

    def cautions(self) -> list[str]:
        """Return the warnings about the records, one sentence each."""
        return [f"{source.record}: {caution}" for source in self.sources.values() for caution in source.cautions]

    def __repr__(self) -> str:
        return f"{count_noun(len(self.findings), 'claim')}: {self.summary()}"

    def _repr_html_(self) -> str:
        predicted = self.has_predictions
        headings = ["source", "claim", "quantity", "published", "accepted", "measured", "verdict", "reason"]
        rows = [
            [
                f"{finding.claim.document}, {finding.claim.place}",
                " ".join(filter(None, (finding.statement, finding.claim.substitute))),
                finding.claim.measure,
                finding.claim.format_value(finding.published),
                finding.accepted.describe(finding.claim.format_value),
                "; ".join(filter(None, (finding.measured, finding.basis))),
                finding.verdicts,
                finding.why,
                *[finding.predicted] * predicted,
            ]
            for finding in self.findings
        ]
        notes = [f"{source.record}: {source.about}" for source in self.sources.values()] + self.cautions()
        first = paragraph(self.reference_record) if self.reference_record else None
        return join(
            [first, paragraph(repr(self)), text_table([*headings, *[PREDICTED] * predicted], rows), bullet_list(notes)]
        )
