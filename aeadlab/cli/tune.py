"""``aeadlab tune``: the fastest AEAD, block size and thread count on this computer, among those that are allowed."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING

from aeadlab.cli.options import add_plugins
from aeadlab.terminal import fill

if TYPE_CHECKING:
    from aeadlab.tuning import Row, Tuned

NAME = "tune"
HELP = "choose the fastest AEAD, block size and threads here; remembered for ParSplit"

_MOST_ROWS = 24
_MOST_NAMES = 8
_WIDTHS = ("<32", ">9", ">3", ">5", ">5", ">5", ">6", "<6")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "--allow",
        nargs="+",
        metavar="AEAD",
        help="names, algorithms or globs, preferred ones first (default: AES-GCM, ChaCha20-Poly1305 and its X form, "
        "AES-GCM-SIV)",
    )
    parser.add_argument("--size", type=_bytes, metavar="BYTES", help="length of a message, such as 64M (the default)")
    parser.add_argument("--block-size", type=_bytes, metavar="BYTES", help="only this block size")
    parser.add_argument("--threads", type=int, metavar="N", help="at most so many threads")
    parser.add_argument("--seconds", type=float, help="how long to measure (default: 5)")
    parser.add_argument("--fresh", action="store_true", help="measure again what is remembered")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Choose and say why."""
    # Here: it brings the statistics, which other verbs start without.
    from aeadlab.tuning import BYTES, SECONDS, tune

    tuned = tune(
        arguments.allow,
        BYTES if arguments.size is None else arguments.size,
        block_size=arguments.block_size,
        threads=arguments.threads,
        seconds=SECONDS if arguments.seconds is None else arguments.seconds,
        fresh=arguments.fresh,
        plugins=arguments.plugins,
    )
    print(json.dumps(tuned.as_dict(), indent=1) if arguments.json else render(tuned))
    return 0


def render(tuned: Tuned) -> str:
    """The result as text of at most 80 columns."""
    from aeadlab.tuning import LEAST_CORES, TOO_BUSY, size

    machine = tuned.machine
    cores = len(machine["affinity"] or ()) or machine["cores"]
    head = f"messages of {size(tuned.bytes)}, {cores} cores of {machine['cpu'].get('model name', 'an unnamed CPU')}"
    how = (
        f"remembered from {tuned.date}; --fresh measures again"
        if tuned.remembered
        else f"{tuned.rounds} rounds in random order, {tuned.seconds:.1f} s"
    )
    blocks = [f"{fill(head)}\n{fill(how)}", "\n".join(_table(tuned))]
    if tuned.screened:
        names = [f"{name} {speed:.2f}" for name, speed in list(tuned.screened.items())[:_MOST_NAMES]]
        if more := len(tuned.screened) - len(names):
            names.append(f"and {more} more")
        what = f"left behind at a first look, GiB/s at {size(tuned.screening_bytes)}"
        blocks.append(fill(f"{what}: {', '.join(names)}"))
    blocks += ["\n".join(_excluded(tuned))] if tuned.excluded else []
    name, block_size, threads = tuned.settings
    made = f'ParSplit("{name}", block_size={block_size}, threads={threads})'
    blocks.append(f"{fill(f'chosen: {tuned.why}')}\n  {made}")
    if not tuned.reliable:
        why = (
            f"other programs kept {tuned.busy:.1f} cores busy"
            if tuned.busy > TOO_BUSY
            else f"the threads got {tuned.granted:.0%} of the cores they should have"
            if tuned.granted < LEAST_CORES
            else "equal cases differed too much"
        )
        blocks.append(fill(f"not remembered: {why}; try again when the machine is quieter"))
    return "\n\n".join(blocks)


def _table(tuned: Tuned) -> list[str]:
    lines = [_line("implementation", "block", "thr", "GiB/s", "from", "to", "memcpy")]
    # The choice is shown wherever it stands.
    shown = [row for at, row in enumerate(tuned.rows) if at < _MOST_ROWS or row.settings == tuned.settings]
    for row in shown:
        mark = "chosen" if row.settings == tuned.settings else "equal" if row.equal else ""
        lines.append(_line(*_cells(row), mark))
    if more := len(tuned.rows) - len(shown):
        lines.append(f"  and {more} more, which --json shows")
    return lines


def _cells(row: Row) -> tuple[str, ...]:
    from aeadlab.tuning import size

    speeds = (f"{speed:.{1 if speed >= 100 else 2}f}" for speed in (row.gib_per_s, row.low, row.high))
    share = "-" if row.memcpy_share is None else f"{row.memcpy_share:.2f}"
    return row.implementation, size(row.block_size), str(row.threads), *speeds, share


def _line(*cells: str) -> str:
    return " ".join(f"{cell:{wide}}" for cell, wide in zip(cells, _WIDTHS, strict=False)).rstrip()


def _excluded(tuned: Tuned) -> list[str]:
    """A line for each reason: a Python library brings many implementations at once."""
    reasons: dict[str, list[str]] = {}
    for name, why in tuned.excluded.items():
        reasons.setdefault(why, []).append(name)
    return [fill(f"not allowed: {', '.join(names)}: {why}") for why, names in reasons.items()]


def _bytes(text: str) -> int:
    found = re.fullmatch(r"([0-9]+)([KMG]?)", text.upper().removesuffix("IB"))
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no length: a number of bytes, or of K, M or G, is wanted")
    return int(found[1]) * _UNITS[found[2]]
