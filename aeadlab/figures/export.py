"""Export of a figure as PDF, SVG and PNG, of its table as CSV and its provenance as JSON, in reproducible bytes.

On demand also for LaTeX: the figure as PGF, and its table with the rules of the package booktabs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame
from PIL import Image

from aeadlab import paths
from aeadlab.errors import ArgumentError
from aeadlab.figures import style

DOTS_PER_INCH: Final = 150

_CSV_FLOAT: Final = "%.5g"
"""Medians of repeated runs agree in three or four digits, and the record has all digits of the samples."""
LATEX: Final = ("pgf", "tex")
"""Formats that are written on demand."""

# Dates and program versions would make the files of equal figures differ.
_METADATA: Final[dict[str, dict[str, Any]]] = {
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None, "Format": None, "Type": None},
    "png": {"Software": None},
}

# The PNG is compressed again after its colours are reduced.
_SAVE_OPTIONS: Final[dict[str, dict[str, Any]]] = {"png": {"pil_kwargs": {"compress_level": 1}}}


def export(
    figure: Figure,
    table: DataFrame,
    name: str,
    folder: str | os.PathLike[str],
    provenance: Mapping[str, object],
    formats: Collection[str] = (),
) -> list[Path]:
    """Write a figure with its table and its provenance as PDF, SVG, PNG, CSV and JSON; return these files.

    The same inputs give the same bytes: no file contains a date or a program version. The PNG also depends on the
    version of Pillow, and the PDF on that of zlib.

    Parameters
    ----------
    figure
        Written at its own size without cropping.
    table
        The numbers that the figure shows; written as CSV with five digits, NaN as an empty cell.
    name
        File name without its ending.
    folder
        Created if it does not exist. Files of the same name are replaced.
    provenance
        Record, commit and call that the figure results from; must be serialisable as JSON.
    formats
        Further ones of `LATEX`: ``pgf``, which a document includes with its own fonts, and ``tex``, a table of the
        columns whose values differ.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the name is invalid, the provenance cannot be serialised, or the folder is not writable; nothing is
        written then. Also if a single file cannot be written; those before it are.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
        raise ArgumentError(f"invalid figure name {name!r}: use only letters, digits, '.', '_', '+' and '-'")
    contents = {ending: image(figure, ending) for ending in _METADATA}
    contents |= {ending: _LATEX_CONTENT[ending](figure, table) for ending in LATEX if ending in formats}
    contents["csv"] = csv_of(table)
    contents["json"] = _description(figure, name, contents, provenance)
    target = Path(folder)
    paths.check_folder(target)
    written = []
    for ending, content in contents.items():
        file = target / f"{name}.{ending}"
        try:
            paths.write_atomically(file, content)
        except OSError as error:
            raise ArgumentError(f"the figure {file} could not be written: {error.strerror or error}") from error
        written.append(file)
    return written


def csv_of(table: DataFrame) -> bytes:
    """Return the content of the CSV file; the same table gives the same bytes."""
    return table.to_csv(index=False, lineterminator="\n", float_format=_CSV_FLOAT).encode()


def image(figure: Figure, ending: str, dots_per_inch: int = DOTS_PER_INCH) -> bytes:
    """Return the content of a file in the format ``pdf``, ``svg`` or ``png``; the same figure gives the same bytes."""
    buffer = BytesIO()
    with style.settings():
        figure.savefig(
            buffer, format=ending, dpi=dots_per_inch, metadata=_METADATA[ending], **_SAVE_OPTIONS.get(ending, {})
        )
    reduce = _REDUCE.get(ending, BytesIO.getvalue)
    return reduce(buffer)


def _shorten(svg: BytesIO) -> bytes:
    """Return the image without comments, optional spaces and repeated styles, with short names and rounded numbers."""
    text = re.sub(r"<!--.*?-->", "", svg.getvalue().decode(), flags=re.DOTALL)
    text = re.sub(r"\s*\n\s*", "\n", text).replace("DejaVuSans-Bold-", "b").replace("DejaVuSans-", "g")
    text = re.sub(r'(?<=style=")[^"]*', lambda style: style[0].replace(": ", ":").replace("; ", ";"), text)
    # Matplotlib repeats the style of a mark wherever the mark is used, names groups that nothing refers to, and groups
    # single elements.
    styles = dict(re.findall(r'<path id="([^"]+)" d="[^"]*" style="([^"]*)"/>', text))
    text = re.sub(
        r'(<use xlink:href="#([^"]+)"[^>]*?) style="([^"]*)"/>',
        lambda use: f"{use[1]}/>" if styles.get(use[2]) == use[3] else use[0],
        text,
    )
    text = re.sub(r'<g id="[a-z\d]+_\d+">', "<g>", text, flags=re.IGNORECASE)
    text = re.sub(r"<g>\n(<[^>]*/>)\n</g>", r"\1", text)
    # The place of a glyph in its text.
    text = re.sub(r'(<use [^>]*?)transform="translate\(([-\d.]+) 0\)"/>', r'\1x="\2"/>', text)
    text = re.sub(r'(<use [^>]*?)transform="translate\(([-\d.]+) ([-\d.]+)\)"/>', r'\1x="\2" y="\3"/>', text)
    # In paths a number follows a letter.
    text = re.sub(r'(?<= d=")[^"]*', lambda path: _rounded(re.sub(r"\s*([A-Za-z])\s*", r"\1", path[0]).strip()), text)
    # The lines of a collection, such as intervals, have one style.
    text = re.sub(r'<path d="[^"]*"( [^>]*fill:none[^>]*/>)(?:\n<path d="[^"]*"\1)+', _one_path, text)
    return re.sub(r"(?<![#\w.])-?\d+\.\d{3,}", lambda number: _rounded(number[0]), text).encode()


def _one_path(lines: re.Match[str]) -> str:
    """Return adjacent lines with the same attributes, which are the first group, as one path."""
    data = "".join(re.findall(r' d="([^"]*)"', lines[0]))
    return f'<path d="{data}"{lines[1]}'


def _rounded(text: str) -> str:
    """Return the text, which has no names with digits, with numbers in hundredths; below 1 with five digits."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: _shortest(float(number[0])), text)


def _shortest(number: float) -> str:
    # A hundredth of a point is invisible, but scales of glyphs are below 1.
    return f"{round(number, 2):.9g}" if abs(number) >= 1 else f"{number:.5g}"


_KEPT_COLOURS: Final = 48


def _reduce_colours(png: BytesIO) -> bytes:
    """Return the image with 256 colours, which are enough for lines and text and make the file a third as large.

    The most frequent colours are kept as they are, because those that Pillow chooses gave grey areas a tint.
    """
    small = BytesIO()
    with Image.open(png) as picture:
        drawn = picture.convert("RGB")
        chosen = drawn.quantize(256 - _KEPT_COLOURS, Image.Quantize.MAXCOVERAGE).getpalette() or []
        numbers = np.asarray(drawn).astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], np.int32)
        found, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        seen = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1)
        kept = seen[np.argsort(counts)[-_KEPT_COLOURS:]]
        palette = np.concatenate([kept, np.reshape(chosen, (-1, 3))])[:256]
        nearest = ((seen[:, None] - palette) ** 2).sum(axis=2).argmin(axis=1)
        colours = Image.fromarray(nearest.astype(np.uint8)[places].reshape(numbers.shape))
        colours.putpalette(palette.astype(np.uint8).tobytes())
        # Level 9 takes three times as long for a 3 % smaller file.
        colours.save(small, "PNG", compress_level=8, dpi=picture.info["dpi"])
    return small.getvalue()


_REDUCE: Final[Mapping[str, Callable[[BytesIO], bytes]]] = {"svg": _shorten, "png": _reduce_colours}


def _pgf(figure: Figure, table: DataFrame) -> bytes:
    from aeadlab.figures.latex import pgf

    return pgf(figure).encode()


def _booktabs(figure: Figure, table: DataFrame) -> bytes:
    from aeadlab.figures.latex import booktabs

    return booktabs(table).encode()


_LATEX_CONTENT: Final[Mapping[str, Callable[[Figure, DataFrame], bytes]]] = {"pgf": _pgf, "tex": _booktabs}


def _description(figure: Figure, name: str, contents: dict[str, bytes], provenance: Mapping[str, object]) -> bytes:
    width, height = figure.get_size_inches()
    description = {
        "figure": name,
        "caption": getattr(figure, "caption", ""),
        "inches": [round(float(width), 4), round(float(height), 4)],
        "table_sha256": sha256(contents["csv"]).hexdigest(),
        "provenance": dict(provenance),
    }
    try:
        return (json.dumps(description, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"the provenance of figure {name} cannot be serialised as JSON: {error}") from error
