"""Options that several verbs have, in one table, and the formats of their results."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from math import isfinite, nan
from pathlib import Path
from typing import Any, Final

from aeadlab.display.terminal import fill
from aeadlab.display.units import parse_size
from aeadlab.errors import ArgumentError

PATTERN: Final = "an implementation, an algorithm or a glob: aes-256-gcm, 'ring/*'"
"""The words that select implementations, in every verb."""

FORMATS: Final = {"json": "print as JSON", "markdown": "print as Markdown", "csv": "print the table as CSV"}


def size(text: str) -> int:
    """Return the bytes of ``1400``, ``16K`` or ``1MiB``."""
    try:
        return parse_size(text)
    except ArgumentError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def sizes(text: str) -> list[int]:
    """Return the bytes of a list of sizes: ``1400,16K``."""
    return [size(part) for part in text.split(",")]


def whole(text: str) -> int:
    """Return a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} given, a whole number expected") from None


def positive(text: str) -> int:
    """Return a whole number of at least 1."""
    if (number := whole(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} given, at least 1 expected")
    return number


def threads(text: str) -> int:
    """Return a thread count that ParSplit accepts."""
    from aeadlab._native import MAX_THREADS

    if not 1 <= (number := whole(text)) <= MAX_THREADS:
        raise argparse.ArgumentTypeError(f"{text} given, 1 to {MAX_THREADS} expected")
    return number


def seconds(text: str, unit: str = "seconds") -> float:
    """Return a time in seconds, or in the unit that a message names."""
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not (isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(f"{text!r} given, a number of {unit} above 0 expected")
    return number


def study(text: str) -> str:
    """Return the name of a study; checked by the parser, before the packages that take seconds to load."""
    from aeadlab.studies import find_study

    find_study(text)
    return text


def profile(text: str) -> str:
    """Return the name of a profile."""
    from aeadlab.bench.profile import find_profile

    find_profile(text)
    return text


def mask(text: str) -> str:
    """Return the name of a mask."""
    from aeadlab.bench.masks.masks import find_mask

    find_mask(text)
    return text


def figure_formats(text: str) -> tuple[str, ...]:
    """Return the further formats of a figure."""
    formats = tuple(text.split(","))
    if unknown := [name for name in formats if name not in ("pgf", "tex")]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} given, pgf, tex or pgf,tex expected")
    return formats


def plugin_path(text: str) -> Path:
    """Return the path of a plugin or of a folder with plugins; without this check, a mistyped path is ignored."""
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    if path.is_dir() and not any(path.glob("*.so")):
        raise argparse.ArgumentTypeError(f"the folder {text} contains no .so file")
    return path


OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "names": {"nargs": "*", "metavar": "NAME", "help": PATTERN},
    "--implementation": {"action": "append", "metavar": "NAME", "help": f"{PATTERN} (repeatable)"},
    "--study": {"metavar": "STUDY", "help": "study of the record"},
    "--profile": {"default": "quick", "type": profile, "metavar": "PROFILE", "help": "smoke, quick (default) or paper"},
    "--record": {"type": Path, "metavar": "FILE", "help": "the record (default: the newest)"},
    "--venue": {"default": "lncs", "help": "lncs (default), ieee, acm or usenix; all but lncs also with -double"},
    "--format": {
        "type": figure_formats,
        "default": (),
        "metavar": "LIST",
        "help": "also for LaTeX: pgf, tex (the table) or pgf,tex",
    },
    "--mask": {"action": "append", "type": mask, "metavar": "MASK", "help": "only this mask (repeatable)"},
    "--size": {"type": size, "metavar": "SIZE", "help": "length of the message: 1400, 16K, 1MiB"},
    "--block-size": {"type": size, "metavar": "SIZE", "help": "block size of ParSplit: 64K"},
    "--threads": {"type": threads, "metavar": "N", "help": "thread count of ParSplit"},
    "--samples": {"type": positive, "metavar": "N", "help": "samples of each case (default: the profile's)"},
    "--seed": {"type": whole, "metavar": "N", "default": 1, "help": "seed of the case order and of the data"},
    "--output": {"type": Path, "metavar": "DIR", "help": "folder for what is written (default: the results folder)"},
    "--plugins": {
        "action": "append",
        "default": [],
        "type": plugin_path,
        "metavar": "PATH",
        "help": "load plugins from this file or folder (repeatable)",
    },
}
"""The settings of each shared option, as `argparse` takes them."""


def add(parser: argparse.ArgumentParser, option: str, **changes: Any) -> None:
    """Declare an option of `OPTIONS`, with changes such as its help in this verb."""
    parser.add_argument(option, **{**OPTIONS[option], **changes})


def add_forms(parser: argparse.ArgumentParser, *forms: str) -> Any:
    """Declare the formats, by default ``--json`` and ``--markdown``, and return their group of exclusive options.

    A verb with CSV also accepts ``--format NAME``, which it had before.
    """
    group = parser.add_mutually_exclusive_group()
    for form in forms or ("json", "markdown"):
        group.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=FORMATS[form])
    if "csv" in forms:
        group.add_argument("--format", dest="form", choices=("text", *forms), help=argparse.SUPPRESS)
    parser.set_defaults(form="text")
    return group


def print_result(form: str, text: Callable[[], str], content: Callable[[], Any]) -> None:
    """Print a result in one of the formats, of which Markdown has the same content as JSON."""
    if form == "json":
        print(json.dumps(content(), indent=1))
    elif form == "markdown":
        from aeadlab.display.markdown import document

        print(document(content()))
    else:
        print(text())


def print_note(cpus: Mapping[str, str]) -> None:
    """Print to standard error that results are from reference records, by study with `reference_cpu`; else nothing."""
    from aeadlab.records.reference import note

    if text := note(cpus):
        print(fill(text), file=sys.stderr)
