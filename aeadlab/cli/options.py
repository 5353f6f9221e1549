"""Options that several verbs have."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_plugins(parser: argparse.ArgumentParser) -> None:
    """Declare ``--plugins``."""
    parser.add_argument(
        "--plugins", action="append", default=[], type=_place, metavar="PATH", help="more plugins: a file or a folder"
    )


def _place(text: str) -> Path:
    """A mistyped path must not look like a plugin that was looked at."""
    place = Path(text)
    if not place.exists():
        raise argparse.ArgumentTypeError(f"there is no {text}")
    if place.is_dir() and not any(place.glob("*.so")):
        raise argparse.ArgumentTypeError(f"no file of the folder {text} ends in .so")
    return place
