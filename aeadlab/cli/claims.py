"""``aeadlab claims``: what the documents say, and whether it is so here."""

from __future__ import annotations

import argparse
from pathlib import Path

NAME = "claims"
HELP = "hold what the documents claim against the newest records"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("--document", metavar="NAME", help="the claims of this one, such as ETH (default: all)")
    parser.add_argument(
        "--record",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="ask this record and no other; may be repeated, once for each study",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print as JSON")
    form.add_argument("--markdown", action="store_true", help="print as Markdown")
    form.add_argument(
        "--write", type=Path, metavar="FILE", help="put the Markdown between the markers <!-- claims --> of this file"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print, or write; the exit code is 0 whatever the verdicts are."""
    from aeadlab.judgement import claims
    from aeadlab.judgement.markers import filled
    from aeadlab.judgement.text import as_json, markdown, text

    page = ""
    if arguments.write:
        page = _read(arguments.write)
        # What is wrong with the file is said before the claims are known, which takes seconds.
        filled(page, "", str(arguments.write))
    found = claims(arguments.document, arguments.record)
    if arguments.write:
        if (after := filled(page, markdown(found), str(arguments.write))) != page:
            arguments.write.write_text(after, "utf-8")
        print(arguments.write)
    else:
        print(as_json(found) if arguments.json else markdown(found) if arguments.markdown else text(found))
    return 0


def _read(path: Path) -> str:
    from aeadlab.errors import ArgumentError

    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ArgumentError(f"{path} cannot be read ({error.strerror}): name a file that has the markers") from error
