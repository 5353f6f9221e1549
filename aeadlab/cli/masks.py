"""``aeadlab masks``: the effects of hiding CPU features from libraries."""

from __future__ import annotations

import argparse
import json

from aeadlab.cli.options import add_plugins

NAME = "masks"
HELP = "measure the effect of hiding CPU features from libraries"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "implementation",
        nargs="*",
        metavar="NAME",
        help="library/algorithm (default: AES-256-GCM, ChaCha20-Poly1305, SHA-256 and memcpy of all libraries)",
    )
    parser.add_argument("--mask", action="append", metavar="MASK", help="only this mask (repeatable)")
    add_plugins(parser)
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Apply each mask to each implementation, and print the effects."""
    from aeadlab.bench.masks.summary import survey_masks

    survey = survey_masks(arguments.implementation, arguments.mask, arguments.plugins)
    print(json.dumps(survey.as_dict(), indent=1) if arguments.json else survey.as_text())
    return 0
