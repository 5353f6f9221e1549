"""``aeadlab figure``: the figures of a study."""

from __future__ import annotations

import argparse
import sys

from aeadlab.cli.options import add, print_note

NAME = "figure"
HELP = "draw the figures of a study from its newest record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("study", metavar="STUDY", help="name of a study, or all")
    add(parser, "--venue")
    add(parser, "--record")
    add(parser, "--output")
    add(parser, "--format")


def run(arguments: argparse.Namespace) -> int:
    """Draw, and print the files; print each figure or study without data, and the reason, to standard error."""
    from aeadlab.records.reference import reference_cpu
    from aeadlab.studies.draw import draw_studies

    cpus = {}
    for record, written, absent in draw_studies(
        arguments.study, arguments.record, arguments.venue, arguments.output, arguments.format
    ):
        if record is not None:
            cpus[record.study] = reference_cpu(record)
        for path in written:
            print(path)
        for name, reason in absent.items():
            print(f"not drawn: {name}: {reason}", file=sys.stderr)
    print_note(cpus)
    return 0
