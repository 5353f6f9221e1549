"""``aeadlab rank``: implementations in order, over all the cases that they have in common."""

from __future__ import annotations

import argparse
import sys

NAME = "rank"
HELP = "rank the implementations of a record over the cases that all of them have"

_FORMATS = ("text", "markdown", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "record", nargs="?", default="latest", metavar="RECORD", help="a path, latest (default), previous or a revision"
    )
    parser.add_argument("--study", help="whose record is meant (default: that of the newest record)")
    parser.add_argument(
        "--by", type=_columns, metavar="COLUMN,...", help="rank each value of these by itself (default: kind,engine)"
    )
    parser.add_argument("--implementation", action="append", metavar="NAME", help="rank only this; may be repeated")
    parser.add_argument("--reference", metavar="NAME", help="whose time is 1 (default: the fastest of each case)")
    parser.add_argument("--format", choices=_FORMATS, default="text", help="text (default), markdown or csv")


def run(arguments: argparse.Namespace) -> int:
    """Rank and print; cautions go to standard error where the output is CSV."""
    from aeadlab.comparison import rank
    from aeadlab.comparison.ranked import BY
    from aeadlab.comparison.text import RANKED

    found = rank(
        arguments.record,
        study=arguments.study,
        by=BY if arguments.by is None else arguments.by,
        implementations=arguments.implementation,
        reference=arguments.reference,
    )
    print(RANKED[arguments.format](found))
    if arguments.format == "csv":
        for text in found.cautions:
            print(f"aeadlab rank: {text}", file=sys.stderr)
    return 0


def _columns(text: str) -> list[str]:
    return [column for column in text.split(",") if column]
