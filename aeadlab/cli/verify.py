"""``aeadlab verify``: checks of the correctness of implementations."""

from __future__ import annotations

import argparse
import json

from aeadlab.cli.options import add_plugins

NAME = "verify"
HELP = "verify implementations: known answers, agreement, round trips, tampering, randomness"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="library/algorithm, or all (default)")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Verify again and print the reports; return 1 if an implementation failed a check."""
    from aeadlab.verify.summary import verify_all

    summary = verify_all(arguments.names, arguments.plugins)
    print(json.dumps(summary.as_dict(), indent=1) if arguments.json else summary.as_text())
    return int(not summary.ok)
