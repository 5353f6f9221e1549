"""Times against the block size of ParSplit: the ETH paper's Figures 6 and 11."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import look
from aeadlab.figures.plain import case_medians, plain, shares_of_memcpy
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.units import short_size, size_name

COLUMNS: Final = (
    "implementation", "op", "bytes", "threads", "schedule", "block_size", "status", "n", "seconds", "seconds_low",
    "seconds_high", "gib_per_s", "share_of_memcpy", "time_over_best", "time_over_best_low", "time_over_best_high",
    "best", "among_best", "overhead_percent",
)  # fmt: skip

_BAND: Final = "#E9EFF5"
_SERIES: Final = ["implementation", "op", "threads", "schedule"]


def block_size_times(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw the time for one message against the block size, after Figures 6 and 11 of the ETH paper.

    A point is the median with its 95 % interval. The filled points of a curve are its best range: block sizes that
    cannot be told from the fastest one, since the interval of their ratio, paired by round, includes 1. The band is
    the range that the document found best.

    Parameters
    ----------
    samples
        One row per sample; see `block_size_table` for what is taken from it.
    published
        What `aeadlab.published.load` returns for a document that states a best range.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What is drawn; see `block_size_table`.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no case under ParSplit.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = block_size_table(samples)
    sizes = sorted({int(size) for size in table["block_size"]})
    band = _published_band(published)
    threads = sorted({int(count) for count in table["threads"]})

    def extra(axes: Axes) -> None:
        if band is not None:
            axes.axvspan(band[0] / 2**0.5, band[1] * 2**0.5, facecolor=_BAND, linewidth=0, zorder=0)

    curves, legend = [], []
    for _, rows in table.groupby(_SERIES, sort=False, observed=True):
        name = str(rows["implementation"].iloc[0])
        text = name if len(threads) == 1 else f"{name}, {rows['threads'].iloc[0]} threads"
        if rows["status"].ne("ok").all():
            legend.append(Entry(f"{text} ({rows['status'].iloc[0].partition(':')[0]})", None))
            continue
        values = {end: (1e3 * rows[f"seconds{end}"]).tolist() for end in ("", "_low", "_high")}
        hollow = (~rows["among_best"].astype(bool)).tolist()
        x = rows["block_size"].tolist()
        curves.append(Curve(look(name), x, values[""], values["_low"], values["_high"], hollow))
        best = rows[rows["among_best"].astype(bool)]["block_size"]
        span = " to ".join(dict.fromkeys(size_name(int(size)) for size in (best.min(), best.max())))
        legend.append(Entry(f"{text}: {span}", look(name)))
    step = -(-len(sizes) // (11 if space.width >= 4.5 else 7))
    ticks = {float(size): short_size(size) for size in sizes[::step]}
    count = "1 thread" if threads == [1] else f"{' and '.join(map(str, threads))} threads"
    label = f"{size_name(int(table['bytes'].iloc[0]))} under ParSplit, {count}"
    panel = Panel(
        label, "block size (bytes)", "time (ms)", curves, ticks, (min(sizes) / 1.3, max(sizes) * 1.3), extra=extra
    )
    notes = ["Medians with their 95 % intervals. Filled, and in the legend: not told from the best size of the curve."]
    if band is not None and published is not None:
        document = str(published["document"].iloc[0])
        notes.append(f"Band: best in {document}, {size_name(band[0])} to {size_name(band[1])}.")
    return draw([panel], space, Legend(legend, space.width), [" ".join(notes)]), table


def block_size_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases under ParSplit by block size.

    Parameters
    ----------
    samples
        One row per sample, as a record gives when it is loaded. The largest message is taken, separate buffers, warm
        caches, nothing masked, replica 0.

    Returns
    -------
    DataFrame
        One row per case: `COLUMNS`. Times in seconds; ``time_over_best`` is the ratio to the block size of least
        median time of the same implementation and threads, paired by round; ``among_best`` is whether its interval
        includes 1 or is unknown with the same median; ``overhead_percent`` is over the whole message in one thread,
        and known for one thread alone. A case that failed has its reason in ``status`` and NaN.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case is under ParSplit, or a column is missing.
    """
    rows = plain(samples)
    split = rows[rows["engine"] == "parsplit"]
    if split.empty:
        raise EmptyFigureError("the samples hold no case under ParSplit: measure the study blocks")
    by = list(CASE_COLUMNS)
    table = case_medians(split)
    counted = usable(split, [*by, "round", "seconds"])
    fastest = table.dropna(subset="seconds").sort_values("seconds", kind="stable").drop_duplicates(_SERIES)
    best = counted.merge(fastest[[*_SERIES, "block_size"]], on=[*_SERIES, "block_size"])
    ratio = relative_speed(counted, best, by, _SERIES)
    over = DataFrame({"time_over_best": 1 / ratio["ratio"], "time_over_best_low": 1 / ratio["high"]})
    over["time_over_best_high"] = 1 / ratio["low"]
    table = table.merge(ratio[by].join(over), on=by, how="left")
    table = table.merge(fastest[[*_SERIES, "block_size"]].assign(best=True), on=[*_SERIES, "block_size"], how="left")
    table["best"] = table["best"].eq(True)
    # Without an interval only the fastest itself is known to be among the best.
    table["among_best"] = table["best"] | table["time_over_best_low"].le(1)
    table = table.merge(shares_of_memcpy(rows), on=by, how="left")
    every = usable(rows, [*by, "round", "seconds"])
    whole = every[every["engine"].eq("whole") & every["threads"].eq(1)]
    against = relative_speed(counted[counted["threads"] == 1], whole, by, ["implementation", "op"])
    overhead = 100 * (1 / against["ratio"] - 1)
    table = table.merge(against[by].assign(overhead_percent=overhead), on=by, how="left")
    order = table.groupby("implementation", observed=True)["seconds"].transform("min").fillna(np.inf)
    table = table.assign(order=order).sort_values(["order", *_SERIES, "block_size"], kind="stable", ignore_index=True)
    return table[list(COLUMNS)]


def _published_band(published: DataFrame | None) -> tuple[int, int] | None:
    if published is None:
        return None
    ends = [
        published.loc[published["quantity"] == f"best block size, {end}", "block_size"] for end in ("lowest", "highest")
    ]
    return (int(ends[0].iloc[0]), int(ends[1].iloc[0])) if all(len(end) for end in ends) else None
