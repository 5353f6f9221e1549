"""Cells of half a kilobyte: seconds for a million of them, after the document *Tor*."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.beside import beside
from aeadlab.figures.palette import look
from aeadlab.figures.plain import case_medians, each, is_baseline, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.units import significant

COLUMNS: Final = (
    "implementation", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high", "million_seconds",
    "gib_per_s", "cycles_per_byte",
)  # fmt: skip

_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_CELL: Final = 509
_OURS: Final = {"plain": "plain", "counter-optimization": "counter-optimization", "full-unroll": "full-unroll"}


def cell_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the seconds that a million cells take, from the fastest to the slowest.

    Parameters
    ----------
    samples
        One row per sample; see `cell_table` for what is taken from it. The shorter cell is drawn.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What `cell_table` gives.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no cipher over so short a message.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = cell_table(samples)
    cell = int(table["bytes"].min())
    shown = table[table["bytes"].eq(cell) & table["status"].eq("ok")]
    labels = [rows.Label(str(name)) for name in shown["implementation"]]
    written = [
        rows.Column(("s",), tuple(significant(row.million_seconds) for row in each(shown))),
        rows.Column(("cycles", "/byte"), tuple(significant(row.cycles_per_byte) for row in each(shown))),
    ]
    lines = rows.wrapped(
        f"A million cells of {cell} bytes, each a message of its own under one key; medians with their 95 % intervals.",
        space.width - 0.04,
    )
    fixed = _HEAD + _AXIS + style.LINE * len(lines) + 0.04
    pitch = rows.pitch([labels], space.height - _CAPTION - fixed)
    with style.settings():
        figure = style.new_figure(space.width, fixed + rows.sheet_height(labels, pitch))
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        left = rows.labels_width(labels)
        edge = space.width - sum(column.width for column in written) - 0.02
        axes = sheet.axes(left, edge)
        for position, row in enumerate(each(shown)):
            ends = (1e6 * row.seconds_low, 1e6 * row.seconds_high)
            rows.bar(sheet, axes, position, row.million_seconds, ends, look(row.implementation), False, False)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(max(2, int(rows.axes_width(axes) / 0.3)), steps=[1, 2, 2.5, 5, 10]))
        rows.name_axis(axes, "time for a million cells (s)")
        sheet.columns(written, edge)
        rows.write_notes(figure, lines)
    return figure, table


def cell_table(samples: DataFrame) -> DataFrame:
    """Tabulate ciphers over cells.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`, the fastest first. ``seconds`` is of one cell, ``million_seconds`` of a million.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is none.
    """
    every = plain(samples, largest=False)
    wanted = every["engine"].isin(["whole", "python"]) & every["op"].eq("encrypt") & every["bytes"].le(1024)
    found = every[wanted & ~every["implementation"].map(is_baseline).astype(bool)]
    if found.empty:
        raise EmptyFigureError("the samples hold no cipher over a cell: measure the study cells")
    table = case_medians(found)
    table["million_seconds"] = 1e6 * table["seconds"]
    return table.sort_values(["bytes", "seconds"], kind="stable", ignore_index=True)[list(COLUMNS)]


def million(table: DataFrame, cell: int = _CELL) -> dict[str, float]:
    """Seconds for a million cells of this length, by implementation."""
    of = table[table["bytes"].eq(cell) & np.isfinite(table["million_seconds"])]
    return dict(zip(of["implementation"], of["million_seconds"], strict=True))


def beside_tor(samples: DataFrame, published: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the document's three computers beside ours: times over its plain code at -O2.

    Parameters, returns and errors are those of `aeadlab.figures.beside.beside`.
    """
    table = rows_of(published, ["time for a million cells"])
    found = pairs(samples, table, _place, _case, lambda _: _own("plain", 2))
    note = (
        "The document measured in 2007 on a Core 2 Duo E6700 (2006), an Athlon XP 1700+ (2001) and a PowerPC G4; gcc 4."
    )
    return beside(found, "time (\N{MULTIPLICATION SIGN} own code, plain, -O2)", note, venue)


def _place(row: Any) -> tuple[str, str]:
    version = f", {row.software.partition(';')[0]}" if row.library == "openssl" else ""
    return str(row.hardware), f"{row.variant}{version}"


def _case(row: Any) -> dict[str, Any] | None:
    way, _, level = str(row.variant).partition(" -O")
    if row.library == "rijndael":
        return _own(way, int(level)) if way in _OURS else None
    # The library's own level of optimisation is not ours to choose, so that both rows meet one measurement.
    name = "openssl/aes-128-ctr" + ("" if way == "evp" else ".aes-encrypt")
    return {"implementation": name, "bytes": _CELL, "op": "encrypt"}


def _own(way: str, level: int) -> dict[str, Any]:
    return {"implementation": f"rijndael/aes-128-ctr.{way}-o{level}", "bytes": _CELL, "op": "encrypt"}
