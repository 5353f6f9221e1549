"""``aeadlab list``: every implementation that this computer can run, and why others are absent."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import count

from aeadlab.catalogue import Description, Implementation, gil, load
from aeadlab.cli.options import add_plugins
from aeadlab.errors import MeasurementError
from aeadlab.kinds import KINDS
from aeadlab.terminal import fill
from aeadlab.verify.report import Report

NAME = "list"
HELP = "list the implementations that this computer can run"

_SHORT = 16
"""Letters of a kernel's name that fit beside a row."""
_LETTERS = {"in-place": "i", "thread-safe": "t", "open-computes-tag": "o", "any-nonce-length": "n"}
"""Flags that most implementations have; the others are written out."""
_HEADINGS = ("algorithm", "kind", "key", "nonce", "tag", "flags", "verified", "")
_LEGEND = (
    "Lengths in bytes. Flags: i works in place, t thread-safe, o opening computes the tag before it decrypts, n nonces "
    "of any length. Verified: on this computer, as it is now; `aeadlab verify` does it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--kind", choices=KINDS, help="only this kind")
    parser.add_argument("--library", help="only this library")
    parser.add_argument("--algorithm", help="only this algorithm")
    add_plugins(parser)
    parser.add_argument("--probe", action="store_true", help="find out which Python libraries release the GIL")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    catalogue = load(arguments.plugins)
    chosen = catalogue.select(arguments.kind, arguments.library, arguments.algorithm)
    descriptions = [i.description for i in chosen]
    python = [i for i in chosen if i.description.origin == "python"]
    if arguments.probe:
        _probe(python)
    releasing = gil.remembered(python)
    # Here, and after the catalogue, which says what to do where the compiled extension is missing.
    from aeadlab.verify.cached import remembered

    reports = remembered(chosen, catalogue)
    if arguments.json:
        rows = [
            {"name": d.name, **asdict(d), "flags": sorted(d.flags), **_lock(d, releasing), **_verdict(d, reports)}
            for d in descriptions
        ]
        print(json.dumps({"implementations": rows, "absent": catalogue.absent}, indent=1))
    else:
        print(render(descriptions, catalogue.absent, releasing, reports))
    return 0


def _probe(implementations: Sequence[Implementation]) -> None:
    # Here, because a plain list does without it.
    from tqdm import tqdm

    for implementation in tqdm(implementations, delay=2, disable=not sys.stderr.isatty(), leave=False):
        with contextlib.suppress(MeasurementError):
            gil.probe(implementation)


def _lock(d: Description, releasing: Mapping[str, bool]) -> dict[str, bool]:
    return {"releases_gil": releasing[d.name]} if d.name in releasing else {}


def _verdict(d: Description, reports: Mapping[str, Report]) -> dict[str, bool | str | None]:
    report = reports.get(d.name)
    return {"verified": None if report is None else report.ok, "reason": "" if report is None else report.reason}


def render(
    descriptions: Sequence[Description],
    absent: Mapping[str, str],
    releasing: Mapping[str, bool] | None = None,
    reports: Mapping[str, Report] | None = None,
) -> str:
    """The catalogue as text of at most 80 columns, a block for each library.

    Parameters
    ----------
    releasing
        Whether an implementation releases Python's global lock, by name, for those where this is known.
    reports
        What verification found, by name, for those that were verified.
    """
    blocks = []
    # A plugin may add to a library that is linked, and is then of another version.
    for source in dict.fromkeys((d.library, d.origin) for d in descriptions):
        rows = [d for d in descriptions if (d.library, d.origin) == source]
        blocks.append("\n".join([*_heading(rows), *_table(rows, releasing or {}, reports or {})]))
    counts = ", ".join(f"{n} {kind}" for kind in KINDS if (n := sum(d.kind == kind for d in descriptions)))
    blocks.append(f"{len(descriptions)} implementations: {counts}" if descriptions else "no implementation matches")
    if descriptions:
        blocks.append(fill(_LEGEND, ""))
    if absent:
        blocks.append("\n".join(fill(f"absent: {name}: {why}") for name, why in absent.items()))
    return "\n\n".join(blocks)


def _heading(rows: Sequence[Description]) -> list[str]:
    d = rows[0]
    origin = "plugin" if d.origin not in ("linked", "python") else d.origin
    kernel = _common_kernel(rows)
    lines = [fill(f"{d.library}  {d.version}  ({origin})")]
    return lines + ([fill(f"  kernel {kernel}", "    ")] if kernel else [])


def _common_kernel(rows: Sequence[Description]) -> str:
    """The only kernel that the rows of a library name, if they name one."""
    kernels = {d.kernel for d in rows if d.kernel}
    return kernels.pop() if len(kernels) == 1 else ""


def _table(rows: Sequence[Description], releasing: Mapping[str, bool], reports: Mapping[str, Report]) -> list[str]:
    kernels = {} if _common_kernel(rows) else _kernel_marks(rows)
    cells = [_HEADINGS, *(_cells(d, kernels, releasing, reports.get(d.name)) for d in rows)]
    wide = max(len(row[0]) for row in cells)
    lines = []
    for algorithm, kind, key, nonce, tag, flags, verified, marks in cells:
        head = f"  {algorithm:<{wide}} {kind:<6} {key:>4} {nonce:>5} {tag:>4}  {flags:<5}  {verified:<8}  "
        lines.append(fill(head + marks, " " * len(head)).rstrip())
        report = reports.get(f"{rows[0].library}/{algorithm}")
        if report is not None and not report.ok:
            lines.append(fill(f"    {report.reason}", "      "))
    notes = [f"  {mark} {kernel}" for kernel, mark in kernels.items() if kernel not in mark]
    return [*lines, *(fill(note, "      ") for note in notes)]


def _kernel_marks(rows: Sequence[Description]) -> dict[str, str]:
    """How each kernel stands in a row: by its name, or if that is long by the number of a note."""
    marks: dict[str, str] = {}
    notes = count(1)
    for kernel in dict.fromkeys(d.kernel for d in rows if d.kernel):
        marks[kernel] = f"[{kernel}]" if len(kernel) <= _SHORT else f"[{next(notes)}]"
    return marks


def _cells(
    d: Description, kernels: Mapping[str, str], releasing: Mapping[str, bool], report: Report | None
) -> tuple[str, ...]:
    letters = "".join(letter for flag, letter in _LETTERS.items() if flag in d.flags)
    marks = sorted(d.flags - _LETTERS.keys())
    if d.name in releasing:
        marks.append("releases-gil" if releasing[d.name] else "holds-gil")
    if d.kernel in kernels:
        marks.append(kernels[d.kernel])
    verified = "-" if report is None else "ok" if report.ok else "?" if report.unverifiable else "FAILED"
    sizes = str(d.key_bytes), str(d.nonce_bytes), str(d.tag_bytes)
    return d.algorithm, d.kind, *sizes, letters, verified, " ".join(marks)
