"""``aeadlab run``: execute notebooks without a browser."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from aeadlab.errors import ArgumentError

NAME = "run"
HELP = "execute notebooks and keep them, with an HTML page each"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "notebooks", nargs="*", default=["all"], metavar="NOTEBOOK", help="names or paths; all (default)"
    )
    parser.add_argument("--profile", default="quick", help="smoke, quick (default) or paper")
    parser.add_argument(
        "-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="as in papermill"
    )
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for notebooks, records and figures")


def run(arguments: argparse.Namespace) -> int:
    """Execute, then print where the results are."""
    from aeadlab import notebooks

    given = {name: _value(text) for name, text in arguments.parameter}
    if len(given) != len(arguments.parameter):
        raise ArgumentError("a parameter is given twice")
    failed = 0
    for notebook in notebooks.find(arguments.notebooks):
        outcome = notebooks.execute(notebook, {"profile": arguments.profile, **given}, arguments.output)
        print(f"{'failed' if outcome.error else 'done'}: {notebook.stem} in {outcome.seconds:.0f} s")
        if outcome.error:
            print(outcome.error)
        for path in outcome.files:
            print(f"  {path}")
        failed += bool(outcome.error)
    return 1 if failed else 0


def _value(text: str) -> object:
    """JSON where it is JSON, as numbers and lists are; otherwise the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
