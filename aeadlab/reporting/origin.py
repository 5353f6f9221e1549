"""Where the numbers come from: machine, compilers, every implementation with its verification, plan, commit, notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from aeadlab import doctor
from aeadlab.markup import Content, Html, element, facts, joined, listed, paragraph, texts
from aeadlab.reporting.digest import Digest
from aeadlab.reporting.words import DASH, clipped
from aeadlab.units import size_name

_MOST_IMPLEMENTATIONS = 500


def origin(digest: Digest) -> Html:
    """Everything that the provenance holds, except the plan's cases, which are in the tables."""
    return joined(
        [
            facts(_run(digest)),
            element("h3", "Implementations"),
            _implementations(digest),
            element("h3", "What happened"),
            listed(map(_happened, digest.notes)) if digest.notes else paragraph("No notes."),
            _machine(digest.known("machine")),
        ]
    )


def _run(digest: Digest) -> Iterator[tuple[Content, Content]]:
    plan, machine = digest.known("plan"), digest.known("machine")
    profile = plan.get("profile") or {}
    yield "Commit", _commit(digest.provenance.get("commit"))
    yield "Definition of the plan", _value(digest.provenance.get("definition"))
    yield "Profile", ", ".join(f"{key} {_profile(key, value)}" for key, value in profile.items())
    yield "Seed", _value(plan.get("seed"))
    yield "Plugins given", _value(plan.get("plugins") or "none")
    yield "Kernel", _value(machine.get("kernel"))
    yield "C library, Python", " and ".join(_value(machine.get(key)) for key in ("libc", "python_version"))
    yield "Extension", _value(digest.provenance.get("extension"))
    yield "OpenMP", _value(digest.provenance.get("openmp"))
    packages = digest.known("packages")
    yield "Packages", _value({name: version or "absent" for name, version in packages.items()})
    yield "Schema of the record", _value(digest.provenance.get("schema"))


def _commit(commit: Mapping[str, Any] | None) -> Content:
    if not commit:
        return "unknown: not measured from a checkout"
    state = "with changes that no commit holds" if commit.get("dirty") else "as it was committed"
    return [element("code", str(commit.get("id"))), f", {state}"]


def _profile(key: str, value: Any) -> str:
    return size_name(value) if key == "bytes" and isinstance(value, int) else "none" if value is None else str(value)


def _implementations(digest: Digest) -> Html:
    described, verified = digest.known("implementations"), digest.known("verified")
    headings = ("implementation", "kind", "version", "build", "kernel", "from", "verified", "flags")
    names = sorted({**described, **verified})
    rows = [_implementation(name, described.get(name) or {}, verified.get(name)) for name in names]
    left = len(rows) - _MOST_IMPLEMENTATIONS
    more = paragraph(f"{left:,} more are in the record.") if left > 0 else None
    return joined([texts(headings, rows[:_MOST_IMPLEMENTATIONS]), more])


def _implementation(name: str, facts: Mapping[str, Any], report: Mapping[str, Any] | None) -> list[Content]:
    return [
        name,
        *(clipped(str(facts.get(key) or DASH)) for key in ("kind", "version", "build", "kernel")),
        _source(facts),
        _verification(report),
        ", ".join(map(str, facts.get("flags") or ())) or DASH,
    ]


def _source(facts: Mapping[str, Any]) -> Content:
    sha = facts.get("sha256")
    return [str(facts.get("origin") or DASH), f", SHA-256 {str(sha)[:16]}…" if sha else None]


def _verification(report: Mapping[str, Any] | None) -> Content:
    if not report:
        return "no report"
    counts = [_check(check) for check in report.get("checks") or ()]
    verdict = "passed" if report.get("ok") else f"failed: {clipped(str(report.get('reason')))}"
    return [verdict, element("small", ", ".join(counts)) if counts else None]


def _check(check: Mapping[str, Any]) -> str:
    failed = f", {check['failed']:,} failed" if check.get("failed") else ""
    return f"{check.get('name')} {check.get('run') or 0:,}{failed}"


def _happened(note: Mapping[str, Any]) -> str:
    """A note in words; one that this version does not know is shown as it stands."""
    words: dict[str, Callable[[Any], str]] = {
        "start": lambda value: f"a process started at {datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S} UTC",
        "pid": lambda value: f"its number was {value}",
        "spent": lambda value: f"{value:.1f} s were spent",
        "cut": lambda value: f"the time budget ended the run after {value}",
        "stopped": lambda value: f"somebody stopped the run after {value}",
        "slow": lambda value: f"slow cases got fewer samples: {'; '.join(value)}",
        "enough": lambda value: f"every interval was narrow enough after {value}",
    }
    known = [said(note[key]) for key, said in words.items() if key in note]
    return "; ".join([*known, *(f"{key}: {_value(value)}" for key, value in sorted(note.items()) if key not in words)])


def _machine(machine: Mapping[str, Any]) -> Html:
    lines = [[key, clipped(_value(value), 2000)] for key, value in sorted(machine.items())]
    # Closed, since the findings above say what matters of them; a page that is printed leaves them out.
    return element(
        "details", element("summary", f"All {len(lines)} facts about the machine"), texts(("fact", "value"), lines)
    )


def _value(value: Any) -> str:
    if value is None:
        return doctor.UNKNOWN
    if isinstance(value, str | int | float):
        return str(value)
    parts = value.values() if isinstance(value, Mapping) else ()
    if parts and all(isinstance(part, bool) for part in parts):
        return ", ".join(name if there else f"no {name}" for name, there in sorted(value.items()))
    if parts and all(isinstance(part, str) for part in parts):
        return ", ".join(f"{name} {part}" for name, part in sorted(value.items()))
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
