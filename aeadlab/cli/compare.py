"""``aeadlab compare``: what became faster, what slower, and what nobody can tell."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

NAME = "compare"
HELP = "compare two records, two commits, or two implementations of a record"

_FORMATS = ("text", "markdown", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    what = "a record, latest, previous, a git revision, or library/algorithm"
    parser.add_argument("a", metavar="A", help=what)
    parser.add_argument("b", metavar="B", help=f"{what}: the one that is judged")
    parser.add_argument("--study", help="whose records are meant (default: that of the newest record)")
    parser.add_argument("--record", type=Path, help="the record that holds both implementations")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="text (default), markdown or csv")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit with 1 if any row is worse")


def run(arguments: argparse.Namespace) -> int:
    """Compare and print; cautions go to standard error where the output is CSV."""
    from aeadlab.comparison import compare
    from aeadlab.comparison.text import COMPARED
    from aeadlab.errors import ArgumentError

    found = compare(arguments.a, arguments.b, study=arguments.study, record=arguments.record)
    if arguments.fail_if_worse and found.machines > 1:
        raise ArgumentError(
            "the records come from different machines, of which one may well be slower: leave out --fail-if-worse, or "
            "compare records of one machine"
        )
    print(COMPARED[arguments.format](found))
    if arguments.format == "csv":
        for text in (found.how, *found.cautions):
            print(f"aeadlab compare: {text}", file=sys.stderr)
    return 1 if arguments.fail_if_worse and found.counts()["worse"] else 0
