"""Findings as text for a terminal, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from aeadlab.judgement.claim import Finding
from aeadlab.judgement.findings import Findings
from aeadlab.markdown import cell, table
from aeadlab.terminal import paragraphs, wrap

_INDENT: Final = " " * 4
_COLUMNS: Final = ("where", "what is said", "measured", "published", "here", "verdict")


def text(found: Findings) -> str:
    """At most 80 columns: the counts, each claim with what was found, then the records."""
    blocks = [wrap(f"{found!r}.", "")]
    blocks += [_entry(finding) for finding in found.findings]
    blocks.append([line for source in _sources(found) for line in wrap(source)])
    blocks.append([line for why in found.cautions() for line in wrap(f"CAUTION: {why}.")])
    return paragraphs(blocks)


def markdown(found: Findings) -> str:
    """A paragraph, a table with a row per claim, and the records."""
    rows = [
        (
            f"{finding.claim.document}, {finding.claim.place}",
            finding.statement,
            finding.claim.measure,
            finding.claim.written(finding.published),
            finding.measured,
            f"**{finding.verdict}**" + (f": {finding.why}" if finding.why else ""),
        )
        for finding in found.findings
    ]
    notes = [f"- {cell(note)}" for note in (*_sources(found), *(f"Caution: {why}." for why in found.cautions()))]
    return paragraphs([[f"{found!r}."], table(_COLUMNS, rows), notes])


def as_json(found: Findings) -> str:
    """Findings with all columns, and the records."""
    records = [
        {"record": source.record, "about": source.about, "cautions": list(source.cautions)}
        for source in found.sources.values()
    ]
    findings = [finding.as_dict() for finding in found.findings]
    return json.dumps({"counts": found.counts(), "findings": findings, "records": records}, indent=1)


def _entry(finding: Finding) -> list[str]:
    claim = finding.claim
    head = f"{finding.verdict:<14}  {claim.key} ({claim.document}, {claim.place})"
    lines = [*wrap(head, _INDENT), *wrap(_INDENT + finding.statement, _INDENT)]
    numbers = [f"here {finding.measured}", f"counts {finding.counts.words(claim.written)}"]
    if finding.published == finding.published:
        numbers.insert(0, f"published {claim.written(finding.published)}")
    lines += wrap(f"{_INDENT}{claim.measure}: {'; '.join(numbers)}", _INDENT)
    return lines + (wrap(f"{_INDENT}-> {finding.why}", f"{_INDENT}   ") if finding.why else [])


def _sources(found: Findings) -> Sequence[str]:
    return [f"{source.record}: {source.about}." for source in found.sources.values()]
