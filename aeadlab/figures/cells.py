"""Cells of half a kilobyte: seconds for a million of them, after the document *Tor*."""

from __future__ import annotations

from math import nan
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.beside import beside
from aeadlab.figures.listed import Bar, bars
from aeadlab.figures.plain import case_medians, each, is_baseline, plain
from aeadlab.figures.published_pairs import pairs, rows_of
from aeadlab.units import significant
from aeadlab.workloads import CELLS

COLUMNS: Final = (
    "implementation", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high", "million_seconds",
    "whole_run_seconds", "whole_runs", "gib_per_s", "cycles_per_byte",
)  # fmt: skip

_LONGEST_CELL: Final = 1024
_MILLION: Final = 1e6


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
        If the samples hold no cipher over so short a message, or every one failed.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = cell_table(samples)
    cell = int(table["bytes"].min())
    shown = table[table["bytes"].eq(cell)]
    if not shown["status"].eq("ok").any():
        raise EmptyFigureError(f"every cell of {cell} bytes failed: see the status of each in cell_table")
    note = (
        f"Bars: a million times the median of one cell of {cell} bytes, each a message of its own under one key, with "
        "95 % intervals."
    )
    if runs := int(shown["whole_runs"].max()):
        cells = int(samples.loc[samples["engine"].eq("cells") & samples["block_size"].eq(cell), "bytes"].max()) // cell
        scaled = "" if cells == _MILLION else ", as for a million"
        note += f" Hollow: the median of {runs} whole runs of {cells:,} cells each{scaled}."
    figure = bars(
        [_bar(row) for row in each(shown)], [("s",), ("cycles", "/byte")], "time for a million cells (s)", note, space
    )
    return figure, table


def _bar(row: Any) -> Bar:
    name = str(row.implementation)
    if row.status != "ok":
        return Bar(name, name, nan, nan, nan, ("", ""), absent=row.status.partition(":")[0])
    numbers = (significant(row.million_seconds), significant(row.cycles_per_byte))
    low, high = _MILLION * row.seconds_low, _MILLION * row.seconds_high
    return Bar(name, name, row.million_seconds, low, high, numbers, mark=row.whole_run_seconds)


def cell_table(samples: DataFrame) -> DataFrame:
    """Tabulate ciphers over cells.

    Returns
    -------
    DataFrame
        One row per implementation and length of a cell: `COLUMNS`, the fastest first. ``seconds`` is of one cell,
        ``million_seconds`` of a million, ``whole_run_seconds`` the median of `whole_runs` whole runs of as many cells
        as the document has, scaled to a million where there were fewer; NaN where there were none.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is none.
    """
    every = plain(samples, largest=False)
    every = every[every["op"].eq("encrypt") & ~every["implementation"].map(is_baseline).astype(bool)]
    found = every[every["engine"].isin(["whole", "python"]) & every["bytes"].le(_LONGEST_CELL)]
    if found.empty:
        raise EmptyFigureError("the samples hold no cipher over a cell: measure the study cells")
    table = case_medians(found)
    table["million_seconds"] = _MILLION * table["seconds"]
    runs = every[every["engine"].eq("cells")]
    whole = case_medians(runs) if len(runs) else table.iloc[:0]
    per_cell = whole["seconds"] / whole["bytes"] * whole["block_size"]
    whole = whole.assign(whole_run_seconds=_MILLION * per_cell, whole_runs=whole["n"], bytes=whole["block_size"])
    columns = ["implementation", "bytes", "whole_run_seconds", "whole_runs"]
    table = table.merge(whole[columns], on=["implementation", "bytes"], how="left")
    table["whole_runs"] = table["whole_runs"].fillna(0).astype(np.int64)
    return table.sort_values(["bytes", "seconds"], kind="stable", ignore_index=True)[list(COLUMNS)]


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
        return _own(way, int(level))
    # The library's own level of optimisation is not ours to choose, so that both rows meet one measurement.
    name = "openssl/aes-128-ctr" + ("" if way == "evp" else ".aes-encrypt")
    return {"implementation": name, "bytes": CELLS[0], "op": "encrypt", "engine": "whole"}


def _own(way: str, level: int) -> dict[str, Any]:
    name = f"rijndael/aes-128-ctr.{way}-o{level}"
    return {"implementation": name, "bytes": CELLS[0], "op": "encrypt", "engine": "whole"}
