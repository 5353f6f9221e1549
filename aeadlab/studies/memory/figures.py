"""Speed by message length, and a roofline over threads: the regimes where arithmetic and where memory is the limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.bench.masks.masks import CONTROL
from aeadlab.display.units import short_size, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Panel, curve, draw_panels
from aeadlab.figures.legend import Entry, Legend, entry_of
from aeadlab.figures.palette import appearance_of
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.roofline import (
    COPY_STREAM,
    LIMIT_SHARES,
    MEMCPY,
    MEMCPY_SHARES,
    ORDINARY_STORES,
    limit_rows,
    limit_shares,
    ordinary_limit,
)
from aeadlab.stats.selection import (
    CASE_COLUMNS,
    default_cases,
    default_conditions,
    is_baseline,
    named_rows,
    require_columns,
    usable,
)
from aeadlab.stats.summary import case_medians, summary
from aeadlab.studies.tables import ratio_columns

SIZE_COLUMNS: Final = (
    "implementation", "op", "engine", "model", "placement", "mask", "bytes", "status", "n", "seconds", "gib_per_s",
    "gib_per_s_low", "gib_per_s_high", "cycles_per_byte", *LIMIT_SHARES[1:], "limit", *MEMCPY_SHARES,
)  # fmt: skip
REGIME_COLUMNS: Final = (
    "implementation", "op", "mask", "bytes", "block_size", "threads", "n", "gib_per_s", "share_in_one_thread",
    "share_in_one_thread_low", "share_in_one_thread_high", "speed_up", "speed_up_low", "speed_up_high",
    "roof", "bound",
)  # fmt: skip

_BUFFERS: Final = {"separate": 2, "in-place": 1}
"""Buffers of a message's length that share a cache, by placement."""

_TITLES: Final = {"separate": "from one buffer to another", "in-place": "in place"}


def size_speeds(
    samples: DataFrame, venue: str = "lncs", caches: Mapping[str, int] = MappingProxyType({})
) -> tuple[Figure, DataFrame]:
    """Draw speed by message length for separate buffers and in place, in one thread over the whole message.

    A point is the median with its 95 % interval. A vertical line marks the length at which message and output together
    fill a cache; beyond the last, all data come from memory. The table is that of `size_table`, with masked cases,
    which the figure leaves out.

    Parameters
    ----------
    caches
        Bytes of one instance of each cache, by its label, such as ``{"L1": 32768}``.
    """
    space = style.venue(venue)
    table = size_table(samples)
    drawn = table[table["mask"] == ""]
    lengths = sorted({int(length) for length in drawn["bytes"] if length})
    step = -(-len(lengths) // 6)
    ticks = {float(length): short_size(length) for length in lengths[::step]}
    limits = (lengths[0] / 1.4, lengths[-1] * 1.4)
    panels = []
    for placement, title in _TITLES.items():
        rows = drawn[(drawn["placement"] == placement) & drawn["bytes"].gt(0)]
        if rows.empty:
            continue
        groups = rows.groupby("implementation", sort=False, observed=True)
        curves = [curve(group.sort_values("bytes"), "bytes", "gib_per_s") for _, group in groups]
        draw = partial(_draw_caches, {name: size / _BUFFERS[placement] for name, size in caches.items()})
        panels.append(Panel(title, "message (bytes)", "speed (GiB/s)", curves, ticks, limits, background=draw))
    legend = [entry_of(rows, str(name)) for name, rows in drawn.groupby("implementation", sort=False, observed=True)]
    note = (
        "One thread, whole messages, warm caches: medians with their 95 % intervals. Vertical lines: there message and "
        "output fill that cache."
    )
    return draw_panels(panels, space, Legend(legend, space.width), [note]), table


def size_table(samples: DataFrame) -> DataFrame:
    """Tabulate whole messages of all lengths in one thread, in both placements and with every mask.

    ``share_of_limit`` is relative to the speed at the same length of ``limit``, see
    `aeadlab.stats.roofline.roofline_share`. Times are in seconds, speeds in GiB/s.
    """
    by = list(CASE_COLUMNS)
    require_columns(samples, [*by, "status", "warmup"])
    selected = samples["engine"].isin(["whole", "python"]) & samples["threads"].eq(1) & samples["mask"].ne(CONTROL)
    rows = samples[selected & default_conditions(samples, ignore=("placement", "mask"))]
    if rows.empty:
        raise EmptyFigureError("the samples hold no whole message in one thread: measure the study memory")
    table = case_medians(rows)
    # The limit comes from all samples, since a copy under ParSplit may be faster than over the whole message.
    table = table.merge(limit_shares(samples), on=by, how="left")
    fastest = table.groupby("implementation", observed=True)["gib_per_s"].transform("max").fillna(0.0)
    baseline = table["implementation"].map(is_baseline).astype(bool)
    table = table.assign(not_baseline=~baseline, fastest=-fastest)
    keys = ["not_baseline", "fastest", "implementation", "mask", "op", "placement", "bytes"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(SIZE_COLUMNS)]


def _draw_caches(lengths: dict[str, float], axes: Axes) -> None:
    """Draw a line at the message length in bytes that fills each cache."""
    low, high = axes.get_xlim()
    for name, length in sorted(lengths.items()):
        if low < length < high:
            axes.axvline(length, color=style.FAINT, linewidth=0.6, linestyle=":", zorder=0.5)
            text: dict[str, Any] = {"ha": "center", "va": "top", "fontsize": style.TEXT, "color": style.FAINT}
            text["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            axes.text(length, 0.985, name, transform=axes.get_xaxis_transform(), **text)


def regimes(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the speed-up with all threads against the share of a copy's speed that one thread reaches.

    The copy is the limit of ciphers with ordinary stores. The roof is the largest possible speed-up: the thread count,
    or the growth of the copy with as many threads divided by the share, whichever is smaller. Left of its edge
    arithmetic is the limit, right of it memory; a dashed roof shows what streaming stores allow. A hollow point is the
    same implementation under a mask, without some CPU features, as on an older CPU. The table is that of
    `regime_table`.
    """
    space = style.venue(venue)
    table = regime_table(samples)
    threads = int(table["threads"].iloc[0])
    growth, streaming = _growth(samples, threads, ORDINARY_STORES), _growth(samples, threads, [[COPY_STREAM]])
    limit = ordinary_limit(table["implementation"]).removeprefix("baseline/")
    points = table[~table["implementation"].map(is_baseline).astype(bool)]
    right = 1.1 * max(1.0, *points["share_in_one_thread"].dropna())
    shares = np.linspace(0.01, right, 400)

    def draw(axes: Axes) -> None:
        axes.plot(shares, np.minimum(threads, growth / shares), color=style.FAINT, linewidth=0.9, zorder=1)
        if np.isfinite(streaming):
            axes.plot(shares, np.minimum(threads, streaming / shares), "--", color=style.FAINT, linewidth=0.7, zorder=1)
        for _, rows in points.groupby("implementation", sort=False, observed=True):
            axes.plot(rows["share_in_one_thread"], rows["speed_up"], color=style.FAINT, linewidth=0.5, linestyle=":")
        for row in named_rows(points):
            _draw_point(axes, row)

    title = f"{size_name(int(table['bytes'].iloc[0]))} under ParSplit, {threads} threads against one"
    ticks = {tick: f"{100 * tick:.0f}" for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0) if tick <= right}
    panel = Panel(
        title, f"speed of one thread (% of {limit})", "speed-up", [], ticks, (0.0, right), "linear", "linear", draw,
        (0.0, 1.15 * threads),
    )  # fmt: skip
    names = dict.fromkeys(str(name) for name in points["implementation"])
    legend = Legend([Entry(name, appearance_of(name)) for name in names], space.width, lines=False)
    note = f"Line: what the cores and {limit} with as many threads allow."
    if np.isfinite(streaming):
        note += " Dashed: the same with streaming stores."
    if masks := [str(mask) for mask in points["mask"].unique() if mask]:
        note += f" Hollow, and joined by dots: the same under mask {', '.join(masks)}."
    return draw_panels([panel], space, legend, [note]), table


def regime_table(samples: DataFrame) -> DataFrame:
    """Tabulate sealing of the largest message under ParSplit with the most threads and with one.

    The table has one row per implementation and mask. Speeds are in GiB/s with all threads; shares are of the fastest
    copy with ordinary stores (memcpy where this was not measured) in one thread, unmasked; speed-ups are over the same
    case in one thread; ``roof`` is the largest speed-up possible with these cores and this copy, and ``bound`` is
    ``memory`` where the copy is the smaller limit.
    """
    by = list(CASE_COLUMNS)
    rows = _parsplit_rows(samples)
    timed = usable(rows, [*by, "process", "round", "seconds"])
    threads = int(rows["threads"].max())
    many = rows[rows["threads"] == threads]
    copy = _fastest(samples, 1, ORDINARY_STORES)
    on = [column for column in by if column != "threads"]
    one = timed[timed["threads"] == 1]
    shares = relative_speed(one, copy, by, []).drop(columns=["pairs", "processes", "threads"])
    shares = shares.rename(columns=ratio_columns("share_in_one_thread"))
    speed_ups = relative_speed(timed[timed["threads"] == threads], one, by, on).drop(columns=["pairs", "processes"])
    speed_ups = speed_ups.rename(columns=ratio_columns("speed_up"))
    table = summary(many, by)[[*by, "n", "gib_per_s"]].merge(speed_ups, on=by, how="left")
    table = table.merge(shares, on=on, how="left")
    growth = _growth(samples, threads, ORDINARY_STORES)
    table["roof"] = np.minimum(threads, growth / table["share_in_one_thread"])
    table["bound"] = np.where(table["roof"] < threads, "memory", "cores")
    keys = ["implementation", "mask", "block_size"]
    return table.sort_values(keys, kind="stable", ignore_index=True)[list(REGIME_COLUMNS)]


def _parsplit_rows(samples: DataFrame) -> DataFrame:
    require_columns(samples, [*CASE_COLUMNS, "status", "warmup"])
    selected = samples["engine"].eq("parsplit") & samples["op"].isin(["seal", "encrypt"])
    rows: DataFrame = samples[selected & default_conditions(samples, ignore=("mask",))]
    # The control of the masks has no mask and is not a point of this figure.
    rows = rows[rows["mask"].ne(CONTROL)]
    rows = rows[rows["bytes"] == rows["bytes"].max()]
    if not {MEMCPY} < set(rows["implementation"]) or 1 not in set(rows["threads"]):
        raise EmptyFigureError(
            "the samples hold no case under ParSplit with one thread beside memcpy: measure the study "
            "memory, baselines included"
        )
    return rows


def _fastest(samples: DataFrame, threads: int, names: Sequence[Collection[str]]) -> DataFrame:
    """Return usable rows of the case of `names` that is the limit at this thread count, see `limit_rows`."""
    rows = default_cases(samples)
    return limit_rows(rows[rows["threads"] == threads], names)


def _growth(samples: DataFrame, threads: int, names: Sequence[Collection[str]]) -> float:
    """Return the speed of a copy with these threads relative to that of ordinary stores in one; NaN without it."""
    many, one = _fastest(samples, threads, names), _fastest(samples, 1, ORDINARY_STORES)
    ratios = relative_speed(many.assign(copy=""), one.assign(copy=""), ["copy"], ["copy"])["ratio"]
    return float(ratios.iloc[0]) if len(ratios) else float("nan")


def _draw_point(axes: Axes, row: Any) -> None:
    appearance = appearance_of(row.implementation)
    if not (np.isfinite(row.share_in_one_thread) and np.isfinite(row.speed_up)):
        return
    x, y = row.share_in_one_thread, row.speed_up
    if np.isfinite(row.speed_up_low):
        reach = [[max(y - row.speed_up_low, 0.0)], [max(row.speed_up_high - y, 0.0)]]
        axes.errorbar(x, y, yerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.5, capsize=1.1, zorder=2.5)
    face, edge = ("white", appearance.colour) if row.mask else (appearance.colour, style.EDGE)
    axes.plot([x], [y], appearance.marker, markersize=4, mfc=face, mec=edge, mew=0.7, zorder=3)


FIGURES: Final = {"sizes": size_speeds, "regimes": regimes}
