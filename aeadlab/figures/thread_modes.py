"""Run times with two modes at some thread counts: the ETH paper's Figure 12, and what explains it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import COLOURS, LINES, MARKERS, Look
from aeadlab.figures.plain import each, plain
from aeadlab.figures.thread_modes_table import mode_table
from aeadlab.schedules import DEFAULT, EXPERIMENTS, NAMES, PAPERS
from aeadlab.stats import disturbed
from aeadlab.stats.selection import usable
from aeadlab.stealing import busiest
from aeadlab.units import significant

SHOWN_THREADS: Final = 5
"""Of the paper's Figure 12."""

SAMPLE_COLUMNS: Final = (
    "implementation", "schedule", "threads", "bytes", "block_size", "sample", "order", "seconds", "disturbed",
)  # fmt: skip

_SCHEDULES: Final = tuple(dict.fromkeys((PAPERS, DEFAULT, *(name for name in NAMES if not name.endswith("-pinned")))))
_BLOCKS_EACH: Final = 64
_TICK: Final = 0.125
"""Inches that a count takes on the axis."""

_PUBLISHED: Final = Look(COLOURS[2], "", "*", "none")
_PREDICTED: Final = Look(style.FAINT, "", "None", (0, (3, 1.5)))


def schedule_look(name: str) -> Look:
    """The look of a schedule, the same in every figure."""
    place = _SCHEDULES.index(name) if name in _SCHEDULES else len(_SCHEDULES)
    return Look(
        COLOURS[place % len(COLOURS)], "", MARKERS[place % len(MARKERS)], LINES[place // len(COLOURS) % len(LINES)]
    )


def mode_ratios(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw how far the two modes of a run under Rayon are apart, and how often it is in the upper one, by threads.

    The dashed line is what two leaves for one worker take, over an even division. A hollow point has one mode.

    Parameters
    ----------
    samples
        One row per sample; see `mode_table` for what is taken from it. Of several numbers of blocks for a thread count
        the one nearest to 64 for each thread is drawn.
    published
        What `aeadlab.published.load` returns for a document with modes.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        Rows of `mode_table` under schedule ``rayon``, other numbers of blocks included.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If the samples hold no case under ParSplit with schedule ``rayon``.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = mode_table(samples, (PAPERS,))
    rows = _usual(table, PAPERS)
    counts = sorted({int(count) for count in rows["threads"]})
    two = rows["kind"] == "two"
    ratio = rows["ratio"].where(two, rows["kind"].eq("one").map({True: 1.0, False: np.nan}))
    measured = Curve(
        _points(schedule_look(PAPERS)), rows["threads"].tolist(), ratio.tolist(), rows["ratio_low"].tolist(),
        rows["ratio_high"].tolist(), (~two).tolist(),
    )  # fmt: skip
    share = rows["upper_share"].where(two, rows["kind"].eq("one").map({True: 0.0, False: np.nan}))
    often = Curve(
        _points(schedule_look(PAPERS)), rows["threads"].tolist(), (100 * share).tolist(),
        (100 * rows["upper_share_low"]).tolist(), (100 * rows["upper_share_high"]).tolist(), (~two).tolist(),
    )  # fmt: skip
    every = list(range(1, max(counts) + 1))
    predicted = Curve(_PREDICTED, every, [busiest(count) for count in every], thin=True)
    known = _published_modes(published)
    legend = [Entry("rayon; hollow: one mode", schedule_look(PAPERS)), Entry("two leaves for one worker", _PREDICTED)]
    first, second = [predicted, measured], [often]
    if known is not None:
        first.append(Curve(_PUBLISHED, [known[0]], [known[1]]))
        second.append(Curve(_PUBLISHED, [known[0]], [100 * known[2]]))
        legend.append(Entry(f"ETH, {known[0]} threads", _PUBLISHED))
    ticks = _counts_shown(counts, space)
    limits = (min(counts) * 0.9, max(counts) * 1.1)
    panels = [
        Panel(
            "how far apart",
            "threads",
            "upper over lower mode",
            first,
            ticks,
            limits,
            "log",
            "linear",
            y_limits=(0.9, 2.0),
        ),
        Panel(
            "how often",
            "threads",
            "runs in the upper mode (%)",
            second,
            ticks,
            limits,
            "log",
            "linear",
            y_limits=(0, 100),
        ),
    ]
    name = str(rows["implementation"].iloc[0])
    notes = [
        f"{name} under schedule rayon, {int(rows['undisturbed'].median())} samples each that nothing else slowed, with "
        "95 % intervals."
    ]
    return draw(panels, space, Legend(legend, space.width), notes, one_axis=False), table


def mode_samples(
    samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw every sample with 5 threads in the order of the run, after Figure 12 of the ETH paper.

    The left panel is the paper's schedule, the right one the lab's. Dashed: an even division of one thread's time, and
    what two leaves for one worker take. Parameters and errors are those of `mode_ratios`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        A row per sample: `SAMPLE_COLUMNS`, times in seconds.
    """
    space = style.venue(venue)
    table = mode_table(samples, (PAPERS, DEFAULT))
    rows = plain(samples, largest=False)
    aside = disturbed(samples)
    panels, texts, drawn = [], [], []
    for schedule in (PAPERS, DEFAULT):
        chosen = _usual(table, schedule)
        chosen = chosen[chosen["threads"] == SHOWN_THREADS]
        if chosen.empty:
            raise EmptyFigureError(
                f"no case has {SHOWN_THREADS} threads under schedule {schedule}: measure thread-modes"
            )
        case = next(each(chosen))
        own = usable(
            rows[
                rows["engine"].eq("parsplit")
                & rows["schedule"].eq(schedule)
                & rows["threads"].eq(SHOWN_THREADS)
                & rows["implementation"].eq(case.implementation)
                & rows["bytes"].eq(case.bytes)
                & rows["block_size"].eq(case.block_size)
            ],
            [name for name in SAMPLE_COLUMNS if name not in ("sample", "disturbed")],
        ).sort_values("order")
        own = own.assign(sample=range(1, len(own) + 1), disturbed=aside.reindex(own.index))
        drawn.append(own[list(SAMPLE_COLUMNS)])
        times = (1e3 * own["seconds"]).tolist()
        even = 1e3 * case.seconds / case.over_even if np.isfinite(case.over_even) else np.nan
        panels.append(
            Panel(
                f"{schedule}, {SHOWN_THREADS} threads",
                "sample",
                "time (ms)",
                [
                    Curve(
                        _points(schedule_look(schedule)),
                        list(range(1, len(times) + 1)),
                        times,
                        hollow=own["disturbed"].tolist(),
                    )
                ],
                {float(at): str(at) for at in _quarters(len(times))},
                (0, 1.08 * len(times)),
                "linear",
                "linear",
                _levels(even, case.blocks),
            )
        )
        if case.kind == "two":
            texts.append(
                f"{schedule}: modes {significant(case.ratio)}\N{MULTIPLICATION SIGN} apart, "
                f"{significant(100 * case.upper_share, 2)} % of {case.undisturbed} samples in the upper one."
            )
        else:
            texts.append(f"{schedule}: 95th percentile {significant(case.undisturbed_p95_over_median)} of the median.")
    known = _published_modes(published)
    if known is not None:
        texts.append(f"ETH: {significant(known[1])}\N{MULTIPLICATION SIGN}, {significant(100 * known[2], 2)} %.")
    notes = [
        "Dashed: an even division, and two leaves for one worker. Hollow: something else slowed the computer. "
        + " ".join(texts)
    ]
    shown = pd.concat(drawn, ignore_index=True)
    low, high = 950 * float(shown["seconds"].min()), 1030 * float(shown["seconds"].max())
    panels = [replace(panel, y_limits=(low, high)) for panel in panels]
    return draw(panels, space, Legend([], space.width), notes), shown


def schedule_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw, under every schedule, the time over an even division of one thread's, and how far the samples spread.

    The changes to Rayon that are experiments are in the table only, which is that of `mode_table`. Parameters and
    errors are those of `mode_ratios`.
    """
    space = style.venue(venue)
    table = mode_table(samples)
    times, spreads, legend, counts = [], [], [], set()
    others = sorted({str(name) for name in table["schedule"]} - set(_SCHEDULES))
    for name in (*_SCHEDULES, *others):
        if name in EXPERIMENTS or not table.loc[table["schedule"] == name, "n"].any():
            continue
        rows = _usual(table, name)
        counts |= {int(count) for count in rows["threads"]}
        line, threads = schedule_look(name), rows["threads"].tolist()
        times.append(Curve(line, threads, rows["over_even"].tolist()))
        spreads.append(Curve(line, threads, rows["undisturbed_p95_over_median"].tolist()))
        legend.append(Entry(f"{name}, {significant(float(rows['undisturbed_p95_over_median'].max()))}", line))
    if not counts:
        raise EmptyFigureError("no case ran under a schedule: measure the study thread-modes")
    ticks, limits = _counts_shown(sorted(counts), space), (min(counts) * 0.9, max(counts) * 1.1)
    panels = [
        Panel(title, "threads", what, curves, ticks, limits, "log", "linear", y_limits=(0.98, most))
        for title, what, curves, most in (
            ("how long", "median over an even division", times, 1.2),
            ("how far spread", "95th percentile over median", spreads, 1.6),
        )
    ]
    notes = [
        "In the legend: the largest 95th percentile over its median, of all thread counts. Samples that something else "
        "slowed are set aside."
    ]
    return draw(panels, space, Legend(legend, space.width), notes, one_axis=False), table


def _usual(table: DataFrame, schedule: str) -> DataFrame:
    """Of a schedule the cases of most thread counts: one implementation, and one number of blocks for each count."""
    own = table[(table["schedule"] == schedule) & table["n"].gt(0)]
    if own.empty:
        raise EmptyFigureError(f"no case ran under schedule {schedule}: measure the study thread-modes")
    most = own.groupby("implementation", observed=True)["threads"].nunique().idxmax()
    own = own[own["implementation"] == most]
    # The study has 64 blocks for each thread, and other numbers for some.
    off = np.abs(np.log(own["blocks"] / own["threads"] / _BLOCKS_EACH))
    return own.assign(off=off).sort_values(["threads", "off"]).drop_duplicates("threads")


def _points(look: Look) -> Look:
    return Look(look.colour, look.hatch, look.marker, "none")


def _levels(even: float, blocks: int) -> Callable[[Axes], None]:
    def extra(axes: Axes) -> None:
        for level in {1.0, busiest(SHOWN_THREADS, blocks)} if np.isfinite(even) else ():
            axes.axhline(level * even, color=style.FAINT, linewidth=0.7, linestyle="--", zorder=1)

    return extra


def _counts_shown(counts: list[int], space: style.Venue) -> dict[float, str]:
    """Counts whose numbers have room on a logarithmic axis, powers of two first."""
    inches = space.width / 2 - 0.5 if space.width >= style.BESIDE_FROM else space.width - 0.6
    apart = _TICK * np.log(1.2 * counts[-1] / counts[0]) / inches
    shown: list[int] = []
    for count in sorted(counts, key=lambda count: (count & (count - 1) != 0, count)):
        if all(abs(np.log(count / other)) >= apart for other in shown):
            shown.append(count)
    return {float(count): str(count) for count in sorted(shown)}


def _quarters(count: int) -> list[int]:
    return sorted({1, *(round(count * part / 4) for part in (1, 2, 3, 4))} - {0})


def _published_modes(published: DataFrame | None) -> tuple[int, float, float] | None:
    """Threads, ratio of the modes and share of the upper one, as a document has them."""
    if published is None:
        return None
    lower, upper = (
        published[published["quantity"] == f"median time of the {mode} mode"] for mode in ("lower", "upper")
    )
    counts = [published[published["quantity"] == f"samples in the {mode} mode"] for mode in ("lower", "upper")]
    if not len(lower) or not len(upper) or any(count.empty for count in counts):
        return None
    fast, slow = (float(count["value"].iloc[0]) for count in counts)
    ratio = float(upper["value"].iloc[0]) / float(lower["value"].iloc[0])
    return int(lower["threads"].iloc[0]), ratio, slow / (fast + slow)
