"""The stored forms of a provenance: JSON text beside the record, and compressed metadata inside its Parquet file."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import MISSING, fields
from typing import Any, Final

from aeadlab.bench.case import Case
from aeadlab.display.printable import printable
from aeadlab.host.bounded import parse_json

MAX_TEXT: Final = 1 << 24
"""Largest provenance as JSON text in bytes."""
_CASE_DEFAULTS: Final = {field.name: field.default for field in fields(Case) if field.default is not MISSING}
_LINE_WIDTH: Final = 500
"""Longest list or object in characters that is written on one line."""


def to_text(provenance: dict[str, Any]) -> str:
    """Return `without_defaults` of the provenance as JSON, one line per entry."""
    return _lines(without_defaults(provenance), "\n")


def pack(text: bytes) -> bytes:
    """Compress the text with zlib and encode it as base64, since metadata of Parquet files is UTF-8."""
    return base64.b64encode(zlib.compress(text, 9))


def parse(text: str | bytes) -> dict[str, Any]:
    """Return the provenance, without default values, from `to_text`, from `pack`, or from an older record's JSON.

    Its texts are printable in one line, see `aeadlab.display.printable.printable`.

    Raises
    ------
    TypeError, ValueError
        If it is not a JSON object, or exceeds a limit of `aeadlab.host.bounded.parse_json` or `MAX_TEXT`.
    """
    octets = text.encode() if isinstance(text, str) else text
    provenance = parse_json(octets if octets[:1] == b"{" else unpack(octets), MAX_TEXT)
    if not isinstance(provenance, dict):
        raise TypeError(f"a JSON {type(provenance).__name__} instead of an object")
    return without_defaults(_printable(provenance))


def unpack(packed: bytes) -> bytes:
    """Return the JSON text of `pack`.

    Raises
    ------
    ValueError
        If it is damaged, or the text has more than `MAX_TEXT` bytes.
    """
    decompressor = zlib.decompressobj()
    try:
        plain = decompressor.decompress(base64.b64decode(packed, validate=True), MAX_TEXT + 1)
    except zlib.error as error:
        raise ValueError(f"packed provenance is damaged ({error})") from error
    if len(plain) > MAX_TEXT:
        raise ValueError(f"more than {MAX_TEXT} bytes of JSON, at most {MAX_TEXT} expected")
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError("packed provenance is damaged (it is incomplete, or more follows)")
    return plain


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(part) for part in value]
    if isinstance(value, dict):
        shown = {printable(key): _printable(part) for key, part in value.items()}
        if len(shown) < len(value):
            raise ValueError("two names differ in unprintable characters only")
        return shown
    return value


def without_defaults(provenance: dict[str, Any]) -> dict[str, Any]:
    """Remove default values from the implementations, the verification reports and the cases of the plan.

    Empty, zero and false values are removed, except ``ok`` of a report; of cases also the defaults of
    `aeadlab.bench.case.Case`. A report does not repeat name and version, nor ``ok`` of each check.
    """
    plan, condensed = provenance.get("plan"), dict(provenance)
    if isinstance(plan, dict) and "cases" in plan:
        condensed["plan"] = {**plan, "cases": _cases(plan["cases"])}
    if isinstance(verified := provenance.get("verified"), dict):
        condensed["verified"] = {name: _report(report) for name, report in verified.items()}
    if isinstance(described := provenance.get("implementations"), dict):
        condensed["implementations"] = {name: _without_empty(facts) for name, facts in described.items()}
    return condensed


def _cases(cases: Any) -> Any:
    if not isinstance(cases, list | tuple):
        return _without_empty(cases)
    return [
        {name: value for name, value in case.items() if value and value != _CASE_DEFAULTS.get(name)}
        if isinstance(case, dict)
        else _without_empty(case)
        for case in cases
    ]


def _report(report: Any) -> Any:
    if not isinstance(report, dict):
        return report
    own = {key: value for key, value in report.items() if key not in ("implementation", "version")}
    condensed = _without_empty(own)
    if "ok" in report:
        condensed["ok"] = report["ok"]
    if isinstance(checks := condensed.get("checks"), list):
        condensed["checks"] = [_without_ok(check) for check in checks]
    return condensed


def _without_ok(check: Any) -> Any:
    return {key: value for key, value in check.items() if key != "ok"} if isinstance(check, dict) else check


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(part) for key, part in value.items() if part}
    if isinstance(value, list | tuple):
        return [_without_empty(part) for part in value]
    return value


def _lines(value: Any, newline: str) -> str:
    line = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    if len(line) <= _LINE_WIDTH or not isinstance(value, dict | list | tuple):
        return line
    indented = f"{newline} "
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}:{_lines(part, indented)}" for key, part in sorted(value.items())]
        return f"{{{indented}{f',{indented}'.join(entries)}{newline}}}"
    return f"[{indented}{f',{indented}'.join(_lines(part, indented) for part in value)}{newline}]"
