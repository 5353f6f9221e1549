"""Times and speed-ups against threads: the ETH paper's Figures 4, 5 and 10, for sealing and for opening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import look
from aeadlab.figures.plain import each, is_baseline
from aeadlab.figures.single_threaded_table import MEMORY_LIMITS_FROM
from aeadlab.figures.threads_table import absent_names, logical_cores, thread_table
from aeadlab.units import significant, size_name

_TITLES: Final = {"seal": "sealing", "open": "opening", "digest": "hashing"}
_BEYOND: Final = "#EFEFEF"


def thread_times(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw the time for one message under ParSplit against the number of threads, after Figure 4 of the ETH paper.

    A point is the median with its 95 % interval. A hollow point reaches 0.85 of the speed of memcpy with as many
    threads: memory is the limit there.

    Parameters
    ----------
    samples
        One row per sample; see `thread_table` for what is taken from it.
    published
        What `aeadlab.published.load` returns: its implementations are expected, and named where they are absent.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What is drawn; see `thread_table`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the samples hold no case under ParSplit.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    return _draw(samples, published, venue, "seconds", "time (ms)", 1e3)


def thread_speed_ups(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw the speed-up over ParSplit with one thread against threads, after Figures 5 and 10 of the ETH paper.

    The line of linear speed-up is drawn, memcpy and XOR are curves like the others, and the table has the limit that
    Amdahl's law gives to each. Parameters, returns and errors are those of `thread_times`.
    """
    return _draw(samples, published, venue, "speed_up", "speed-up (\N{MULTIPLICATION SIGN} one thread)", 1.0)


def _draw(
    samples: DataFrame, published: DataFrame | None, venue: str, quantity: str, label: str, factor: float
) -> tuple[Figure, DataFrame]:
    space = style.venue(venue)
    table = thread_table(samples, published)
    shown = [op for op in ("seal", "open") if (table["op"] == op).any()] or ["digest"]
    counts = sorted({int(count) for count in table["threads"]})
    limits = (min(counts) - 0.15, max(counts) * 1.03 + 0.1)
    cores = logical_cores(samples)
    speed_up = quantity == "speed_up"

    def extra(axes: Axes) -> None:
        if cores is not None and cores < max(counts):
            axes.axvspan(cores + 0.5, limits[1], facecolor=_BEYOND, linewidth=0, zorder=0)
        if speed_up:
            axes.plot([1, limits[1]], [1, limits[1]], color=style.FAINT, linewidth=0.7, linestyle="--", zorder=1)

    panels = [
        Panel(
            _TITLES[op],
            "threads",
            label,
            [_curve(rows, quantity, factor) for rows in _series(table, op)],
            {float(count): str(count) for count in _labelled(counts)},
            limits,
            "linear",
            "linear" if speed_up else "log",
            extra,
        )
        for op in shown
    ]
    size = size_name(int(table["bytes"].iloc[0]))
    percent = round(100 * MEMORY_LIMITS_FROM)
    notes = [f"{size}, medians with their 95 % intervals. Hollow: at least {percent} % of memcpy with as many threads."]
    if cores is not None and cores < max(counts):
        notes.append(f"Grey: more threads than the {cores} logical cores.")
    if speed_up:
        notes.append("Dashed: linear speed-up.")
        notes += _published(published)
    return draw(panels, space, Legend(_legend(table, published, speed_up), space.width), [" ".join(notes)]), table


def _series(table: DataFrame, op: str) -> Iterator[DataFrame]:
    """The curves of a panel: one per implementation and block size; baselines and hashes are in every panel."""
    own = table[(table["op"] == op) | ~table["op"].isin(["seal", "open"])]
    for _, rows in own.groupby(["implementation", "block_size"], sort=False, observed=True):
        yield rows.sort_values("threads")


def _curve(rows: DataFrame, quantity: str, factor: float) -> Curve:
    name = str(rows["implementation"].iloc[0])
    values: dict[str, Any] = {end: (factor * rows[f"{quantity}{end}"]).tolist() for end in ("", "_low", "_high")}
    hollow = (rows["share_of_memcpy"] >= MEMORY_LIMITS_FROM) & (not is_baseline(name))
    return Curve(look(name), rows["threads"].tolist(), values[""], values["_low"], values["_high"], hollow.tolist())


def _labelled(counts: list[int]) -> list[int]:
    """Counts that have room for their number on the axis."""
    step = -(-len(counts) // 12)
    return counts[::step]


def _legend(table: DataFrame, published: DataFrame | None, speed_up: bool) -> list[Entry]:
    entries = []
    several = table.groupby("implementation", observed=True)["block_size"].nunique().gt(1)
    for _, rows in table.groupby(["implementation", "block_size"], sort=False, observed=True):
        name, block = str(rows["implementation"].iloc[0]), int(rows["block_size"].iloc[0])
        text = f"{name} {size_name(block)}" if several[name] and block else name
        failed = rows["status"].ne("ok").all()
        if failed:
            text += f" ({rows['status'].iloc[0].partition(':')[0]})"
        elif speed_up:
            limit = rows.loc[rows["op"].ne("open"), "amdahl_limit"]
            value = float(limit.iloc[0]) if len(limit) else np.nan
            text += f", limit {significant(value, 2)}\N{MULTIPLICATION SIGN}" if np.isfinite(value) else ""
        entries.append(Entry(text, None if failed else look(name)))
    return [*entries, *(Entry(f"{name} (absent)", None) for name in absent_names(table, published))]


def _published(published: DataFrame | None) -> Iterator[str]:
    """What the document says of its own speed-ups, which no axis of fewer cores has room for."""
    if published is None:
        return
    fastest = published[(published["quantity"] == "fastest time") & (published["variant"] == "parsplit")]
    for row in each(fastest.drop_duplicates(["implementation", "operation"])):
        same = published[published["implementation"] == row.implementation]
        whole = same[(same["quantity"] == "median time") & (same["operation"] == row.operation)]["seconds"]
        over = same[(same["quantity"] == "overhead") & (same["operation"] == row.operation)]["value"]
        if len(whole) and len(over):
            gain = float(whole.iloc[0]) * (1 + float(over.iloc[0]) / 100) / float(row.seconds)
            yield (
                f"{row.document}: {row.implementation} {significant(gain)}\N{MULTIPLICATION SIGN} with about "
                f"{row.threads} threads ({row.hardware})."
            )
