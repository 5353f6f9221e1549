"""``aeadlab report``: a record as one HTML file."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aeadlab.records import Record

NAME = "report"
HELP = "write a record as one HTML file: findings, tables, figures, provenance"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "record", nargs="?", metavar="RECORD|STUDY", help="a file, or the newest of a study; default: the newest of all"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="where it goes; default: reports in the results")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def run(arguments: argparse.Namespace) -> int:
    """Write, then print the file."""
    from aeadlab.reporting import report

    print(report(_record(arguments.record), arguments.output, force=arguments.force))
    return 0


def _record(named: str | None) -> Record:
    from aeadlab.errors import RecordError
    from aeadlab.records import latest, load_record
    from aeadlab.studies import find_study

    if named is None:
        return latest()
    if Path(named).is_file() or named.endswith(".parquet") or os.sep in named:
        return load_record(named)
    try:
        # First, because records outlive their studies, and those of sweeps have none.
        return latest(named)
    except RecordError:
        find_study(named)
        raise
