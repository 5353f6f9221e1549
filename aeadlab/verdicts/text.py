"""Findings as text for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from math import isnan
from typing import Final

from aeadlab.display.markdown import cell, table
from aeadlab.display.nearest import hint
from aeadlab.display.terminal import paragraphs, wrap
from aeadlab.errors import UnknownNameError
from aeadlab.verdicts.claim import Finding
from aeadlab.verdicts.evaluation import at_once
from aeadlab.verdicts.findings import PREDICTED, Findings

_INDENT: Final = " " * 4
_COLUMNS: Final = ("place", "claim", "quantity", "published", "measured here", "verdict")
_SHORT_COLUMNS: Final = ("finding, quantity", "published", "measured", "n; margin; p", "verdict")
_SHORT_LEGEND: Final = (
    "n: processes/rounds; margin: widens the interval; p: corrected level of the verdict; \N{DAGGER}: substitute."
)
_DAGGER: Final = "\N{DAGGER}"
_LEGEND: Final = (
    "Predictions are for as many logical cores as the document's computer has, by a model of a record of fewer. They "
    "decide no verdict: a record of a larger computer decides, and tests the model."
)
_PAGE: Final = "docs/FINDINGS.md"


def as_text(findings: Findings) -> str:
    """Return lines of at most 80 columns: the number of each verdict, each finding, and the records."""
    blocks = [wrap(findings.reference_record, ""), wrap(f"{findings!r}.", "")]
    blocks += [_entry(finding) for finding in findings.findings]
    blocks.append([line for source in _sources(findings) for line in wrap(source)])
    blocks.append([line for caution in findings.cautions() for line in wrap(f"WARNING: {caution}.")])
    return paragraphs(blocks)


def as_markdown(findings: Findings, *, page: bool = False) -> str:
    """Return the number of each verdict, a section with a table for each document, and the list of records.

    A `page` of the documentation, which states where its records come from, does not name reference records again.
    """
    origin = findings.reference_record if not page else ""
    sections: list[list[str]] = [[cell(origin)]] if origin else []
    sections += [[f"{findings!r}."], _at_once(findings)]
    for document in dict.fromkeys(finding.claim.document for finding in findings.findings):
        own = findings.of(document)
        predicted = own.has_predictions
        rows = [
            [
                finding.claim.place,
                " ".join(filter(None, (finding.statement, finding.claim.substitute))),
                finding.claim.measure,
                finding.claim.format_value(finding.published),
                "; ".join(filter(None, (finding.measured, finding.basis))),
                *[finding.predicted] * predicted,
                _verdicts(finding, in_full=True) + (f": {finding.why}" if finding.why else ""),
            ]
            for finding in own.findings
        ]
        columns = [*_COLUMNS[:-1], *[PREDICTED] * predicted, _COLUMNS[-1]]
        sections += [[f"## {document}"], [_LEGEND] if predicted else [], table(columns, rows)]
    notes = [*_sources(findings), *(f"Warning: {caution}." for caution in findings.cautions())]
    return paragraphs([*sections, ["## Records"], [f"- {cell(note)}" for note in notes]])


def _at_once(findings: Findings) -> list[str]:
    """Return which verdicts would not hold together with those on other documents; nothing for one document."""
    if len({finding.claim.document for finding in findings.findings}) < 2:
        return []
    number, names = at_once(findings.findings)
    lost = f"{len(names)} more would be inconclusive: {', '.join(names)}" if names else "none would change"
    return [f"If all {number} verdicts on times had to hold at once, with an error of 5 % (Holm), {lost}."]


def as_markdown_rows(findings: Findings, keys: Sequence[str]) -> str:
    """Return a table with the findings of these claims, in this order, each linked to the page with all findings.

    It has the unit, the margin and the corrected level of each verdict; the page has substitutes and reasons.
    """
    by_key = {finding.claim.key: finding for finding in findings.findings}
    if unknown := [key for key in keys if key not in by_key]:
        near = hint(unknown[0], by_key, "`aeadlab claims` lists all keys")
        raise UnknownNameError(f"there is no claim {unknown[0]!r}; {near}")
    rows = [
        (
            f"[{finding.claim.document}]({_PAGE}#{finding.claim.document.lower()}): {headline(finding.statement)}"
            f"{_DAGGER * bool(finding.claim.substitute)}; {finding.claim.measure}",
            finding.claim.format_value(finding.published),
            finding.interval,
            finding.short_basis,
            _verdicts(finding),
        )
        for finding in map(by_key.__getitem__, keys)
    ]
    return paragraphs([table(_SHORT_COLUMNS, rows), [_SHORT_LEGEND]])


def headline(statement: str) -> str:
    """Return the part of a statement before its first semicolon or colon, without text in parentheses."""
    return re.split("[;:]", re.sub(r" \([^)]*\)", "", statement), maxsplit=1)[0].rstrip(".")


def as_json(findings: Findings) -> str:
    """Return the findings with all columns of `Findings.table`, and the records, as JSON."""
    records = [
        {"record": source.record, "about": source.about, "cautions": list(source.cautions)}
        for source in findings.sources.values()
    ]
    rows = [finding.as_dict() for finding in findings.findings]
    content = {"counts": findings.counts(), "findings": rows, "records": records}
    return json.dumps({"reference_record": findings.reference_record or None, **content}, indent=1)


def _entry(finding: Finding) -> list[str]:
    claim = finding.claim
    head = f"{finding.verdict:<14}  {claim.key} ({claim.document}, {claim.place})"
    lines = [*wrap(head, _INDENT), *wrap(_INDENT + finding.statement, _INDENT)]
    lines += wrap(_INDENT + claim.substitute, _INDENT) if claim.substitute else []
    accepted = finding.accepted.describe(claim.format_value)
    numbers = [f"measured {finding.measured}", f"accepted {accepted}{_criterion(finding.version)}"]
    if not isnan(finding.published):
        numbers.insert(0, f"published {claim.format_value(finding.published)}")
    lines += wrap(f"{_INDENT}{claim.measure}: {'; '.join(numbers)}", _INDENT)
    lines += wrap(f"{_INDENT}{finding.basis}", _INDENT) if finding.basis else []
    if aspect := finding.aspect:
        accepted = aspect.accepted.describe(claim.format_value)
        criterion, levels = _criterion(aspect.version), f"; {aspect.levels}" if aspect.levels else ""
        lines += wrap(f"{_INDENT}{aspect.name}: {aspect.verdict}, accepted {accepted}{criterion}{levels}", _INDENT)
    lines += wrap(f"{_INDENT}prediction, no verdict: {finding.predicted}", _INDENT) if finding.prediction else []
    return lines + (wrap(f"{_INDENT}-> {finding.why}", f"{_INDENT}   ") if finding.why else [])


def _criterion(version: int) -> str:
    return f" (criterion version {version})" if version else ""


def _verdicts(finding: Finding, in_full: bool = False) -> str:
    """Return the verdict in Markdown, and that on size or direction unless both are inconclusive.

    In full they have the version of the criterion, and the second one its error levels.
    """
    aspect = finding.aspect
    first = f"**{finding.verdict}**{_criterion(finding.version) * in_full}"
    if aspect is None or finding.verdict == aspect.verdict == "inconclusive":
        return first
    details = (f"version {aspect.version}" if aspect.version else "", aspect.levels)
    in_brackets = "; ".join(filter(None, details)) if in_full else ""
    return f"{first}, {aspect.name} **{aspect.verdict}**{f' ({in_brackets})' if in_brackets else ''}"


def _sources(findings: Findings) -> list[str]:
    return [f"{source.record}: {source.about}." for source in findings.sources.values()]
