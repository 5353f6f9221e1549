"""``aeadlab list``: the implementations that this computer can run, and the reasons for absent ones."""

from __future__ import annotations

import argparse
import json

from aeadlab.catalogue.kinds import KINDS
from aeadlab.cli.options import add_plugins

NAME = "list"
HELP = "list the implementations that this computer can run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--kind", choices=KINDS, help="only implementations of this kind")
    parser.add_argument("--library", metavar="NAME", help="only implementations of this library")
    parser.add_argument("--algorithm", metavar="NAME", help="only implementations of this algorithm")
    add_plugins(parser)
    parser.add_argument("--probe", action="store_true", help="test whether Python libraries release the GIL")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the catalogue."""
    from aeadlab.verify.inventory import take_inventory

    inventory = take_inventory(
        arguments.plugins,
        kind=arguments.kind,
        library=arguments.library,
        algorithm=arguments.algorithm,
        probe=arguments.probe,
    )
    print(json.dumps(inventory.as_dict(), indent=1) if arguments.json else inventory.as_text())
    return 0
