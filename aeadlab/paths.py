"""Where files are: the checkout that aeadlab was installed from, its data, and where results go."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from aeadlab.errors import Error

RESULTS = "AEADLAB_RESULTS"
"""Environment variable: the folder for new records and figures."""


def checkout() -> Path | None:
    """Folder of the checkout: the one that holds ``pyproject.toml`` next to the package; None where there is none."""
    folder = Path(__file__).resolve().parent.parent
    return folder if (folder / "pyproject.toml").is_file() else None


def published() -> Path:
    """Folder of the published numbers, ``data/published`` in the checkout.

    Raises
    ------
    aeadlab.errors.Error
        If aeadlab was not installed from a checkout.
    """
    return _in_checkout("data/published")


def reference_records() -> Path:
    """Folder of the reference records, ``data/records`` in the checkout.

    Raises
    ------
    aeadlab.errors.Error
        If aeadlab was not installed from a checkout.
    """
    return _in_checkout("data/records")


def results() -> Path:
    """Folder for new records and figures; it need not exist yet.

    ``AEADLAB_RESULTS`` if set, else ``results`` in the checkout, else ``aeadlab-results`` in the current folder.
    """
    if given := os.environ.get(RESULTS):
        return Path(given).expanduser().absolute()
    folder = checkout()
    return folder / "results" if folder is not None else Path.cwd() / "aeadlab-results"


def cache() -> Path:
    """Folder of what can be found out again: ``AEADLAB_CACHE``, else ``aeadlab`` in the user's cache folder."""
    if given := os.environ.get("AEADLAB_CACHE"):
        return Path(given).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "aeadlab"


def write_quietly(path: Path, text: str) -> None:
    """Write a cache file whole or not at all; a cache that cannot be written is no error."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)


def _in_checkout(relative: str) -> Path:
    folder = checkout()
    if folder is None:
        raise Error(
            f"{relative} is wanted, but {Path(__file__).resolve().parent} is not inside a checkout of aeadlab; "
            "clone the repository and install from there with pip install -e ."
        )
    return folder / relative
