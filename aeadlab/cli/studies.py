"""``aeadlab studies``: the studies, their questions and the effort of each profile."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import add_forms, print_result

NAME = "studies"
HELP = "list the studies with question, effort and time of each profile, and notebook"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("studies", nargs="*", metavar="NAME", help="a study or a glob (default: all)")
    add_forms(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one paragraph for each study."""
    from aeadlab.studies.overview import overviews

    found = overviews(arguments.studies)
    print_result(
        arguments.form,
        lambda: "\n\n".join(overview.as_text() for overview in found),
        lambda: [overview.as_dict() for overview in found],
    )
    return 0
