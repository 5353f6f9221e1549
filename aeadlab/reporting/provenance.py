"""The section with the provenance: commit, plan, implementations with their verification, events, machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from aeadlab.display.markup import (
    Content,
    Html,
    bullet_list,
    definition_list,
    element,
    join,
    paragraph,
    text_table,
    truncate,
)
from aeadlab.display.units import DASH, count_noun, size_name
from aeadlab.host import doctor
from aeadlab.reporting.analysis import Analysis

_MAX_IMPLEMENTATIONS = 500


def provenance(analysis: Analysis) -> Html:
    """Return the whole provenance except the planned cases, which are in the tables."""
    return join(
        [
            definition_list(_run(analysis)),
            element("h3", "Implementations"),
            _implementations(analysis),
            element("h3", "Events of the run"),
            bullet_list(map(_event, analysis.notes)) if analysis.notes else paragraph("None."),
            _machine(analysis.record.machine),
        ]
    )


def _run(analysis: Analysis) -> Iterator[tuple[Content, Content]]:
    plan, machine = analysis.section("plan"), analysis.record.machine
    profile = plan.get("profile") or {}
    yield "Commit", _commit(analysis.section("commit"))
    yield "Hash of the plan", _value(analysis.provenance.get("definition"))
    yield "Profile", ", ".join(f"{key} {_profile_value(key, value)}" for key, value in profile.items())
    yield "Seed", _value(plan.get("seed"))
    yield "Plugins", _value(plan.get("plugins") or "none")
    yield "Kernel", _value(machine.get("kernel"))
    yield "C library, Python", " and ".join(_value(machine.get(key)) for key in ("libc", "python_version"))
    yield "Extension", _value(analysis.provenance.get("extension"))
    yield "OpenMP", _value(analysis.provenance.get("openmp"))
    packages = analysis.section("packages")
    yield "Packages", _value({name: version or "absent" for name, version in packages.items()})
    yield "Schema of the record", _value(analysis.provenance.get("schema"))


def _commit(commit: Mapping[str, Any]) -> Content:
    if not commit:
        return "unknown: not measured from a checkout"
    files = commit.get("files") or ()
    state = "with uncommitted changes" if commit.get("dirty") else "without uncommitted changes"
    state += f" of {', '.join(files)}" if files else ""
    return [element("code", str(commit.get("id"))), f", {state}"]


def _profile_value(key: str, value: Any) -> str:
    return size_name(value) if key == "bytes" and isinstance(value, int) else "none" if value is None else str(value)


def _implementations(analysis: Analysis) -> Html:
    described, verified = analysis.section("implementations"), analysis.section("verified")
    headings = ("implementation", "kind", "version", "build", "kernel", "origin", "verification", "flags")
    names = sorted({**described, **verified})
    rows = [_implementation(name, described.get(name) or {}, verified.get(name)) for name in names]
    omitted = len(rows) - _MAX_IMPLEMENTATIONS
    more = paragraph(f"{omitted:,} more are in the record.") if omitted > 0 else None
    return join([text_table(headings, rows[:_MAX_IMPLEMENTATIONS]), more])


def _implementation(name: str, facts: Mapping[str, Any], report: Mapping[str, Any] | None) -> list[Content]:
    return [
        name,
        *(truncate(str(facts.get(key) or DASH)) for key in ("kind", "version", "build", "kernel")),
        _origin(facts),
        _verification(report),
        ", ".join(map(str, facts.get("flags") or ())) or DASH,
    ]


def _origin(facts: Mapping[str, Any]) -> Content:
    sha = facts.get("sha256")
    return [str(facts.get("origin") or DASH), f", SHA-256 {str(sha)[:16]}…" if sha else None]


def _verification(report: Mapping[str, Any] | None) -> Content:
    if not report:
        return "no report"
    counts = [_check(check) for check in report.get("checks") or ()]
    verdict = "passed" if report.get("ok") else f"failed: {truncate(str(report.get('reason')))}"
    return [verdict, element("small", ", ".join(counts)) if counts else None]


def _check(check: Mapping[str, Any]) -> str:
    failed = f", {check['failed']:,} failed" if check.get("failed") else ""
    return f"{check.get('name')} {check.get('run') or 0:,}{failed}"


def _event(note: Mapping[str, Any]) -> str:
    """Return a note in words; unknown keys are shown with their values."""
    words: dict[str, Callable[[Any], str]] = {
        "start": lambda value: f"a process started at {datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S} UTC",
        "pid": lambda value: f"process number {value}",
        "spent": lambda value: f"{value:.1f} s of measurement",
        "cut": lambda value: f"the time budget ended the run after {value}",
        "reduced": lambda value: f"the time budget reduced the rounds: {value}",
        "share": lambda value: f"the share of process {value + 1} is complete",
        "rounds": lambda value: count_noun(value, "round"),
        "stopped": lambda value: f"the run was interrupted after {value}",
        "slow": lambda value: f"slow cases have fewer samples: {'; '.join(value)}",
        "enough": lambda value: f"all intervals reached the required width after {value}",
    }
    known = [describe(note[key]) for key, describe in words.items() if key in note]
    return "; ".join([*known, *(f"{key}: {_value(value)}" for key, value in sorted(note.items()) if key not in words)])


def _machine(machine: Mapping[str, Any]) -> Html:
    lines = [[key, truncate(_value(value), 2000)] for key, value in sorted(machine.items())]
    # Collapsed, since the findings have the important facts, and omitted in print.
    return element(
        "details", element("summary", f"All {len(lines)} facts about the machine"), text_table(("fact", "value"), lines)
    )


def _value(value: Any) -> str:
    if value is None:
        return doctor.UNKNOWN
    if isinstance(value, str | int | float):
        return str(value)
    parts = value.values() if isinstance(value, Mapping) else ()
    if parts and all(isinstance(part, bool) for part in parts):
        return ", ".join(name if present else f"no {name}" for name, present in sorted(value.items()))
    if parts and all(isinstance(part, str) for part in parts):
        return ", ".join(f"{name} {part}" for name, part in sorted(value.items()))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
