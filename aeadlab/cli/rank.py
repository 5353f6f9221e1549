"""``aeadlab rank``: the implementations of a record by speed."""

from __future__ import annotations

import argparse
import sys

from aeadlab.cli.options import add, add_forms

NAME = "rank"
HELP = "rank the implementations of a record over their common cases"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "record",
        nargs="?",
        default="latest",
        metavar="RECORD",
        help="a path, latest (default: the newest that has something to rank), previous or a git revision",
    )
    add(parser, "--study", help="study of the record (default: that of the newest record, any for a revision)")
    parser.add_argument(
        "--by",
        type=_columns,
        metavar="COLUMN,...",
        help="group the cases by these columns, with a ranking for each group (default: kind,engine)",
    )
    add(parser, "--implementation")
    parser.add_argument(
        "--reference", metavar="NAME", help="implementation whose time is 1 (default: the fastest of each case)"
    )
    add_forms(parser, "json", "markdown", "csv")


def run(arguments: argparse.Namespace) -> int:
    """Print the ranking; with CSV, its warnings go to standard error."""
    from aeadlab.comparison import rank
    from aeadlab.comparison.ranked import BY
    from aeadlab.comparison.text import RANKED

    ranked = rank(
        arguments.record,
        study=arguments.study,
        by=BY if arguments.by is None else arguments.by,
        implementations=arguments.implementation,
        reference=arguments.reference,
    )
    print(RANKED[arguments.form](ranked))
    if arguments.form == "csv":
        for text in filter(None, (ranked.reference_record, *ranked.warnings)):
            print(f"aeadlab rank: {text}", file=sys.stderr)
    return 0


def _columns(text: str) -> list[str]:
    return [column for column in text.split(",") if column]
