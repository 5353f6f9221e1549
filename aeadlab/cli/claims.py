"""``aeadlab claims``: the claims of the documents with their verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path

from aeadlab.cli.options import add_forms

NAME = "claims"
HELP = "compare the claims of the documents with the newest records"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "--document", metavar="NAME", help="only the claims of this document, such as ETH (default: all)"
    )
    parser.add_argument(
        "--record",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="use only this record (repeatable, with one record for each study)",
    )
    add_forms(parser).add_argument(
        "--write",
        nargs="?",
        const=Path(),
        type=Path,
        metavar="FILE",
        help="write Markdown between the markers <!-- claims --> of a file (default: docs/FINDINGS.md and README.md)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print or write the findings; return 0 whatever the verdicts are."""
    from aeadlab.studies.claims import claims
    from aeadlab.verdicts.pages import default_pages, write_findings
    from aeadlab.verdicts.text import as_json, as_markdown, as_text

    if arguments.write is not None:
        pages = default_pages() if arguments.write == Path() else (arguments.write,)
        write_findings(pages, lambda: claims(arguments.document, arguments.record))
        print(*pages, sep="\n")
    else:
        findings = claims(arguments.document, arguments.record)
        print({"text": as_text, "json": as_json, "markdown": as_markdown}[arguments.form](findings))
    return 0
