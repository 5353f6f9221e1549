"""Options that several verbs have."""

from __future__ import annotations

import argparse
from pathlib import Path


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


def _plugin_path(text: str) -> Path:
    """Return the path of a plugin or of a folder with plugins; without this check, a mistyped path is ignored."""
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError(f"{text} does not exist")
    if path.is_dir() and not any(path.glob("*.so")):
        raise argparse.ArgumentTypeError(f"the folder {text} contains no .so file")
    return path
