"""``aeadlab report``: a record as one HTML file."""

from __future__ import annotations

import argparse

from aeadlab.cli.options import add, add_forms, print_note, print_result

NAME = "report"
HELP = "write a record as one HTML file: results, tables, figures, provenance"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "record",
        nargs="?",
        metavar="RECORD|STUDY",
        help="a record, or a study, which means its newest record (default: the newest record)",
    )
    add(parser, "--output", metavar="FILE", help="the HTML file (default: in the results folder)")
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    add_forms(parser, "json")


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and print its path."""
    from aeadlab.records.reference import note, reference_cpu
    from aeadlab.reporting import find_record, report

    record = find_record(arguments.record)
    print_note({record.study: reference_cpu(record)})
    path = report(record, arguments.output, force=arguments.force)
    text = note({record.study: reference_cpu(record)}) or None
    print_result(
        arguments.form,
        lambda: str(path),
        lambda: {"report": str(path), "record": record.name, "reference_record": text},
    )
    return 0
