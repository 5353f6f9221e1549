"""Writes a figure as PDF, SVG and PNG with its table as CSV and where it came from as JSON; same inputs, same bytes."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure
from pandas import DataFrame
from PIL import Image

from aeadlab.errors import ArgumentError
from aeadlab.figures import style

DOTS_PER_INCH: Final = 300

# Dates and program versions would make equal figures differ.
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None, "Format": None, "Type": None},
    "png": {"Software": None},
}

# It is written anew, smaller.
_HOW: Final[dict[str, dict[str, Any]]] = {"png": {"pil_kwargs": {"compress_level": 1}}}


def export(
    figure: Figure, table: DataFrame, name: str, folder: str | os.PathLike[str], provenance: Mapping[str, object]
) -> list[Path]:
    """Write a figure and what it shows.

    Parameters
    ----------
    figure
        Written at its own size, nothing cropped. PDF and SVG hold curves, PNG has 300 dots per inch.
    table
        What the figure shows; written as CSV with full precision, absent values empty.
    name
        File name without ending.
    folder
        Made if it is not there. Files of the same name are replaced.
    provenance
        Which record, commit and call made the figure; written as JSON, so strings, numbers, lists and mappings.

    Returns
    -------
    list of Path
        The PDF, SVG, PNG, CSV and JSON files. The same inputs give the same bytes: no file holds a date or a
        version. The PNG also depends on the Pillow that writes it.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the name is not one, the provenance is not JSON, or the folder cannot be written; nothing is written then.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
        raise ArgumentError(f"the figure's name is {name!r}; wanted letters, digits, '.', '_', '+' and '-' only")
    contents = {ending: image(figure, ending) for ending in _METADATA}
    contents["csv"] = table.to_csv(index=False, lineterminator="\n").encode()
    contents["json"] = _description(figure, name, contents, provenance)
    target = _writable(Path(folder))
    written = []
    for ending, content in contents.items():
        file = target / f"{name}.{ending}"
        _replace(file, content)
        written.append(file)
    return written


def image(figure: Figure, ending: str, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """Content of a file that shows a figure: ``pdf``, ``svg`` or ``png``; the same figure gives the same bytes."""
    buffer = BytesIO()
    with style.settings():
        figure.savefig(buffer, format=ending, dpi=dots_per_inch, metadata=_METADATA[ending], **_HOW.get(ending, {}))
    return _with_palette(buffer) if ending == "png" else buffer.getvalue()


def _with_palette(png: BytesIO) -> bytes:
    """The picture in the 256 colours that come closest: lines and text need no more, and it is a third as large."""
    small = BytesIO()
    with Image.open(png) as picture:
        colours = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        # A level more makes it 3 % smaller in three times the time.
        colours.save(small, "PNG", compress_level=8, dpi=picture.info["dpi"])
    return small.getvalue()


def _description(figure: Figure, name: str, contents: dict[str, bytes], provenance: Mapping[str, object]) -> bytes:
    width, height = figure.get_size_inches()
    described = {
        "figure": name,
        "inches": [round(float(width), 4), round(float(height), 4)],
        "table_sha256": sha256(contents["csv"]).hexdigest(),
        "provenance": dict(provenance),
    }
    try:
        return (json.dumps(described, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the provenance of figure {name} cannot be written as JSON: {error}") from error


def _writable(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ArgumentError(
            f"figures cannot be written to {folder}: {error.strerror or error}; choose another folder"
        ) from error
    return folder


def _replace(file: Path, content: bytes) -> None:
    """Put a whole file in place at once, so that a reader or a crash never sees half of one."""
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        # Temporary files are private; figures are for everyone whom the user's umask allows.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, file)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise ArgumentError(f"the figure {file} could not be written: {error.strerror or error}") from error
