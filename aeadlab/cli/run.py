"""``aeadlab run``: execute notebooks without a browser."""

from __future__ import annotations

import argparse
import json

from aeadlab.bench.profile import check_notebook_profile
from aeadlab.cli.options import add
from aeadlab.display.progress_line import ProgressLine
from aeadlab.errors import ArgumentError
from aeadlab.lab import notebook_files

NAME = "run"
HELP = "execute notebooks, and write an HTML page of each; an interrupted run resumes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument(
        "notebooks", nargs="*", default=["all"], metavar="NOTEBOOK", help="names or paths; all (default)"
    )
    text = "reference (show stored records), smoke, quick (default) or paper"
    add(parser, "--profile", type=profile, help=text)
    text = "value of a parameter of the notebooks, as in papermill (repeatable)"
    parser.add_argument("-p", "--parameter", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help=text)
    parser.add_argument("--files", action="store_true", help="list the files that each notebook writes")
    add(parser, "--output", help="folder for notebooks, records and figures")


def run(arguments: argparse.Namespace) -> int:
    """Execute the notebooks, and print the outcome of each and the answer; return 1 if one failed."""
    parameters = {name: _value(text) for name, text in arguments.parameter}
    if len(parameters) != len(arguments.parameter):
        raise ArgumentError("a parameter is given twice: give each once")
    parameters = {"profile": arguments.profile, **parameters}
    with ProgressLine("aeadlab run") as line:
        found = notebook_files.find(arguments.notebooks)
        # These imports take seconds.
        from aeadlab.lab import notebook_answers, notebooks

        outcomes = []
        for outcome in notebooks.execute_all(found, parameters, arguments.output, line):
            outcomes.append(outcome)
            line.print(outcome.as_text(notebook_answers.remark(outcome) if len(found) > 1 else ""))
            if arguments.files:
                line.print("\n".join(f"  {path}" for path in outcome.files))
        one = len(outcomes) == 1
        text = notebook_answers.answer_one(outcomes[0]) if one else notebook_answers.answer_several(outcomes)
    if text:
        print(f"\n{text}")
    return int(any(outcome.error is not None for outcome in outcomes))


def profile(text: str) -> str:
    """Return the name of a profile, or ``reference``."""
    check_notebook_profile(text)
    return text


def _value(text: str) -> object:
    """Return the JSON value of a text, such as a number or a list, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
