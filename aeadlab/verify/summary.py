"""Verification of named implementations, and the reports as text."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aeadlab.catalogue import load, patterns
from aeadlab.catalogue.names import base_algorithm
from aeadlab.display.progress import bar
from aeadlab.display.terminal import fill
from aeadlab.resuming import Unfinished
from aeadlab.verify.inventory import absent_text
from aeadlab.verify.report import Report

_INDENT = " " * 8
_PASSED = {
    "known answers": "known answers: ",
    "agreement": "answers equal to those of ",
    "round trip": "round trips: ",
    "tamper": "changes rejected: ",
    "many blocks": "runs of blocks in one call: ",
    "contexts": "messages of contexts at once: ",
    "randomness": "tests of randomness: ",
    "lengths": "random lengths equal to those of ",
    "files": "files opened and changes rejected: ",
}


@dataclass(frozen=True)
class Summary:
    """Verification reports, and the reasons for absent libraries and plugins."""

    reports: Sequence[Report]
    absent: Mapping[str, str]
    seed: int | None = None
    """Seed of the random lengths; None without them."""

    @property
    def ok(self) -> bool:
        """Whether no implementation failed a check; unverifiable ones have not failed."""
        return all(report.ok or report.unverifiable for report in self.reports)

    def as_dict(self) -> dict[str, Any]:
        """Return the content for JSON."""
        return {"seed": self.seed, "reports": [report.as_dict() for report in self.reports], "absent": self.absent}

    def as_text(self) -> str:
        """Return a block for each report, then the totals, in at most 80 columns."""
        blocks = ["\n".join(_report(report)) for report in self.reports]
        seed = [] if self.seed is None else [f"random lengths: seed {self.seed}"]
        blocks.append("\n".join([*_totals(self.reports), *seed]))
        if self.absent:
            blocks.append(absent_text(self.absent))
        return "\n\n".join(blocks)


def verify_all(names: Sequence[str] = (), plugins: Sequence[Path] = (), seed: int | None = None) -> Summary:
    """Verify implementations without using cached reports; errors as `patterns.select` and `verify`.

    After an interrupt, the same call verifies the remaining implementations, with the same seed.

    Parameters
    ----------
    names
        Implementations, algorithms or globs. An empty sequence, or ``all`` among them, selects the whole catalogue.
    plugins
        Files or folders with plugins in addition to the default ones.
    seed
        Of the random lengths; None draws one, which the summary contains.
    """
    catalogue = load(plugins)
    selected = patterns.select_or_all(catalogue, names)
    # Implementations of one algorithm are adjacent, since they share test vectors, which are then read once.
    selected.sort(key=lambda i: (i.description.algorithm, i.description.library))
    # Imported after the catalogue was loaded, whose error for a missing extension names the remedy.
    from aeadlab.verify.cached import verified
    from aeadlab.verify.lengths.check import with_lengths

    command = {"verify": [i.name for i in selected], "plugins": [str(path) for path in plugins], "seed": seed}
    with Unfinished(command, seed=secrets.randbelow(1 << 32) if seed is None else seed) as unfinished:
        seed, before = unfinished.values["seed"], frozenset(unfinished.done)
        with bar(len(selected), "verifying", "implementation", resumes=True) as progress:

            def keep(name: str) -> None:
                unfinished.add(name)
                progress.update()

            reports = verified(selected, catalogue, fresh=True, resumed=before, done=keep)
        with bar(len(selected), "random lengths", "implementation", resumes=True) as progress:
            waiting = set(reports)

            def advance(name: str) -> None:
                progress.update(name in waiting)
                waiting.discard(name)

            reports = with_lengths(reports, selected, catalogue, seed, advance)
    return Summary(list(reports.values()), catalogue.absent, seed)


def _report(report: Report) -> list[str]:
    lines = [fill(f"{report.verdict:<6}  {report.implementation}  {report.version}", _INDENT)]
    if report.reason:
        lines.append(fill(f"{_INDENT}{report.reason}", _INDENT + "  "))
    for check in report.checks:
        sources = ", ".join(check.sources) if check.name in ("agreement", "lengths") else _counts(check.sources)
        passed = f"{check.run - check.failed} {_PASSED[check.name]}{sources or 'none'}"
        lines.append(fill(_INDENT + passed, _INDENT + "  "))
        if check.skipped:
            lines.append(fill(f"{_INDENT}  not run: {_counts(check.skipped)}", _INDENT + "    "))
    return lines


def _totals(reports: Sequence[Report]) -> list[str]:
    """Return the number of each verdict, of vectors by source, and of agreeing implementations by algorithm."""
    verdicts = Counter(report.verdict for report in reports)
    lines = [f"{verdicts['ok']} ok, {verdicts['FAILED']} failed, {verdicts['?']} cannot be verified"]
    sources: Counter[str] = Counter()
    agreeing: dict[str, set[str]] = {}
    for report in reports:
        known_answers, agreement = report.check("known answers"), report.check("agreement")
        sources.update(known_answers.sources if known_answers else {})
        if agreement and agreement.ok:
            algorithm = base_algorithm(report.implementation.partition("/")[2])
            agreeing.setdefault(algorithm, set()).update({report.implementation, *agreement.sources})
    if sources:
        lines.append(fill(f"known answers: {_counts(dict(sorted(sources.items())))}"))
    if agreeing:
        lines.append(fill(f"agreeing: {_counts({name: len(names) for name, names in agreeing.items()})}"))
    return lines


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
