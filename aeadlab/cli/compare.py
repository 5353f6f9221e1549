"""``aeadlab compare``: which cases are faster or slower."""

from __future__ import annotations

import argparse
import sys

from aeadlab.cli.options import add, add_forms

NAME = "compare"
HELP = "compare two records, two commits, or two implementations of a record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    sides = "a record, latest, previous, a git revision, or library/algorithm"
    parser.add_argument("a", metavar="A", help=sides)
    parser.add_argument("b", metavar="B", help="the same choices as for A; reported as faster or slower than A")
    add(parser, "--study", help="study of the records (default: that of the newest, or one that both sides have)")
    add(parser, "--record", help="record with both implementations (default: the newest of these)")
    add_forms(parser, "json", "markdown", "csv")
    parser.add_argument("--fail-if-worse", action="store_true", help="exit with status 1 if B is slower in any case")


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; with CSV, its method and warnings go to standard error."""
    from aeadlab.comparison import compare
    from aeadlab.comparison.text import COMPARED

    compared = compare(arguments.a, arguments.b, study=arguments.study, record=arguments.record)
    failed = arguments.fail_if_worse and compared.is_slower()
    print(COMPARED[arguments.form](compared))
    if arguments.form == "csv":
        for text in filter(None, (compared.reference_record, compared.how, *compared.warnings)):
            print(f"aeadlab compare: {text}", file=sys.stderr)
    return int(failed)
