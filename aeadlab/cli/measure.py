"""``aeadlab measure``: time a study and store the record."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path

from aeadlab.cli.options import add_plugins

NAME = "measure"
HELP = "verify and time a study; an interrupted run is carried on with"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of this verb."""
    parser.add_argument("study", metavar="STUDY", help="name of the study, such as baselines")
    parser.add_argument("--profile", default="quick", help="smoke, quick (default) or paper")
    parser.add_argument("--implementation", action="append", metavar="NAME", help="only these (repeatable)")
    parser.add_argument("--size", type=int, help="size of a large message instead of the profile's")
    parser.add_argument("--samples", type=int, help="samples of each case instead of the profile's")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="time instead of the profile's")
    parser.add_argument("--seed", type=int, default=1, help="of the order of cases and of the data")
    add_plugins(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for the record")


def run(arguments: argparse.Namespace) -> int:
    """Measure, then print where the record is and its medians."""
    from aeadlab.figures.text import medians
    from aeadlab.measurement import measure

    record = measure(
        arguments.study,
        arguments.profile,
        size=arguments.size,
        samples=arguments.samples,
        budget=arguments.budget,
        implementations=arguments.implementation,
        folder=arguments.output,
        plugins=arguments.plugins,
        seed=arguments.seed,
    )
    print(medians(record.samples))
    for note in record.provenance["notes"]:
        if "cut" in note:
            print(_wrap(f"cut short by the time budget: {note['cut']}"))
        if "enough" in note:
            print(_wrap(f"every interval was narrow enough after {note['enough']}"))
    for name, why in record.provenance["refused"].items():
        print(_wrap(f"not timed: {name}: {why.removeprefix(f'{name} ')}"))
    rows = record.samples[record.samples["order"] < 0]
    failed = sorted(set(zip(rows["implementation"], rows["status"], strict=True)))
    for name, status in failed:
        print(_wrap(f"{name} {status}"))
    print(f"record: {record.path}")
    # What was asked for by name and refused is a failure; of a whole study, absent libraries are expected.
    wanted = set(arguments.implementation or ()) & set(record.provenance["refused"])
    return 1 if failed or wanted else 0


def _wrap(text: str) -> str:
    return textwrap.fill(text, 80, subsequent_indent="  ", break_on_hyphens=False)
