"""``aeadlab studies``: the studies, their questions and the effort of each profile."""

from __future__ import annotations

import argparse
import json

NAME = "studies"
HELP = "list the studies with question, effort of each profile and notebook"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print one paragraph for each study."""
    from aeadlab.studies.overview import overviews

    found = overviews()
    if arguments.json:
        print(json.dumps([overview.as_dict() for overview in found], indent=1))
    else:
        print("\n\n".join(overview.as_text() for overview in found))
    return 0
