"""``aeadlab list``: the implementations that this computer can run, and the reasons for absent ones."""

from __future__ import annotations

import argparse

from aeadlab.catalogue.kinds import KINDS
from aeadlab.cli.options import add, add_forms, print_result

NAME = "list"
HELP = "list the implementations that this computer can run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    add(parser, "names")
    parser.add_argument("--kind", choices=KINDS, help="only implementations of this kind")
    parser.add_argument("--library", metavar="NAME", help="only implementations of this library")
    parser.add_argument("--algorithm", metavar="NAME", help="only implementations of this algorithm")
    add(parser, "--plugins")
    parser.add_argument("--probe", action="store_true", help="test whether Python libraries release the GIL")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    from aeadlab.verify.inventory import take_inventory

    inventory = take_inventory(
        arguments.plugins,
        names=arguments.names,
        kind=arguments.kind,
        library=arguments.library,
        algorithm=arguments.algorithm,
        probe=arguments.probe,
    )
    print_result(arguments.form, inventory.as_text, inventory.as_dict)
    return 0
