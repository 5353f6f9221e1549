"""``aeadlab figure``: draw a study's figures from a record."""

from __future__ import annotations

import argparse
from pathlib import Path

NAME = "figure"
HELP = "draw the figures of a study from its newest record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("study", metavar="STUDY", help="name of the study, or all")
    parser.add_argument("--venue", default="lncs", help="lncs (default), ieee, acm or usenix: sets the width")
    parser.add_argument("--record", type=Path, help="this record instead of the newest")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for the figures")


def run(arguments: argparse.Namespace) -> int:
    """Draw, then print the files."""
    from aeadlab.records import latest, load_record
    from aeadlab.studies import all_studies, find_study
    from aeadlab.studies.draw import draw

    studies = list(all_studies().values()) if arguments.study == "all" else [find_study(arguments.study)]
    for study in studies:
        record = load_record(arguments.record) if arguments.record else latest(study.name)
        for path in draw(study, record, arguments.venue, arguments.output):
            print(path)
    return 0
