"""A roofline over threads: how near memory's limit one thread is, and what more threads then give."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.bench.masks import CONTROL
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import look
from aeadlab.figures.plain import MEMCPY, each, is_baseline, plain
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.roofline import limit_rows
from aeadlab.stats.selection import CASE_COLUMNS, require_columns, usable
from aeadlab.stats.summary import summary
from aeadlab.units import size_name

COLUMNS: Final = (
    "implementation", "op", "mask", "bytes", "block_size", "threads", "n", "gib_per_s", "share_in_one_thread",
    "share_in_one_thread_low", "share_in_one_thread_high", "speed_up", "speed_up_low", "speed_up_high",
    "roof", "bound",
)  # fmt: skip


def regimes(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw speed-up with all threads against the share of memcpy that one thread reaches.

    The roof is what memory and cores allow: the thread count, or the growth of memcpy with as many threads over the
    share, whichever is less. Left of its edge arithmetic is the limit, right of it memory. A hollow point is the
    same implementation told not to use CPU features (its mask), as on an older CPU.

    Parameters
    ----------
    samples
        One row per sample; see `regime_table` for what is taken from it.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What is drawn; see `regime_table`.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case under ParSplit was measured with one thread beside memcpy.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = regime_table(samples)
    threads = int(table["threads"].iloc[0])
    growth = _growth(samples, threads)
    points = table[~table["implementation"].map(is_baseline).astype(bool)]
    right = 1.1 * max(1.0, *points["share_in_one_thread"].dropna())
    shares = np.linspace(0.01, right, 400)

    def extra(axes: Axes) -> None:
        roof = np.minimum(threads, growth / shares)
        axes.plot(shares, roof, color=style.FAINT, linewidth=0.9, zorder=1)
        for _, rows in points.groupby("implementation", sort=False, observed=True):
            axes.plot(rows["share_in_one_thread"], rows["speed_up"], color=style.FAINT, linewidth=0.5, linestyle=":")
        for row in each(points):
            _draw_point(axes, row)

    ticks = {tick: f"{100 * tick:.0f}" for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if tick <= right}
    panel = Panel(
        f"{size_name(int(table['bytes'].iloc[0]))} under ParSplit, {threads} threads against one",
        "speed of one thread (% of memcpy)",
        "speed-up",
        [],
        ticks,
        (0.0, right),
        "linear",
        "linear",
        extra,
        (0.0, 1.15 * threads),
    )
    names = dict.fromkeys(str(name) for name in points["implementation"])
    legend = Legend([Entry(name, look(name)) for name in names], space.width, lines=False)
    masks = [str(mask) for mask in points["mask"].unique() if mask]
    notes = ["Line: what the cores and memcpy with as many threads allow."]
    if masks:
        notes.append(f"Hollow, and joined by dots: the same under mask {', '.join(masks)}.")
    return draw([panel], space, legend, [" ".join(notes)]), table


def regime_table(samples: DataFrame) -> DataFrame:
    """Tabulate sealing of the largest message under ParSplit with the most threads, and what one thread reaches.

    Returns
    -------
    DataFrame
        One row per implementation and mask: `COLUMNS`. Speeds in GiB/s with all threads; shares are of the fastest
        memcpy in one thread, unmasked; speed-ups are over the same case in one thread; ``roof`` is the speed-up that
        cores and memcpy allow, and ``bound`` is ``memory`` where memcpy allows less than the cores.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If no case under ParSplit was measured with one thread beside memcpy.
    """
    by = list(CASE_COLUMNS)
    rows = _split(samples)
    counted = usable(rows, [*by, "round", "seconds"])
    threads = int(rows["threads"].max())
    many = rows[rows["threads"] == threads]
    memcpy = _fastest_memcpy(samples, 1)
    on = [column for column in by if column != "threads"]
    one = counted[counted["threads"] == 1]
    shares = relative_speed(one, memcpy, by, []).drop(columns=["pairs", "threads"])
    shares = shares.rename(columns={"ratio": "share_in_one_thread", "low": "share_in_one_thread_low"})
    shares = shares.rename(columns={"high": "share_in_one_thread_high"})
    ups = relative_speed(counted[counted["threads"] == threads], one, by, on).drop(columns="pairs")
    ups = ups.rename(columns={"ratio": "speed_up", "low": "speed_up_low", "high": "speed_up_high"})
    table = summary(many, by)[[*by, "n", "gib_per_s"]].merge(ups, on=by, how="left").merge(shares, on=on, how="left")
    growth = _growth(samples, threads)
    table["roof"] = np.minimum(threads, growth / table["share_in_one_thread"])
    table["bound"] = np.where(table["roof"] < threads, "memory", "cores")
    keys = ["implementation", "mask", "block_size"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(COLUMNS)]


def _split(samples: DataFrame) -> DataFrame:
    require_columns(samples, [*CASE_COLUMNS, "status", "warmup"])
    wanted = samples["engine"].eq("parsplit") & samples["op"].isin(["seal", "encrypt"]) & samples["replica"].eq(0)
    rows = samples[wanted & samples["cache"].eq("warm") & samples["placement"].eq("separate")]
    # The control under no mask at all shows what a process of its own changes, and is no point of this figure.
    rows = rows[rows["mask"].ne(CONTROL)]
    rows = rows[rows["bytes"] == rows["bytes"].max()]
    if not {MEMCPY} < set(rows["implementation"]) or 1 not in set(rows["threads"]):
        raise EmptyFigureError(
            "the samples hold no case under ParSplit with one thread beside memcpy: measure the study "
            "memory, baselines included"
        )
    found: DataFrame = rows
    return found


def _fastest_memcpy(samples: DataFrame, threads: int) -> DataFrame:
    """Usable rows of the memcpy case that is the limit at this thread count."""
    rows = plain(samples)
    rows = rows[(rows["implementation"] == MEMCPY) & (rows["threads"] == threads)]
    return limit_rows(rows)


def _growth(samples: DataFrame, threads: int) -> float:
    """Speed of memcpy with these threads over that with one."""
    rows = relative_speed(
        _fastest_memcpy(samples, threads), _fastest_memcpy(samples, 1), ["implementation"], ["implementation"]
    )
    return float(rows["ratio"].iloc[0])


def _draw_point(axes: Axes, row: Any) -> None:
    seen = look(row.implementation)
    if not (np.isfinite(row.share_in_one_thread) and np.isfinite(row.speed_up)):
        return
    x, y = row.share_in_one_thread, row.speed_up
    if np.isfinite(row.speed_up_low):
        reach = [[max(y - row.speed_up_low, 0.0)], [max(row.speed_up_high - y, 0.0)]]
        axes.errorbar(x, y, yerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.5, capsize=1.1, zorder=2.5)
    face, edge = ("white", seen.colour) if row.mask else (seen.colour, style.EDGE)
    axes.plot([x], [y], seen.marker, markersize=4, mfc=face, mec=edge, mew=0.7, zorder=3)
