"""``aeadlab masks``: which CPU features can be hidden from which library here, and what that changes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from aeadlab.catalogue import load
from aeadlab.cli.options import add_plugins
from aeadlab.terminal import fill

if TYPE_CHECKING:
    from aeadlab.bench.effect import Effect

NAME = "masks"
HELP = "show which CPU features can be hidden from which library here, and what that changes"

_ALGORITHMS = ("aes-256-gcm", "chacha20-poly1305", "sha-256", "memcpy")
"""What shows most of what libraries choose by CPU, where no implementation is named."""
_LEGEND = (
    "Numbers: time for 64 KiB under the mask over time without. = it changes nothing here, - the library's switch does "
    "not know the feature. With a NAME: in words."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("implementation", nargs="*", metavar="NAME", help=f"default: {', '.join(_ALGORITHMS)} of all")
    parser.add_argument("--mask", action="append", metavar="MASK", help="only this one (repeatable)")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Try every mask on every implementation, and print what changed or why nothing did."""
    from aeadlab.masking import survey

    catalogue = load(arguments.plugins)
    names = arguments.implementation
    usual = [i for algorithm in _ALGORITHMS for i in catalogue.select(algorithm=algorithm)]
    found, untold = survey([catalogue.find(name) for name in names] or usual, catalogue, arguments.mask)
    if arguments.json:
        rows = [effect.as_dict() for effects in found.values() for effect in effects]
        print(json.dumps({"effects": rows, "untold": untold}, indent=1))
        return 0
    blocks = [_details(found) if names else _matrix(found), _untold(untold)]
    print("\n\n".join(block for block in [_meanings(found), *blocks] if block))
    return 0


def _meanings(found: Mapping[str, Sequence[Effect]]) -> str:
    """What each mask of the table hides."""
    from aeadlab.bench.masks import MASKS

    tried = dict.fromkeys(effect.mask for effects in found.values() for effect in effects)
    lines = ["mask       hides"] * bool(tried)
    for mask in (MASKS[name] for name in tried):
        lines.append(fill(f"{mask.name:<9}  {', '.join(mask.hides) or '-'}: {mask.meaning}", " " * 11))
    return "\n".join(lines)


def _details(found: Mapping[str, Sequence[Effect]]) -> str:
    blocks = []
    for name, effects in found.items():
        lines = [fill(f"  {effect.mask:<9}  {effect.words}", " " * 13) for effect in effects]
        blocks.append("\n".join([name, *lines]))
    return "\n\n".join(blocks)


def _matrix(found: Mapping[str, Sequence[Effect]]) -> str:
    """A column for each mask, a row for each implementation, those of a library together."""
    from aeadlab.bench.masks import switches

    if not found:
        return ""
    masks = [effect.mask for effect in next(iter(found.values()))]
    # Names of masks are wider than their columns: what most begin with stands above.
    above = ["no-" if mask.startswith("no-") else "" for mask in masks]
    lines = [_row("", above), _row("", [mask.removeprefix("no-") for mask in masks])]
    notes = []
    for library in sorted({name.split("/")[0] for name in found}):
        of_library = {name: effects for name, effects in found.items() if name.split("/")[0] == library}
        told = dict.fromkeys(switch.variable for name in of_library for switch in switches(name))
        lines.append(f"{library} ({', '.join(told)})")
        for name, effects in of_library.items():
            lines.append(_row(f" {name.split('/')[1]}", [_cell(effect) for effect in effects]))
            notes += [f"! {name}: {e.why_none}" for e in effects if _cell(e) == "!"]
    return "\n".join([*lines, fill(_LEGEND, ""), *(fill(note) for note in notes)])


def _row(head: str, cells: Sequence[str]) -> str:
    return f"{head:<18}{' '.join(f'{cell:>6}' for cell in cells)}"


def _cell(effect: Effect) -> str:
    if effect.ratios and not effect.why_none:
        return f"{median(effect.ratios):.2f}"
    return "-" if "cannot be told" in effect.why_none else "=" if "changes nothing" in effect.why_none else "!"


def _untold(untold: Mapping[str, str]) -> str:
    return "\n".join(fill(why) for why in untold.values())
