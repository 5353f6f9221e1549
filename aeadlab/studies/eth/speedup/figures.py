"""Times and speed-ups by thread count: the ETH paper's Figures 4 and 5, for sealing and for opening."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.display.units import significant, size_name
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, Scale, curve, draw_panels
from aeadlab.figures.legend import Entry, Legend, entry_of
from aeadlab.stats.roofline import limits_in_words
from aeadlab.stats.selection import is_baseline, named_rows
from aeadlab.studies.eth.baselines.table import MEMORY_LIMITS_FROM
from aeadlab.studies.eth.speedup.table import absent_names, thread_table
from aeadlab.studies.tables import AS_PUBLISHED, is_as_published
from aeadlab.verdicts import published

_TITLES: Final = {"seal": "sealing", "open": "opening", "digest": "hashing"}
_BEYOND_CORES: Final = "#EFEFEF"
_CURVES: Final = ["implementation", "block_size", "schedule"]


def thread_times(samples: DataFrame, venue: str = "lncs", cores: int | None = None) -> tuple[Figure, DataFrame]:
    """Draw the time for one message under ParSplit by thread count, after Figure 4 of the ETH paper.

    A point is the median with its 95 % interval. A hollow point reaches 0.85 of its memory limit with the same thread
    count. The axis of the threads has the scale of their square root, as in the
    paper. The table is that of `thread_table`.

    Parameters
    ----------
    cores
        Logical cores of the run; larger thread counts have a grey background. None where they are unknown.
    """
    return _draw(samples, venue, cores, "seconds", "time (ms)", 1e3)


def thread_speed_ups(samples: DataFrame, venue: str = "lncs", cores: int | None = None) -> tuple[Figure, DataFrame]:
    """Draw the speed-up over ParSplit with one thread by thread count, after Figure 5 of the ETH paper.

    The dashed line is linear speed-up; copies and XOR are curves like the others. Axis and table are those of
    `thread_times`. From three thread counts within the cores, the legend has the limit of each implementation by
    Amdahl's law with its interval, which is a model and no measurement.
    """
    return _draw(samples, venue, cores, "speed_up", "speed-up (\N{MULTIPLICATION SIGN} one thread)", 1.0)


def _draw(
    samples: DataFrame, venue: str, cores: int | None, quantity: str, label: str, factor: float
) -> tuple[Figure, DataFrame]:
    space = style.venue(venue)
    document = published.load("ETH")
    table = thread_table(samples, cores)
    ops = [op for op in ("seal", "open") if (table["op"] == op).any()] or ["digest"]
    counts = sorted({int(count) for count in table["threads"]})
    limits = (min(counts) - 0.15, max(counts) * 1.03 + 0.1)
    beyond_cores = cores is not None and cores < max(counts)
    speed_up = quantity == "speed_up"

    def draw_background(axes: Axes) -> None:
        axes.set_xscale("function", functions=(_root, np.square))
        axes.set_xlim(*limits)
        if cores is not None and beyond_cores:
            axes.axvspan(cores + 0.5, limits[1], facecolor=_BEYOND_CORES, linewidth=0, zorder=0)
        if speed_up:
            linear = np.linspace(1, limits[1], 50)
            axes.plot(linear, linear, color=style.FAINT, linewidth=0.7, linestyle="--", zorder=1)

    # At most 12 labels fit on the axis.
    ticks = {float(count): str(count) for count in counts[:: -(-len(counts) // 12)]}
    scale: Scale = "linear" if speed_up else "log"
    panels = []
    for op in ops:
        curves = [_curve(rows, quantity, factor) for rows in _series(table, op)]
        panels.append(Panel(_TITLES[op], "threads", label, curves, ticks, limits, "linear", scale, draw_background))
    size, percent = size_name(int(table["bytes"].iloc[0])), round(100 * MEMORY_LIMITS_FROM)
    hollow = f"at least {percent} % of {limits_in_words(table['limit'])} with as many threads"
    notes = [f"{size}, medians with their 95 % intervals. Hollow: {hollow}."]
    if beyond_cores:
        notes.append(f"Grey: more threads than the {cores} logical cores.")
    if speed_up:
        notes.append("Dashed: linear speed-up.")
        notes += _published_notes(document)
    legend = Legend(_legend(table, document, speed_up), space.width)
    return draw_panels(panels, space, legend, [" ".join(notes)]), table


def _root(threads: NDArray[np.float64]) -> NDArray[np.float64]:
    # Matplotlib asks for positions left of zero, which the axis does not show.
    return np.sqrt(np.maximum(threads, 0.0))


def _series(table: DataFrame, op: str) -> Iterator[DataFrame]:
    """Yield the curves of a panel by implementation and block size; baselines and hashes are in every panel."""
    rows = table[(table["op"] == op) | ~table["op"].isin(["seal", "open"])]
    for _, series in rows.groupby(_CURVES, sort=False, observed=True):
        yield series.sort_values("threads")


def _curve(rows: DataFrame, quantity: str, factor: float) -> Curve:
    baseline = is_baseline(str(rows["implementation"].iloc[0]))
    hollow = (rows["share_of_limit"] >= MEMORY_LIMITS_FROM) & (not baseline)
    return replace(curve(rows, "threads", quantity, factor, hollow.tolist()), thin=is_as_published(rows))


def _legend(table: DataFrame, document: DataFrame, speed_up: bool) -> list[Entry]:
    entries = []
    several_sizes = table.groupby("implementation", observed=True)["block_size"].nunique().gt(1)
    for _, rows in table.groupby(_CURVES, sort=False, observed=True):
        name, block = str(rows["implementation"].iloc[0]), int(rows["block_size"].iloc[0])
        text = f"{name} {size_name(block)}" if several_sizes[name] and block else name
        text += f", {AS_PUBLISHED}" * is_as_published(rows)
        if speed_up and rows["status"].eq("ok").any():
            text += _model(rows[rows["op"].ne("open")])
        entries.append(entry_of(rows, text))
    return [*entries, *(Entry(f"{name} (absent)", None) for name in absent_names(table, document))]


def _model(rows: DataFrame) -> str:
    """Return the limit by Amdahl's law with its interval; ``""`` without an interval."""
    if rows.empty or not np.isfinite(rows["amdahl_limit_low"].iloc[0]):
        return ""
    value, low, high = (float(rows[f"amdahl_limit{end}"].iloc[0]) for end in ("", "_low", "_high"))
    interval = (
        f"{significant(low, 2)} to {significant(high, 2)}" if np.isfinite(high) else f"from {significant(low, 2)}"
    )
    return f", model: at most {significant(value, 2)}\N{MULTIPLICATION SIGN} ({interval})"


def _published_notes(document: DataFrame) -> Iterator[str]:
    """Yield the published speed-ups as text, since their thread counts exceed the axis."""
    fastest = document[(document["quantity"] == "fastest time") & (document["variant"] == "parsplit")]
    for row in named_rows(fastest.drop_duplicates(["implementation", "operation"])):
        same = document[(document["implementation"] == row.implementation) & (document["operation"] == row.operation)]
        whole = same.loc[same["quantity"] == "median time", "seconds"]
        overhead = same.loc[same["quantity"] == "overhead", "value"]
        if len(whole) and len(overhead):
            gain = float(whole.iloc[0]) * (1 + float(overhead.iloc[0]) / 100) / float(row.seconds)
            yield (
                f"{row.document}: {row.implementation} {significant(gain)}\N{MULTIPLICATION SIGN} with about "
                f"{row.threads} threads ({row.hardware})."
            )


FIGURES: Final = {"figure-4-times": thread_times, "figure-5-speedup": thread_speed_ups}
