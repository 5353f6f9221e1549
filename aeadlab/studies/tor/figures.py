"""Cells of half a kilobyte: time for a million of them, after the document *Tor*."""

from __future__ import annotations

from math import nan
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.names import with_level
from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.bar_chart import Bar, bar_chart
from aeadlab.figures.published_comparison import published_comparison
from aeadlab.figures.published_pairs import published_pairs
from aeadlab.stats.compare import confidence_of_chosen
from aeadlab.stats.selection import default_cases, is_baseline, named_rows
from aeadlab.stats.summary import case_medians
from aeadlab.studies.answering import over
from aeadlab.studies.tor.study import CELLS
from aeadlab.verdicts import published

COLUMNS: Final = (
    "implementation", "bytes", "status", "n", "seconds", "seconds_low", "seconds_high", "million_seconds",
    "whole_run_seconds", "whole_runs", "gib_per_s", "cycles_per_byte",
)  # fmt: skip

_LONGEST_CELL: Final = 1024
_MILLION: Final = 1e6


def cell_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time in seconds for a million of the shorter cells, from the fastest to the slowest.

    The table is that of `cell_table`.
    """
    space = style.venue(venue)
    table = cell_table(samples)
    cell = int(table["bytes"].min())
    shown = table[table["bytes"].eq(cell)]
    if not shown["status"].eq("ok").any():
        raise EmptyFigureError(f"every cell of {cell} bytes failed: see the status of each in cell_table")
    runs = shown.loc[shown["whole_runs"].gt(0), "whole_runs"]
    sentences = [_result(shown, samples), "Bars: a million times the median of one cell, with 95 % intervals."]
    if len(runs):
        least, most = int(runs.min()), int(runs.max())
        count = f"{least} to {most}" if least < most else f"{most}"
        cells = int(samples.loc[samples["engine"].eq("cells") & samples["block_size"].eq(cell), "bytes"].max()) // cell
        scaled = "" if cells == _MILLION else ", as for a million"
        sentences.append(f"Vertical lines: the median of {count} whole runs of {cells:,} cells each{scaled}.")
    sentences.append(f"Cells of {cell} bytes, each a message of its own under one key; one thread.")
    headings = [("time", "s"), ("cycles", "/byte")]
    bars = [_bar(row) for row in named_rows(shown)]
    return bar_chart(bars, headings, "time for a million cells (s)", sentences, space), table


def _result(shown: DataFrame, samples: DataFrame) -> str:
    ok = shown[shown["status"].eq("ok")].sort_values("million_seconds")
    first, last = (with_level(str(name)) for name in ok["implementation"].iloc[[0, -1]])
    seconds = significant(float(ok["million_seconds"].iloc[0]))
    fastest, slowest = ok.iloc[0].to_dict(), ok.iloc[-1].to_dict()
    factor = over(samples, slowest, fastest, confidence_of_chosen(len(ok)))
    return f"{first} is fastest: {seconds} s for a million cells, {factor} times as fast as {last}."


def _bar(row: Any) -> Bar:
    name = with_level(str(row.implementation))
    if row.status != "ok":
        return Bar(name, name, nan, nan, nan, ("", ""), reason=row.status.partition(":")[0])
    numbers = (significant(row.million_seconds), significant(row.cycles_per_byte))
    low, high = _MILLION * row.seconds_low, _MILLION * row.seconds_high
    return Bar(name, name, row.million_seconds, low, high, numbers, mark=row.whole_run_seconds)


def cell_table(samples: DataFrame) -> DataFrame:
    """Tabulate ciphers over cells: one row per implementation and length of a cell, the fastest first.

    ``seconds`` is of one cell, ``million_seconds`` of a million, ``whole_run_seconds`` the median of ``whole_runs``
    runs over the document's number of cells, scaled to a million where a run had fewer; NaN without such runs.
    """
    encrypting = default_cases(samples, largest=False)
    encrypting = encrypting[
        encrypting["op"].eq("encrypt") & ~encrypting["implementation"].map(is_baseline).astype(bool)
    ]
    cells = encrypting[encrypting["engine"].isin(["whole", "python"]) & encrypting["bytes"].le(_LONGEST_CELL)]
    if cells.empty:
        raise EmptyFigureError("the samples hold no cipher over a cell: measure the study cells")
    table = case_medians(cells)
    table["million_seconds"] = _MILLION * table["seconds"]
    runs = encrypting[encrypting["engine"].eq("cells")]
    whole = case_medians(runs) if len(runs) else table.iloc[:0]
    per_cell = whole["seconds"] / whole["bytes"] * whole["block_size"]
    whole = whole.assign(whole_run_seconds=_MILLION * per_cell, whole_runs=whole["n"], bytes=whole["block_size"])
    columns = ["implementation", "bytes", "whole_run_seconds", "whole_runs"]
    table = table.merge(whole[columns], on=["implementation", "bytes"], how="left")
    table["whole_runs"] = table["whole_runs"].fillna(0).astype(np.int64)
    return table.sort_values(["bytes", "seconds"], kind="stable", ignore_index=True)[list(COLUMNS)]


def published_cell_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the times of the document's three computers beside measured ones, relative to its plain code at -O2."""
    table = published.lookup("Tor", quantity="time for a million cells")
    pairs = published_pairs(samples, table, _position, _case, lambda _: _run("rijndael", "plain", 2))
    note = (
        "The document measured in 2007 on a Core 2 Duo E6700, an Athlon XP 1700+ and a PowerPC G4, with gcc 4 and "
        "rijndael-alg-fst.c; here this project's table code, with cells of 509 bytes."
    )
    return published_comparison(pairs, "time (\N{MULTIPLICATION SIGN} own code, plain, -O2)", note, venue)


def _position(row: Any) -> tuple[str, str]:
    version = f", {row.software.partition(';')[0]}" if row.library == "openssl" else ""
    return str(row.hardware), f"{row.variant}{version}"


def _case(row: Any) -> dict[str, Any]:
    code, _, level = str(row.variant).partition(" -O")
    library, code = {
        "evp": ("openssl", "evp-block"), "low-level": ("openssl", "aes-encrypt"),
    }.get(code, ("rijndael", code))  # fmt: skip
    return _run(library, code, int(level))


def _run(library: str, code: str, level: int) -> dict[str, Any]:
    """Return the columns of the run of cells under one key that corresponds to the document's."""
    name = f"{library}/aes-128-ctr.{code}-o{level}"
    return {"implementation": name, "block_size": CELLS[0], "op": "encrypt", "engine": "cells"}


FIGURES: Final = {"cells": cell_times, "cells-published": published_cell_times}
