"""``aeadlab list``: every implementation that this computer can run, and why others are absent."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from aeadlab.catalogue import Description, load
from aeadlab.cli.options import add_plugins

NAME = "list"
HELP = "list the implementations that this computer can run"

_WIDTH = 80
_KINDS = ("aead", "cipher", "hash", "mac", "generator")
_HEADINGS = ("algorithm", "key", "nonce", "tag", "flags")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--kind", choices=_KINDS, help="only this kind")
    parser.add_argument("--library", help="only this library")
    parser.add_argument("--algorithm", help="only this algorithm")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    catalogue = load(arguments.plugins)
    chosen = catalogue.select(arguments.kind, arguments.library, arguments.algorithm)
    descriptions = [i.description for i in chosen]
    if arguments.json:
        rows = [{"name": d.name, **asdict(d), "flags": sorted(d.flags)} for d in descriptions]
        print(json.dumps({"implementations": rows, "absent": catalogue.absent}, indent=1))
    else:
        print(render(descriptions, catalogue.absent))
    return 0


def render(descriptions: Sequence[Description], absent: Mapping[str, str]) -> str:
    """The catalogue as text of at most 80 columns, a block for each library."""
    blocks = []
    # A plugin may add to a library that is linked, and is then of another version.
    for source in dict.fromkeys((d.library, d.origin) for d in descriptions):
        rows = [d for d in descriptions if (d.library, d.origin) == source]
        blocks.append("\n".join([*_heading(rows[0]), *_table(rows)]))
    counts = ", ".join(f"{n} {kind}" for kind in _KINDS if (n := sum(d.kind == kind for d in descriptions)))
    blocks.append(f"{len(descriptions)} implementations: {counts}" if descriptions else "no implementation matches")
    if absent:
        blocks.append("\n".join(_wrap(f"absent: {name}: {why}", "  ") for name, why in absent.items()))
    return "\n\n".join(blocks)


def _heading(d: Description) -> list[str]:
    origin = "plugin" if d.origin not in ("linked", "python") else d.origin
    lines = [_wrap(f"{d.library}  {d.version}  ({origin})", "  ")]
    return lines + ([_wrap(f"  kernel {d.kernel}", "    ")] if d.kernel else [])


def _table(rows: Sequence[Description]) -> list[str]:
    cells = [
        _HEADINGS,
        *((d.algorithm, str(d.key_bytes), str(d.nonce_bytes), str(d.tag_bytes), _flags(d)) for d in rows),
    ]
    wide = max(len(row[0]) for row in cells)
    lines = []
    for algorithm, key, nonce, tag, flags in cells:
        head = f"  {algorithm:<{wide}} {key:>4} {nonce:>5} {tag:>4}  "
        lines.append(_wrap(head + flags, " " * len(head)).rstrip())
    return lines


def _flags(d: Description) -> str:
    return " ".join([d.kind, *sorted(d.flags)])


def _wrap(text: str, indent: str) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True, break_long_words=True
    )
