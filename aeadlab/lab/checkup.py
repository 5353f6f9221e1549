"""The suitability of this computer for measurements: facts, findings, and the CPU features that libraries use."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aeadlab.display.terminal import paragraphs, wrap
from aeadlab.errors import Error
from aeadlab.host import doctor, machine
from aeadlab.host.cpu_name import cpu_name

_INDENT = 9
_FEATURE_WIDTH = 14


@dataclass(frozen=True)
class Checkup:
    """The facts about a computer and the doctor's findings.

    Attributes
    ----------
    features
        Libraries by the CPU feature that they report to use, and under ``""`` those that report none; None if the
        catalogue cannot be loaded.
    """

    facts: Mapping[str, Any]
    findings: Sequence[doctor.Finding]
    features: Mapping[str, Sequence[str]] | None

    def as_dict(self) -> dict[str, Any]:
        """Return the content for JSON, with the quality flags of the findings."""
        findings = [dataclasses.asdict(finding) for finding in self.findings]
        flags = doctor.quality_flags(self.findings)
        return {"facts": self.facts, "findings": findings, "flags": flags, "used": self.features}

    def as_text(self) -> str:
        """Return the findings, the most severe first, and the CPU features, in at most 80 columns."""
        blocks = [wrap(self._summary(), "")]
        for label in ("critical", "warning", "info", doctor.UNKNOWN, "ok"):
            chosen = [finding for finding in self.findings if label == _label(finding)]
            blocks.append([line for finding in chosen for line in _entry(label, finding)])
        return paragraphs([*blocks, self._features()])

    def _summary(self) -> str:
        memory = self.facts.get("mem_total")
        cpus, cores = (self.facts.get(key) or doctor.UNKNOWN for key in ("cpu_count", "cpu_cores"))
        parts = (
            cpu_name(self.facts) or "CPU of unknown model",
            f"{cpus} CPUs on {cores} cores",
            f"{memory / 2**30:.1f} GiB of memory" if memory else "memory unknown",
            self.facts.get("platform"),
        )
        return ", ".join(str(part) for part in parts if part)

    def _features(self) -> list[str]:
        if self.features is None:
            return wrap("The CPU features used by libraries are unknown: the extension cannot be loaded.", "")
        lines = ["CPU features that libraries report to use for at least one algorithm"]
        for feature, libraries in self.features.items():
            name = feature or "not reported"
            lines += wrap(f"{name:<{_FEATURE_WIDTH}}{', '.join(libraries) or '-'}", " " * _FEATURE_WIDTH)
        return lines


def check_computer() -> Checkup:
    """Return facts and findings about this computer; no setting is changed."""
    facts = machine.facts()
    return Checkup(facts, doctor.findings(facts), _used_features())


def _used_features() -> dict[str, list[str]] | None:
    # The verb also works without the extension, whose absence other verbs report.
    from aeadlab.bench.masks.reported import used_features
    from aeadlab.catalogue import load

    try:
        return used_features(load())
    except (Error, ImportError):
        return None


def _label(finding: doctor.Finding) -> str:
    return doctor.UNKNOWN if finding.value == doctor.UNKNOWN else finding.level


def _entry(label: str, finding: doctor.Finding) -> list[str]:
    head = f"{label:<{_INDENT}}{finding.name}"
    if label == doctor.UNKNOWN:
        return wrap(f"{head}: {finding.means}", " " * (_INDENT + 2))
    lines = wrap(f"{head}: {finding.value}", " " * (_INDENT + 2))
    if label != "ok":
        lines += wrap(" " * _INDENT + finding.means, " " * _INDENT)
        lines += wrap(f"{' ' * _INDENT}-> {finding.advice}", " " * (_INDENT + 3)) if finding.advice else []
    return lines
