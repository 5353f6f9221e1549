"""``aeadlab masks``: the effects of hiding CPU features from libraries."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import PATTERN, add, add_forms, print_result

NAME = "masks"
HELP = "measure the effect of hiding CPU features from libraries"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    default = "AES-256-GCM, ChaCha20-Poly1305, SHA-256 and memcpy of all libraries"
    add(parser, "names", help=f"{PATTERN} (default: {default})")
    add(parser, "--mask")
    add(parser, "--plugins")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Apply each mask to each implementation, and print the effects."""
    from aeadlab.bench.masks.summary import survey_masks

    survey = survey_masks(arguments.names, arguments.mask, arguments.plugins)
    print_result(arguments.form, survey.as_text, survey.as_dict)
    return 0
