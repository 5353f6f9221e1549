"""Options that several verbs have."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from aeadlab.display.units import parse_size


def add_plugins(parser: argparse.ArgumentParser) -> None:
    """Declare ``--plugins``."""
    parser.add_argument(
        "--plugins",
        action="append",
        default=[],
        type=_plugin_path,
        metavar="PATH",
        help="load plugins from this file or folder (repeatable)",
    )


def sizes(text: str | None) -> list[int]:
    """Return the bytes of a list of sizes such as ``1400,16K``; empty for None.

    It is called by ``run``, whose errors are one line, and not by `argparse`, which adds its usage.
    """
    return [] if text is None else [parse_size(part) for part in text.split(",")]


def print_note(cpus: Mapping[str, str]) -> None:
    """Print to standard error that results are from reference records, by study with `reference_cpu`; else nothing."""
    from aeadlab.records.reference import note

    if text := note(cpus):
        print(text, file=sys.stderr)


def _plugin_path(text: str) -> Path:
    """Return the path of a plugin or of a folder with plugins; without this check, a mistyped path is ignored."""
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    if path.is_dir() and not any(path.glob("*.so")):
        raise argparse.ArgumentTypeError(f"the folder {text} contains no .so file")
    return path
