"""``aeadlab verify``: checks of the correctness of implementations."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from aeadlab.cli.options import PATTERN, add, add_forms, print_result
from aeadlab.display.progress_line import ProgressLine

if TYPE_CHECKING:
    from aeadlab.verify.lengths.long import LongSummary
    from aeadlab.verify.summary import Summary

NAME = "verify"
HELP = (
    "verify implementations: known answers, agreement, round trips, tampering, randomness; an interrupted run resumes"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add(parser, "names", help=f"{PATTERN}, or all (default)")
    add(parser, "--plugins")
    parser.add_argument("--seed", type=_seed, metavar="N", help="seed of the random lengths (default: a new one)")
    parser.add_argument(
        "--long",
        action="store_true",
        help="compare messages of 2^32 bytes, plus or minus 17, and check declared limits: needs 5 to 13 GiB of memory",
    )
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify again and print the reports; return 1 if an implementation failed a check or a long one was skipped."""
    with ProgressLine("aeadlab verify"):
        summary: Summary | LongSummary
        if arguments.long:
            from aeadlab.verify.lengths.long import verify_long

            summary = verify_long(arguments.names, arguments.plugins)
        else:
            from aeadlab.verify.summary import verify_all

            summary = verify_all(arguments.names, arguments.plugins, arguments.seed)
    print_result(arguments.form, summary.as_text, summary.as_dict)
    return int(not summary.ok)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"seed {text} given, 0 to 2^64 - 1 expected")
    return int(text)
