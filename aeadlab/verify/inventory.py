"""The catalogue with the state of each implementation's verification, as text and for JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from aeadlab.catalogue import Description, gil, load, patterns
from aeadlab.catalogue.kinds import KINDS
from aeadlab.display.nearest import hint
from aeadlab.display.progress import bar
from aeadlab.display.terminal import WIDTH, fill
from aeadlab.errors import MeasurementError, UnknownNameError
from aeadlab.verify.report import Report

_FIXED_WIDTH = 44
"""Width of a row in characters without the algorithm and the last column, whose widths vary."""
_LETTERS = {"in-place": "i", "thread-safe": "t", "open-computes-tag": "o", "any-nonce-length": "n"}
"""Abbreviations of frequent flags."""
_HEADINGS = ("algorithm", "kind", "key", "nonce", "tag", "flags", "verified", "")
_LEGEND = (
    "Lengths are in bytes. Flags: i works in place, t thread-safe, o opening computes the tag before it decrypts, n "
    "nonces of any length. Verified: the cached result of `aeadlab verify` for the current versions."
)


@dataclass(frozen=True)
class Inventory:
    """Implementations with the state of their verification.

    Attributes
    ----------
    absent
        The reason for each library or plugin that cannot be loaded, by name.
    releases_gil
        Results of `aeadlab.catalogue.gil.probe`, by name of the implementation.
    reports
        Cached verification reports, by name of the implementation.
    """

    descriptions: Sequence[Description]
    absent: Mapping[str, str]
    releases_gil: Mapping[str, bool] = field(default_factory=dict)
    reports: Mapping[str, Report] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the content for JSON."""
        return {"implementations": [self._row(d) for d in self.descriptions], "absent": self.absent}

    def _row(self, d: Description) -> dict[str, Any]:
        report = self.reports.get(d.name)
        verification = {
            "verified": None if report is None else report.ok,
            "reason": "" if report is None else report.reason,
        }
        gil = {"releases_gil": self.releases_gil[d.name]} if d.name in self.releases_gil else {}
        return {"name": d.name, **asdict(d), "flags": sorted(d.flags), **gil, **verification}

    def as_text(self) -> str:
        """Return a block for each library, the counts, and what is absent, in at most 80 columns."""
        blocks = []
        # A plugin can add algorithms to a linked library, and then has a version of its own.
        for source in dict.fromkeys((d.library, d.origin) for d in self.descriptions):
            rows = [d for d in self.descriptions if (d.library, d.origin) == source]
            blocks.append("\n".join([*_heading(rows), *self._table(rows)]))
        number = len(self.descriptions)
        counts = ", ".join(f"{n} {kind}" for kind in KINDS if (n := sum(d.kind == kind for d in self.descriptions)))
        blocks += (
            [fill(f"{number} implementations: {counts}", "  "), fill(_LEGEND, "")]
            if number
            else ["no implementation matches these options"]
        )
        if self.absent:
            blocks.append(absent_text(self.absent))
        return "\n\n".join(blocks)

    def _table(self, rows: Sequence[Description]) -> list[str]:
        width = max(len(name) for name in (_HEADINGS[0], *(d.algorithm for d in rows)))
        kernels = {} if _common_kernel(rows) else _kernel_marks(rows, WIDTH - _FIXED_WIDTH - width)
        cells = [_HEADINGS, *(self._cells(d, kernels) for d in rows)]
        lines = []
        for algorithm, kind, key, nonce, tag, flags, verified, marks in cells:
            head = f"  {algorithm:<{width}} {kind:<6} {key:>4} {nonce:>5} {tag:>4}  {flags:<5}  {verified:<8}  "
            if len(head) + max(map(len, marks.split()), default=0) <= WIDTH:
                lines.append(fill(head + marks, " " * len(head)).rstrip())
            else:
                lines += [head.rstrip(), fill(f"      {marks}", "      ")]
            report = self.reports.get(f"{rows[0].library}/{algorithm}")
            if report is not None and not report.ok:
                lines.append(fill(f"    {report.reason}", "      "))
        notes = [f"  {mark} {kernel}" for kernel, mark in kernels.items() if kernel not in mark]
        return [*lines, *(fill(note, "      ") for note in notes)]

    def _cells(self, d: Description, kernels: Mapping[str, str]) -> tuple[str, ...]:
        report = self.reports.get(d.name)
        letters = "".join(letter for flag, letter in _LETTERS.items() if flag in d.flags)
        marks = sorted(d.flags - _LETTERS.keys())
        if d.name in self.releases_gil:
            marks.append("releases-gil" if self.releases_gil[d.name] else "holds-gil")
        if d.kernel in kernels:
            marks.append(kernels[d.kernel])
        verified = "-" if report is None else report.verdict
        sizes = str(d.key_bytes), str(d.nonce_bytes), str(d.tag_bytes)
        return d.algorithm, d.kind, *sizes, letters, verified, " ".join(marks)


def take_inventory(
    plugins: Sequence[Path] = (),
    *,
    names: Sequence[str] = (),
    kind: str | None = None,
    library: str | None = None,
    algorithm: str | None = None,
    probe: bool = False,
) -> Inventory:
    """Return the implementations of these names, this kind, library and algorithm; nothing is verified.

    Parameters
    ----------
    plugins
        Files or folders with plugins in addition to the default ones.
    names
        Implementations, algorithms or globs; see `aeadlab.catalogue.patterns.select`. An empty sequence selects all.
    probe
        Whether to find out which Python libraries release the GIL. An implementation whose calls are too short for
        that has no result.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the catalogue has no such library or algorithm, or a name matches nothing.
    """
    catalogue = load(plugins)
    for fact, name in {"library": library, "algorithm": algorithm}.items():
        known = {str(getattr(i.description, fact)): None for i in catalogue}
        if name is not None and name not in known:
            absent = catalogue.absent.get(name)
            why = f"it is absent: {absent}" if absent else hint(name, known, f"`aeadlab list` shows each {fact}")
            raise UnknownNameError(f"there is no {fact} {name!r}; {why}")
    selected = catalogue.select(kind, library, algorithm)
    if names:
        named = {i.name for i in patterns.select(catalogue, names)}
        selected = [i for i in selected if i.name in named]
    python = [i for i in selected if i.description.origin == "python"]
    if probe:
        with bar(len(python), "probing", "implementation") as progress:
            for implementation in python:
                with contextlib.suppress(MeasurementError):
                    gil.probe(implementation)
                progress.update()
    # Imported after the catalogue was loaded, whose error for a missing extension names the remedy.
    from aeadlab.verify.cached import cached_reports

    descriptions = [i.description for i in selected]
    return Inventory(descriptions, catalogue.absent, gil.cached_results(python), cached_reports(selected, catalogue))


def absent_text(absent: Mapping[str, str]) -> str:
    """Return a line for each absent library or plugin with the reason."""
    return "\n".join(fill(f"absent: {name}: {reason}") for name, reason in absent.items())


def _heading(rows: Sequence[Description]) -> list[str]:
    d = rows[0]
    origin = "plugin" if d.is_plugin else d.origin
    kernel = _common_kernel(rows)
    lines = [fill(f"{d.library}  {d.version}  ({origin})")]
    return lines + ([fill(f"  kernel {kernel}", "    ")] if kernel else [])


def _common_kernel(rows: Sequence[Description]) -> str:
    """Return the kernel of a library if its rows name only one, otherwise ``""``."""
    kernels = {d.kernel for d in rows if d.kernel}
    return kernels.pop() if len(kernels) == 1 else ""


def _kernel_marks(rows: Sequence[Description], width: int) -> dict[str, str]:
    """Return the mark of each kernel in its rows: the name if it fits in `width`, otherwise the number of a note."""
    marks: dict[str, str] = {}
    notes = count(1)
    for kernel in dict.fromkeys(d.kernel for d in rows if d.kernel):
        marks[kernel] = f"[{kernel}]" if len(kernel) + 2 <= width else f"[{next(notes)}]"
    return marks
