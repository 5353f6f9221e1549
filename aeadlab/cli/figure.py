"""``aeadlab figure``: draw a study's figures from a record."""

from __future__ import annotations

import argparse
import sys
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
    from aeadlab.errors import RecordError
    from aeadlab.records import latest, load_record
    from aeadlab.studies import all_studies, find_study
    from aeadlab.studies.draw import draw

    records = []
    if arguments.record:
        records.append(load_record(arguments.record))
    elif arguments.study != "all":
        records.append(latest(find_study(arguments.study).name))
    else:
        for name in all_studies():
            try:
                records.append(latest(name))
            except RecordError as error:
                print(f"not drawn: study {name}: {error}", file=sys.stderr)
    for record in records:
        study = find_study(record.study if arguments.study == "all" else arguments.study)
        written, absent = draw(study, record, arguments.venue, arguments.output)
        for path in written:
            print(path)
        for name, reason in absent.items():
            print(f"not drawn: {name}: {reason}", file=sys.stderr)
    return 0 if records else 1
