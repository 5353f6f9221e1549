"""``aeadlab run``: execute notebooks without a browser."""

from __future__ import annotations

import argparse
import json

from aeadlab.cli.options import add
from aeadlab.errors import ArgumentError

NAME = "run"
HELP = "execute notebooks; write each executed notebook and an HTML page of it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "notebooks", nargs="*", default=["all"], metavar="NOTEBOOK", help="names or paths; all (default)"
    )
    add(parser, "--profile")
    text = "value of a parameter of the notebooks, as in papermill (repeatable)"
    parser.add_argument("-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help=text)
    add(parser, "--output", help="folder for notebooks, records and figures")


def run(arguments: argparse.Namespace) -> int:
    """Execute the notebooks, and print the outcome of each with its files; return 1 if one failed."""
    from aeadlab.lab import notebooks

    parameters = {name: _value(text) for name, text in arguments.parameter}
    if len(parameters) != len(arguments.parameter):
        raise ArgumentError("a parameter is given twice: give each once")
    failed = False
    outcomes = notebooks.execute_all(
        arguments.notebooks, {"profile": arguments.profile, **parameters}, arguments.output
    )
    for outcome in outcomes:
        print(outcome.as_text())
        failed |= outcome.error is not None
    return int(failed)


def _value(text: str) -> object:
    """Return the JSON value of a text, such as a number or a list, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
