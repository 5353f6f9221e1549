"""Times by block size of ParSplit: the ETH paper's Figure 6."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import count_noun, significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import LIMIT, Curve, Panel, curve, draw_panels, emphasise
from aeadlab.figures.ticks import size_ticks
from aeadlab.stats.processes import joint_level
from aeadlab.stats.roofline import LIMIT_SHARES, limit_shares
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, is_baseline, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.eth.baselines.table import REFERENCE
from aeadlab.studies.tables import AS_PUBLISHED, is_as_published, relative_time
from aeadlab.verdicts import published

COLUMNS: Final = (
    "implementation", "op", "bytes", "threads", "schedule", "model", "block_size", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "share_of_memcpy", *LIMIT_SHARES[:2],
    "time_over_best", "time_over_best_low", "time_over_best_high", "best", "among_best", "overhead_percent",
)  # fmt: skip

_MAIN: Final = "aes-256-gcm"
"""The algorithm whose libraries have a panel of their own."""

_BAND: Final = "#E9EFF5"
_SERIES: Final = ["implementation", "op", "threads", "schedule", "model"]


def block_size_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time for one message by block size, after Figure 6 of the ETH paper.

    A point is the median with its 95 % interval. Beside the name of a curve is the smallest block size that is not
    distinguishable from the fastest, since the interval of their ratio, paired by round, includes 1. The band is the
    published best range. The libraries of AES-256-GCM have a panel of their own, and so has ParSplit as published.
    Only the largest thread count is drawn. The table is that of `block_size_table`, with all thread counts.
    """
    space = style.venue(venue)
    table = block_size_table(samples)
    timed = table[table["status"].eq("ok")]
    if timed.empty:
        raise EmptyFigureError("every case under ParSplit failed: see the status of each in block_size_table")
    threads = int(timed["threads"].max())
    drawn = table[table["threads"].eq(threads)]
    sizes = sorted({int(size) for size in drawn["block_size"]})
    smallest, largest = _published_range()

    def draw_band(axes: Axes) -> None:
        axes.axvspan(smallest / 2**0.5, largest * 2**0.5, facecolor=_BAND, linewidth=0, zorder=0)

    series = [rows for _, rows in drawn.groupby(_SERIES, sort=False, observed=True) if rows["status"].eq("ok").any()]
    main: list[Curve] = []
    others: list[Curve] = []
    published_curves: list[Curve] = []
    limits: dict[bool, list[Curve]] = {False: [], True: []}
    for rows in series:
        library, _, algorithm = str(rows["implementation"].iloc[0]).partition("/")
        of_paper = is_as_published(rows)
        line = curve(rows, "block_size", "seconds", 1e3)
        best = size_name(int(rows.loc[rows["among_best"].astype(bool), "block_size"].min()))
        if is_baseline(str(rows["implementation"].iloc[0])):
            limits[of_paper].append(replace(line, appearance=LIMIT, name=algorithm, low=(), high=()))
        elif algorithm == _MAIN and not of_paper:
            main.append(replace(line, name=f"{library}\nfrom {best}"))
        else:
            curves = published_curves if of_paper else others
            curves.append(replace(line, name=f"{algorithm}\n({library})\nfrom {best}"))
    # Panels below each other have the same axes, too.
    times = 1e3 * drawn[["seconds", "seconds_low", "seconds_high"]].to_numpy(dtype=np.float64)
    panels = [
        Panel(
            title, "block size", "time (ms)", [*emphasise(curves), *limits[curves is published_curves]],
            size_ticks(sizes), (min(sizes) / 1.3, max(sizes) * 1.3), background=draw_band,
            y_limits=(float(np.nanmin(times)) / 1.25, float(np.nanmax(times)) * 1.25), height=2.0,
        )
        for title, curves in ((_MAIN, main), ("other algorithms", others), (AS_PUBLISHED, published_curves))
        if curves
    ]  # fmt: skip
    absent = sorted({*drawn["implementation"]} - {*timed.loc[timed["threads"].eq(threads), "implementation"]})
    sentences = [
        _result(pd.concat([rows for rows in series if not is_as_published(rows)] or series)),
        "From: the smallest size that is not distinguishable from the curve's best. Dashed: baselines.",
        f"Band: published as best (ETH), {size_name(smallest)} to {size_name(largest)}.",
        f"{size_name(int(table['bytes'].iloc[0]))} under ParSplit, {count_noun(threads, 'thread')}; medians with 95 % "
        "intervals.",
        "As published: Rayon's schedule, and a key set-up for each block." if published_curves else "",
        f"Failed: {', '.join(map(str, absent))}." if absent else "",
    ]
    return draw_panels(panels, space, sentences), table


def _result(table: DataFrame) -> str:
    """Return how much longer the reference takes at the smallest block size than at its best."""
    name = REFERENCE if REFERENCE in set(table["implementation"]) else str(table["implementation"].iloc[-1])
    own = table[table["implementation"].eq(name) & table["time_over_best"].notna()].sort_values("block_size")
    if own.empty:
        return ""
    first, best = own.iloc[0], own[own["best"]].iloc[0]
    return (
        f"{name} takes {significant(first['time_over_best'])} times as long in blocks of "
        f"{size_name(int(first['block_size']))} as at its best, {size_name(int(best['block_size']))} "
        f"({significant(1e3 * best['seconds'])} ms)."
    )


def block_size_table(samples: DataFrame) -> DataFrame:
    """Tabulate the cases under ParSplit by block size.

    ``time_over_best`` is the ratio to the block size with the smallest median time for the same implementation and
    thread count; ``among_best`` is True where its interval, which accounts for the number of block sizes (Bonferroni),
    includes 1, and for the fastest itself. ``overhead_percent``
    is over the whole message in one thread, and NaN for other thread counts.
    """
    rows = default_cases(samples)
    split = rows[rows["engine"] == "parsplit"]
    if split.empty:
        raise EmptyFigureError("the samples hold no case under ParSplit: measure the study blocks")
    by = list(CASE_COLUMNS)
    table = case_medians(split)
    timed = usable(split, [*by, "process", "round", "seconds"])
    fastest = table.dropna(subset="seconds").sort_values("seconds", kind="stable").drop_duplicates(_SERIES)
    best = timed.merge(fastest[[*_SERIES, "block_size"]], on=[*_SERIES, "block_size"])
    # The best size is chosen from the sample among all sizes of a curve, so the intervals of all hold at once.
    level = joint_level(int(table.groupby(_SERIES, observed=True).size().max()) - 1)
    table = table.merge(relative_time(timed, best, _SERIES, "time_over_best", confidence=level), on=by, how="left")
    table = table.merge(fastest[[*_SERIES, "block_size"]].assign(best=True), on=[*_SERIES, "block_size"], how="left")
    table["best"] = table["best"].eq(True)
    # Without intervals only the fastest itself is certain to be among the best.
    table["among_best"] = table["best"] | table["time_over_best_low"].le(1)
    table = table.merge(limit_shares(rows), on=by, how="left")
    whole = usable(rows[rows["engine"].eq("whole") & rows["threads"].eq(1)], [*by, "process", "round", "seconds"])
    one_thread, on = timed[timed["threads"] == 1], ["implementation", "op"]
    table = table.merge(relative_time(one_thread, whole, on, "overhead_percent", percent=True), on=by, how="left")
    order = table.groupby("implementation", observed=True)["seconds"].transform("min").fillna(np.inf)
    table = table.assign(order=order).sort_values(["order", *_SERIES, "block_size"], kind="stable", ignore_index=True)
    return table[list(COLUMNS)]


def _published_range() -> tuple[int, int]:
    """Return the smallest and the largest of the published best block sizes, in bytes."""
    sizes = published.load("ETH").set_index("quantity")["block_size"]
    return int(sizes["best block size, lowest"]), int(sizes["best block size, highest"])


FIGURES: Final = {"figure-6-block-sizes": block_size_times}
