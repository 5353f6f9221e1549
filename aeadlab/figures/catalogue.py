"""All implementations of one kind, a row per algorithm: the ETH paper's Figures 7, 8 and 9 with every library."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import Look, look
from aeadlab.figures.plain import case_medians, each, is_baseline, plain, shares_of_memcpy
from aeadlab.figures.ticks import log_ticks
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.units import significant, size_name

COLUMNS: Final = (
    "algorithm", "implementation", "library", "kind", "op", "engine", "model", "bytes", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "cycles_per_byte", "share_of_memcpy", "rank", "time_over_fastest",
    "time_over_fastest_low", "time_over_fastest_high",
)  # fmt: skip

_WORDS: Final = {"aead": "AEADs", "cipher": "ciphers", "hash": "hashes", "mac": "MACs"}
_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_LEAST_AXIS: Final = 1.0
_TICK: Final = 0.3
"""Inches that a number of the axis takes."""


def catalogue_speeds(samples: DataFrame, kind: str = "aead", venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the speed of every implementation of a kind in one thread, one row per algorithm, one point per library.

    The fastest algorithm is on top. Where the page has no room for all, half of it is for the fastest and the rest for
    those that most libraries have; the note counts what is left out, and the table has them all.

    Parameters
    ----------
    samples
        One row per sample; see `catalogue_table` for what is taken from it.
    kind
        ``aead``, ``cipher``, ``hash`` or ``mac``.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What `catalogue_table` gives.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no implementation of this kind.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = catalogue_table(samples, kind)
    best = table[table["rank"] == 1].sort_values("gib_per_s", ascending=False, kind="stable")
    legend = _legend(table, space.width)
    room = space.height - _CAPTION - _HEAD - _AXIS - legend.height - 3 * style.LINE - 0.1
    most = max(1, int(room / rows.LEAST_PITCH))
    common = best["algorithm"].map(table.groupby("algorithm", observed=True)["library"].nunique())
    fastest, others = best.head(-(-most // 2)), best.assign(common=common).iloc[-(-most // 2) :]
    shown = best[best.index.isin([*fastest.index, *others.nlargest(most // 2, "common").index])]
    legend = _legend(table[table["algorithm"].isin(shown["algorithm"])], space.width)
    labels = [rows.Label(str(name)) for name in shown["algorithm"]]
    written = [
        rows.Column(("fastest",), tuple(str(row.library) for row in each(shown))),
        rows.Column(("GiB/s",), tuple(significant(row.gib_per_s) for row in each(shown))),
        rows.Column(("% of", "memcpy"), tuple(_percent(row.share_of_memcpy) for row in each(shown))),
    ]
    left = rows.labels_width(labels)
    if space.width - left - sum(column.width for column in written) < _LEAST_AXIS:
        del written[-1]
    told = "its speed and its share of memcpy" if len(written) > 2 else "its speed"
    notes = [
        f"{size_name(int(table['bytes'].iloc[0]))} in one thread, medians; the fastest library of each row is named, "
        f"with {told}. Hollow: called from Python."
    ]
    if more := len(best) - len(shown):
        notes.append(f"{more} more {_WORDS[kind]}, slower and in fewer libraries, are in the table only.")
    failed = int(table["status"].ne("ok").sum())
    if failed:
        notes.append(f"{failed} failed and are absent.")
    lines = rows.wrapped(" ".join(notes), space.width - 0.04)
    pitch: float = min(rows.PITCH, max(rows.LEAST_PITCH, room / max(len(labels), 1)))
    below = rows.sheet_height(labels, pitch) + _HEAD + _AXIS
    height = below + legend.height + len(lines) * style.LINE + 0.12
    with style.settings():
        figure = style.new_figure(space.width, height)
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        edge = space.width - sum(column.width for column in written) - 0.02
        axes = sheet.axes(left, edge)
        _draw_points(axes, sheet, table, [str(name) for name in shown["algorithm"]])
        for column in written:
            edge += column.width
            sheet.column(edge, column)
        legend.write(figure, below)
        rows.write_notes(figure, lines)
    return figure, table


def catalogue_table(samples: DataFrame, kind: str) -> DataFrame:
    """Tabulate the implementations of a kind over one whole message in one thread, baselines left out.

    Returns
    -------
    DataFrame
        One row per implementation: `COLUMNS`, by algorithm, the fastest first (``rank`` 1). Times in seconds;
        ``time_over_fastest`` is the ratio to the fastest of the algorithm, paired by round. A case that failed has its
        reason in ``status``, NaN, and no rank (0).

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there is none, or a column is missing.
    """
    every = plain(samples)
    wanted = every["engine"].isin(["whole", "python"]) & every["kind"].eq(kind) & every["threads"].eq(1)
    found = every[wanted & every["op"].isin(["seal", "encrypt", "digest"])]
    found = found[~found["implementation"].map(is_baseline).astype(bool)]
    if found.empty:
        raise EmptyFigureError(f"the samples hold no {kind}: measure the study everything")
    by = list(CASE_COLUMNS)
    table = case_medians(found)
    fastest = table.dropna(subset="seconds").sort_values("seconds", kind="stable").drop_duplicates("algorithm")[by]
    counted = usable(found, [*by, "round", "seconds"])
    ratio = relative_speed(counted, counted.merge(fastest, on=by), by, ["algorithm"])
    over = DataFrame({"time_over_fastest": 1 / ratio["ratio"], "time_over_fastest_low": 1 / ratio["high"]})
    over["time_over_fastest_high"] = 1 / ratio["low"]
    table = table.merge(ratio[by].join(over), on=by, how="left")
    table = table.merge(shares_of_memcpy(every), on=by, how="left")
    table["rank"] = table.groupby("algorithm", observed=True)["seconds"].rank(method="first").fillna(0).astype(np.int64)
    unranked = table["rank"].eq(0)
    table = table.assign(unranked=unranked)
    keys = ["algorithm", "unranked", "rank", "implementation"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _legend(table: DataFrame, width: float) -> Legend:
    libraries = sorted({str(name) for name in table.loc[table["status"] == "ok", "library"]})
    return Legend([Entry(name, _look(name)) for name in libraries], width, lines=False)


def _look(library: str) -> Look:
    """A library's look whatever the algorithm, since the rows say which that is."""
    return look(f"{library}/aes-256-gcm")


def _draw_points(axes: Axes, sheet: rows.Sheet, table: DataFrame, algorithms: list[str]) -> None:
    places = dict(zip(algorithms, sheet.places, strict=True))
    axes.set_xscale("log")
    drawn = table[table["algorithm"].isin(places) & table["status"].eq("ok")]
    for place in places.values():
        axes.axhline(place, color="#EEEEEE", linewidth=0.4, zorder=0)
    # The fastest lie on top of the others.
    groups = drawn.assign(first=drawn["rank"] == 1).groupby(["first", "library", "engine"], observed=True)
    for (first, library, engine), of in groups:
        seen = _look(str(library))
        face, edge = ("white", seen.colour) if engine == "python" else (seen.colour, style.EDGE)
        heights = of["algorithm"].map(places).astype(float)
        style_of: dict[str, Any] = {"markersize": 2.9, "mfc": face, "mec": edge, "mew": 0.4}
        axes.plot(of["gib_per_s"], heights, seen.marker, zorder=3 if first else 2, **style_of)
    low, high = drawn["gib_per_s"].min() / 1.4, drawn["gib_per_s"].max() * 1.4
    axes.set_xlim(low, high)
    ticks = log_ticks(low, high, 2)
    step = -(-len(ticks) // max(1, int(rows.axes_width(axes) / _TICK)))
    axes.xaxis.set_major_locator(FixedLocator(ticks[:: max(1, step)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("speed (GiB/s)", labelpad=2)


def _percent(share: float) -> str:
    return significant(100 * share) if np.isfinite(share) else ""
