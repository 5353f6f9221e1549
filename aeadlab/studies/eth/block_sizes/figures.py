"""Times by block size of ParSplit: the ETH paper's Figure 6."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import count_noun, short_size, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Panel, curve, draw_panels
from aeadlab.figures.legend import Legend, entry_of
from aeadlab.stats.processes import CONFIDENCE
from aeadlab.stats.roofline import LIMIT_SHARES, limit_shares
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, usable
from aeadlab.stats.summary import case_medians
from aeadlab.studies.tables import AS_PUBLISHED, is_as_published, relative_time
from aeadlab.verdicts import published

COLUMNS: Final = (
    "implementation", "op", "bytes", "threads", "schedule", "model", "block_size", "status", "n", "seconds",
    "seconds_low", "seconds_high", "gib_per_s", "share_of_memcpy", *LIMIT_SHARES[:2],
    "time_over_best", "time_over_best_low", "time_over_best_high", "best", "among_best", "overhead_percent",
)  # fmt: skip

_BAND: Final = "#E9EFF5"
_SERIES: Final = ["implementation", "op", "threads", "schedule", "model"]


def block_size_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time for one message by block size, after Figure 6 of the ETH paper.

    A point is the median with its 95 % interval. The filled points of a curve are its best range: the block sizes that
    are not distinguishable from the fastest, since the interval of their ratio, paired by round, includes 1. The band
    is the published best range. The table is that of `block_size_table`.
    """
    space = style.venue(venue)
    table = block_size_table(samples)
    sizes = sorted({int(size) for size in table["block_size"]})
    smallest, largest = _published_range()
    threads = sorted({int(count) for count in table["threads"]})

    def draw_band(axes: Axes) -> None:
        axes.axvspan(smallest / 2**0.5, largest * 2**0.5, facecolor=_BAND, linewidth=0, zorder=0)

    curves, legend = [], []
    for _, rows in table.groupby(_SERIES, sort=False, observed=True):
        name = str(rows["implementation"].iloc[0])
        text = name if len(threads) == 1 else f"{name}, {count_noun(int(rows['threads'].iloc[0]), 'thread')}"
        text += f", {AS_PUBLISHED}" * is_as_published(rows)
        if rows["status"].eq("ok").any():
            among_best = rows["among_best"].astype(bool)
            line = curve(rows, "block_size", "seconds", 1e3, (~among_best).tolist())
            curves.append(replace(line, thin=is_as_published(rows)))
            best = rows.loc[among_best, "block_size"]
            text += f": {' to '.join(dict.fromkeys(size_name(int(size)) for size in (best.min(), best.max())))}"
        legend.append(entry_of(rows, text))
    step = -(-len(sizes) // (11 if space.width >= style.WIDE_COLUMN else 7))
    ticks = {float(size): short_size(size) for size in sizes[::step]}
    count = "1 thread" if threads == [1] else f"{' and '.join(map(str, threads))} threads"
    title = f"{size_name(int(table['bytes'].iloc[0]))} under ParSplit, {count}"
    limits = (min(sizes) / 1.3, max(sizes) * 1.3)
    panel = Panel(title, "block size (bytes)", "time (ms)", curves, ticks, limits, background=draw_band)
    note = (
        "Medians with their 95 % intervals. Filled, and in the legend: not told from the best size of the curve. "
        f"Band: best in ETH, {size_name(smallest)} to {size_name(largest)}."
    )
    return draw_panels([panel], space, Legend(legend, space.width), [note]), table


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
    joint = 1 - (1 - CONFIDENCE) / max(1, int(table.groupby(_SERIES, observed=True).size().max()) - 1)
    table = table.merge(relative_time(timed, best, _SERIES, "time_over_best", confidence=joint), on=by, how="left")
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
