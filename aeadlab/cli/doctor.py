"""``aeadlab doctor``: what about this computer would spoil a measurement."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from aeadlab import doctor, machine
from aeadlab.errors import Error
from aeadlab.terminal import paragraphs, wrap

NAME = "doctor"
HELP = "say what about this computer would spoil a measurement; reads, never changes"

_INDENT = 9
_FEATURE = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--json", action="store_true", help="print facts, findings and quality flags as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings, worst first; the exit code is 0 whatever they are, because looking has not failed."""
    facts = machine.facts()
    found = doctor.findings(facts)
    flags = doctor.quality_flags(found)
    if arguments.json:
        findings = [dataclasses.asdict(finding) for finding in found]
        print(json.dumps({"facts": facts, "findings": findings, "flags": flags, "used": _used()}, indent=2))
    else:
        print(render(facts, found))
        print("\n".join(["", *_features(_used())]))
    return 0


def _used() -> dict[str, list[str]] | None:
    """Libraries by CPU feature; None where the catalogue cannot be loaded, which other verbs say."""
    from aeadlab.catalogue import load
    from aeadlab.catalogue.features import used_features

    try:
        return used_features(load())
    except (Error, ImportError):
        return None


def _features(used: Mapping[str, Sequence[str]] | None) -> list[str]:
    if used is None:
        return wrap("Which CPU features the libraries use is unknown: the extension cannot be loaded.", "")
    lines = ["CPU features that libraries say they use, for one algorithm at least"]
    for feature, libraries in used.items():
        name = feature or "unsaid"
        lines += wrap(f"{name:<{_FEATURE}}{', '.join(libraries) or '-'}", " " * _FEATURE)
    return lines


def render(facts: Mapping[str, Any], findings: Sequence[doctor.Finding]) -> str:
    """The findings as text of at most 80 columns: in full what matters or is unknown, one line each for the rest."""
    blocks = [wrap(_summary(facts), "")]
    for label in ("critical", "warning", "info", doctor.UNKNOWN, "ok"):
        lines: list[str] = []
        for finding in findings:
            if label == (doctor.UNKNOWN if finding.value == doctor.UNKNOWN else finding.level):
                lines += _entry(label, finding)
        blocks.append(lines)
    return paragraphs(blocks)


def _entry(label: str, finding: doctor.Finding) -> list[str]:
    head = f"{label:<{_INDENT}}{finding.name}"
    if label == doctor.UNKNOWN:
        return wrap(f"{head}: {finding.means}", " " * (_INDENT + 2))
    lines = wrap(f"{head}: {finding.value}", " " * (_INDENT + 2))
    if label != "ok":
        lines += wrap(" " * _INDENT + finding.means, " " * _INDENT)
        lines += wrap(f"{' ' * _INDENT}-> {finding.advice}", " " * (_INDENT + 3)) if finding.advice else []
    return lines


def _summary(facts: Mapping[str, Any]) -> str:
    memory = facts.get("mem_total")
    parts = (
        facts.get("cpu_model_name") or "CPU of unknown model",
        f"{facts.get('cpu_count') or doctor.UNKNOWN} CPUs on {facts.get('cpu_cores') or doctor.UNKNOWN} cores",
        f"{memory / 2**30:.1f} GiB of memory" if memory else "memory unknown",
        facts.get("platform"),
    )
    return ", ".join(str(part) for part in parts if part)
