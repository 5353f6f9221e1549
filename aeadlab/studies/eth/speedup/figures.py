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
from aeadlab.figures.curves import LIMIT, Curve, Panel, Scale, curve, draw_panels, emphasise
from aeadlab.figures.ticks import count_ticks
from aeadlab.stats.roofline import ordinary_limit
from aeadlab.stats.selection import is_baseline, named_rows
from aeadlab.studies.eth.baselines.table import REFERENCE
from aeadlab.studies.eth.speedup.table import absent_names, thread_table
from aeadlab.studies.tables import AS_PUBLISHED, is_as_published
from aeadlab.verdicts import published

_TITLES: Final = {"seal": "sealing", "open": "opening", "digest": "hashing"}
_BEYOND_CORES: Final = "#EFEFEF"
_MAIN: Final = "aes-256-gcm"
"""The algorithm whose libraries are compared in panels of their own."""

_CURVES: Final = ["implementation", "block_size", "schedule"]


def thread_times(samples: DataFrame, venue: str = "lncs", cores: int | None = None) -> tuple[Figure, DataFrame]:
    """Draw the time for one message under ParSplit by thread count, after Figure 4 of the ETH paper.

    A point is the median with its 95 % interval; the dashed lines are the baselines with the same thread counts. The
    libraries of AES-256-GCM have panels of their own, sealing above opening. The axis of the threads has the scale of
    their square root, as in the paper. The table is that of `thread_table`.

    Parameters
    ----------
    cores
        Logical cores of the run; larger thread counts have a grey background. None where they are unknown.
    """
    return _draw(samples, venue, cores, "seconds", "time (ms)", 1e3)


def thread_speed_ups(samples: DataFrame, venue: str = "lncs", cores: int | None = None) -> tuple[Figure, DataFrame]:
    """Draw the speed-up over ParSplit with one thread by thread count, after Figure 5 of the ETH paper.

    The dotted line is linear speed-up; the baselines are dashed. Axis, panels and table are those of `thread_times`.
    """
    return _draw(samples, venue, cores, "speed_up", "speed-up (\N{MULTIPLICATION SIGN})", 1.0)


def _draw(
    samples: DataFrame, venue: str, cores: int | None, quantity: str, label: str, factor: float
) -> tuple[Figure, DataFrame]:
    space = style.venue(venue)
    document = published.load("ETH")
    table = thread_table(samples, cores)
    ops = [op for op in ("seal", "open") if (table["op"] == op).any()] or ["digest"]
    counts = sorted({int(count) for count in table["threads"]})
    limits = (min(counts) - 0.15, max(counts) * 1.02 + 0.05)
    beyond_cores = cores is not None and cores < max(counts)
    speed_up = quantity == "speed_up"

    def draw_background(axes: Axes) -> None:
        axes.set_xscale("function", functions=(_root, np.square))
        axes.set_xlim(*limits)
        if cores is not None and beyond_cores:
            axes.axvspan(cores + 0.5, limits[1], facecolor=_BEYOND_CORES, linewidth=0, zorder=0)
        if speed_up:
            linear = np.linspace(1, limits[1], 50)
            axes.plot(linear, linear, color=style.FAINT, linewidth=0.7, linestyle=":", zorder=1)

    scale: Scale = "linear" if speed_up else "log"
    is_limit = table["implementation"].map(is_baseline).astype(bool)
    algorithm = table["implementation"].str.partition("/")[2]
    groups = {_MAIN: table[algorithm.eq(_MAIN)], "other algorithms": table[~algorithm.eq(_MAIN) & ~is_limit]}
    groups = {name: rows for name, rows in groups.items() if len(rows)}
    panels = []
    most = 1.05 * factor * float(table[[quantity, f"{quantity}_high"]].max().max())
    for op in ops:
        for name, rows in groups.items():
            shown = [_curve(own, quantity, factor, name != _MAIN) for own in _series(rows, op)]
            limit = [_limit(own, quantity, factor) for own in _series(table[is_limit], op)]
            title = f"{_TITLES[op]}, {name}"
            panels.append(
                Panel(
                    title, "threads", label, [*emphasise(shown), *limit], count_ticks(counts), limits, "linear", scale,
                    draw_background, (0.0, most) if speed_up else None, 1.35,
                )
            )  # fmt: skip
    absent = absent_names(table, document)
    size = size_name(int(table["bytes"].iloc[0]))
    sentences = [
        _result(table, cores),
        "Dashed: baselines." + " Dotted: linear speed-up." * speed_up
        + f" Grey background: more threads than the {cores} logical cores." * beyond_cores,
        f"{size} under ParSplit, medians with 95 % intervals.",
        *(_published_notes(document) if speed_up else ()),
        f"Absent: {', '.join(absent)}." if absent else "",
    ]  # fmt: skip
    columns = len(groups) if space.width >= style.WIDE_COLUMN else 1
    return draw_panels(panels, space, sentences, columns=columns), table


def _result(table: DataFrame, cores: int | None) -> str:
    """Return the speed-up of the reference with as many threads as cores, beside that of its limit."""
    within = table[table["threads"].le(cores or table["threads"].max()) & table["op"].ne("open")]
    most = within[within["threads"].eq(within["threads"].max()) & within["status"].eq("ok")]
    ups = most.drop_duplicates("implementation").set_index("implementation")
    limit = ordinary_limit(ups.index)
    parts = [
        f"{name} {significant(ups['speed_up'][name])}\N{MULTIPLICATION SIGN} "
        f"({significant(ups['gib_per_s'][name])} GiB/s)"
        for name in (REFERENCE, limit)
        if name in ups.index
    ]
    return f"With {int(within['threads'].max())} threads: {', '.join(parts)}." if parts else ""


def _root(threads: NDArray[np.float64]) -> NDArray[np.float64]:
    # Matplotlib asks for positions left of zero, which the axis does not show.
    return np.sqrt(np.maximum(threads, 0.0))


def _series(table: DataFrame, op: str) -> Iterator[DataFrame]:
    """Yield the curves of a panel by implementation and block size; baselines and hashes are in every panel."""
    rows = table[(table["op"] == op) | ~table["op"].isin(["seal", "open"])]
    for _, series in rows.groupby(_CURVES, sort=False, observed=True):
        yield series.sort_values("threads")


def _curve(rows: DataFrame, quantity: str, factor: float, with_algorithm: bool) -> Curve:
    library, _, algorithm = str(rows["implementation"].iloc[0]).partition("/")
    name = f"{algorithm}\n({library})" if with_algorithm else library
    name += f"\n{AS_PUBLISHED}" * is_as_published(rows)
    return curve(rows, "threads", quantity, factor, name)


def _limit(rows: DataFrame, quantity: str, factor: float) -> Curve:
    return replace(_curve(rows, quantity, factor, False), appearance=LIMIT, name=_limit_name(rows), low=(), high=())


def _limit_name(rows: DataFrame) -> str:
    # XOR as published is in the table; its name would make the panels too high for a narrow page.
    return "" if is_as_published(rows) else str(rows["implementation"].iloc[0]).partition("/")[2]


def _published_notes(document: DataFrame) -> Iterator[str]:
    """Yield the speed-ups that follow from published times as text, since their thread counts exceed the axis."""
    fastest = document[(document["quantity"] == "fastest time") & (document["variant"] == "parsplit")]
    for row in named_rows(fastest.drop_duplicates(["implementation", "operation"])):
        same = document[(document["implementation"] == row.implementation) & (document["operation"] == row.operation)]
        whole = same.loc[same["quantity"] == "median time", "seconds"]
        overhead = same.loc[same["quantity"] == "overhead", "value"]
        if len(whole) and len(overhead):
            gain = float(whole.iloc[0]) * (1 + float(overhead.iloc[0]) / 100) / float(row.seconds)
            yield (
                f"From the times of {row.document}: {row.implementation} {significant(gain)}"
                f"\N{MULTIPLICATION SIGN} with about {row.threads} threads over ParSplit with one ({row.hardware})."
            )


FIGURES: Final = {"figure-4-times": thread_times, "figure-5-speedup": thread_speed_ups}
