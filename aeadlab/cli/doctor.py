"""``aeadlab doctor``: conditions of this computer that affect measurements."""

from __future__ import annotations

import argparse
import json

NAME = "doctor"
HELP = "report conditions of this computer that affect measurements, without changing them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--json", action="store_true", help="print facts, findings and flags of samples as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the findings, the most severe first; return 0 whatever they are."""
    from aeadlab.lab.checkup import check_computer

    checkup = check_computer()
    print(json.dumps(checkup.as_dict(), indent=2) if arguments.json else checkup.as_text())
    return 0
