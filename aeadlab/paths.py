"""Locations of files: the checkout that aeadlab is installed from, its data, the results and the cache."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from aeadlab.errors import ArgumentError, Error

RESULTS = "AEADLAB_RESULTS"
"""Environment variable with the folder for new records and figures."""


def checkout() -> Path | None:
    """Return the folder of the checkout, which holds ``pyproject.toml`` beside the package; None outside a checkout."""
    folder = Path(__file__).resolve().parent.parent
    return folder if (folder / "pyproject.toml").is_file() else None


def published() -> Path:
    """Return the folder of the published numbers, ``data/published`` in the checkout.

    Raises
    ------
    aeadlab.errors.Error
        If aeadlab is not installed from a checkout.
    """
    return _in_checkout("data/published")


def criteria() -> Path:
    """Return the table of the versions of criteria, ``data/criteria.csv`` in the checkout; errors as `published`."""
    return _in_checkout("data/criteria.csv")


def reference_records() -> Path:
    """Return the folder of the reference records, ``data/records`` in the checkout.

    Raises
    ------
    aeadlab.errors.Error
        If aeadlab is not installed from a checkout.
    """
    return _in_checkout("data/records")


def is_reference(record: Path) -> bool:
    """Return whether a record is a reference record, or a copy of one, which has the same file name."""
    return checkout() is not None and (reference_records() / record.name).is_file()


def results() -> Path:
    """Return the folder for new records and figures, which may not exist yet.

    It is ``AEADLAB_RESULTS`` if set, else ``results`` in the checkout, else ``aeadlab-results`` in the current folder.
    """
    if given := os.environ.get(RESULTS):
        return Path(given).expanduser().absolute()
    folder = checkout()
    return folder / "results" if folder is not None else Path.cwd() / "aeadlab-results"


def output_folder(output: str | Path) -> Path:
    """Return the absolute path of the output folder that a notebook's parameter gives; ``""`` is the results folder."""
    return Path(output).expanduser().absolute() if str(output) else results()


def cache() -> Path:
    """Return the folder of cached results: ``AEADLAB_CACHE`` if set, else ``aeadlab`` in the user's cache folder."""
    if given := os.environ.get("AEADLAB_CACHE"):
        return Path(given).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "aeadlab"


def write_atomically(path: Path, content: bytes | str, *, overwrite: bool = True) -> None:
    """Write a temporary file and move it to `path`, so that no reader and no crash leaves a partial file there.

    Parameters
    ----------
    content
        Text is encoded as UTF-8.
    overwrite
        Whether an existing file is replaced.

    Raises
    ------
    FileExistsError
        If the file exists and `overwrite` is False; the file is unchanged.
    OSError
        If the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        if overwrite:
            temporary.replace(path)
        else:
            # Unlike a rename, a hard link fails where the name is taken.
            os.link(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def check_folder(folder: Path) -> None:
    """Create `folder` and check that files can be created in it.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it cannot be written.
    """
    probe = folder / f".writable-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ArgumentError(f"output folder {folder} cannot be written ({error.strerror}): choose another") from error


def write_cache(path: Path, text: str) -> None:
    """Write a file of the cache folder atomically; ignore errors, since its content can be computed again."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)


def _in_checkout(relative: str) -> Path:
    folder = checkout()
    if folder is None:
        raise Error(
            f"{relative} is part of a checkout, but {Path(__file__).resolve().parent} is not inside one; "
            "clone the repository and install from it with pip install -e ."
        )
    return folder / relative
