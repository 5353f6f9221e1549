"""The provenance of a record: as text in the file beside it, and packed in the Parquet file itself."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import MISSING, fields
from typing import Any, Final

from aeadlab.bench.case import Case

_USUAL: Final = {field.name: field.default for field in fields(Case) if field.default is not MISSING}
_WIDTH: Final = 500
"""Characters of a line into which a list or mapping goes as a whole."""


def as_text(provenance: dict[str, Any]) -> str:
    """JSON with a line for each entry; what `condensed` leaves out is not in it."""
    return _lines(condensed(provenance), "\n")


def packed(text: str) -> bytes:
    """The text, much shorter, as the UTF-8 that metadata of Parquet files is: zlib, then base64."""
    return base64.b64encode(zlib.compress(text.encode(), 9))


def from_text(text: str | bytes) -> dict[str, Any]:
    """The provenance as `condensed` has it: of `as_text`, of `packed`, or of a record from before these were.

    Raises
    ------
    TypeError, ValueError
        If it is no JSON object.
    """
    try:
        plain = text if text[:1] in ("{", b"{") else zlib.decompress(base64.b64decode(text, validate=True))
    except zlib.error as error:
        raise ValueError(f"packed provenance is damaged ({error})") from error
    provenance = json.loads(plain)
    if not isinstance(provenance, dict):
        raise TypeError(f"a JSON {type(provenance).__name__} instead of an object")
    return condensed(provenance)


def condensed(provenance: dict[str, Any]) -> dict[str, Any]:
    """The provenance without what goes without saying of each implementation and of each case of the plan.

    They have no value that is empty, zero or false, but ``ok``, and cases none that is a case's usual one. A report of
    verification does not repeat name and version, nor that a check without failures is passed.
    """
    plan, found = provenance.get("plan"), dict(provenance)
    if isinstance(plan, dict) and "cases" in plan:
        found["plan"] = {**plan, "cases": _cases(plan["cases"])}
    if isinstance(verified := provenance.get("verified"), dict):
        found["verified"] = {name: _report(report) for name, report in verified.items()}
    if isinstance(described := provenance.get("implementations"), dict):
        found["implementations"] = {name: _told(facts) for name, facts in described.items()}
    return found


def _cases(cases: Any) -> Any:
    if not isinstance(cases, list | tuple):
        return _told(cases)
    return [
        {name: value for name, value in case.items() if value and value != _USUAL.get(name)}
        if isinstance(case, dict)
        else _told(case)
        for case in cases
    ]


def _report(report: Any) -> Any:
    if not isinstance(report, dict):
        return report
    told = _told({key: value for key, value in report.items() if key not in ("implementation", "version")})
    if "ok" in report:
        told["ok"] = report["ok"]
    for check in told.get("checks", ()):
        check.pop("ok", None)
    return told


def _told(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _told(part) for key, part in value.items() if part}
    if isinstance(value, list | tuple):
        return [_told(part) for part in value]
    return value


def _lines(value: Any, newline: str) -> str:
    line = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    if len(line) <= _WIDTH or not isinstance(value, dict | list | tuple):
        return line
    within = f"{newline} "
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}:{_lines(part, within)}" for key, part in sorted(value.items())]
        return f"{{{within}{f',{within}'.join(entries)}{newline}}}"
    return f"[{within}{f',{within}'.join(_lines(part, within) for part in value)}{newline}]"
