"""``aeadlab doctor``: conditions of this computer that affect measurements."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import add_forms, print_result

NAME = "doctor"
HELP = "report conditions of this computer that affect measurements, without changing them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings, the most severe first; return 0 whatever they are."""
    from aeadlab.lab.checkup import check_computer

    checkup = check_computer()
    print_result(arguments.form, checkup.as_text, checkup.as_dict)
    return 0
