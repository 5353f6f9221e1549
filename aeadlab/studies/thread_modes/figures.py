"""Run times with two modes at some thread counts: the ETH paper's Figure 12, the modes by thread count, schedules."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.curves import Curve, Panel, draw_panels
from aeadlab.figures.legend import Entry, Legend
from aeadlab.figures.palette import COLOURS, LINES, MARKERS, Appearance
from aeadlab.parsplit.schedules import DEFAULT, ETH_PAPER, EXPERIMENTS, NAMES
from aeadlab.stats import disturbed
from aeadlab.stats.selection import default_cases, named_rows, usable
from aeadlab.studies.thread_modes.stealing import upper_level
from aeadlab.studies.thread_modes.table import mode_table
from aeadlab.verdicts import published

SHOWN_THREADS: Final = 5
"""Thread count of the paper's Figure 12."""

SAMPLE_COLUMNS: Final = (
    "implementation", "schedule", "threads", "bytes", "block_size", "sample", "order", "seconds", "disturbed",
)  # fmt: skip

_UNPINNED = (name for name in NAMES if not name.endswith("-pinned"))
_SCHEDULES: Final = tuple(dict.fromkeys((ETH_PAPER, DEFAULT, *_UNPINNED)))
_BLOCKS_PER_THREAD: Final = 64
_TICK_WIDTH: Final = 0.125
"""Inches that a tick label takes."""

_PUBLISHED: Final = Appearance(COLOURS[2], "", "*", "none")
_PREDICTED: Final = Appearance(style.FAINT, "", "None", (0, (3, 1.5)))


def mode_ratios(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the ratio of the two modes of a run under Rayon, and the share of the upper one, by thread count.

    The dashed line is the prediction for a worker with two leaves, over perfect balance. A hollow point has one mode.
    Of several block counts for a thread count the one nearest to 64 per thread is drawn. The table has the rows of
    `mode_table` under schedule ``rayon``, with all block counts.
    """
    space = style.venue(venue)
    table = mode_table(samples, (ETH_PAPER,))
    rows = _one_block_count(table, ETH_PAPER)
    counts = sorted({int(count) for count in rows["threads"]})
    threads, two = rows["threads"].tolist(), rows["kind"] == "two"
    one = rows["kind"].eq("one")
    appearance = _schedule_appearance(ETH_PAPER)

    def points(column: str, scale: float, of_one_mode: float) -> Curve:
        values = scale * rows[column].where(two, one.map({True: of_one_mode, False: np.nan}))
        low, high = ((scale * rows[f"{column}_{end}"]).tolist() for end in ("low", "high"))
        return Curve(_without_line(appearance), threads, values.tolist(), low, high, (~two).tolist())

    up_to_most = list(range(1, max(counts) + 1))
    predicted = Curve(_PREDICTED, up_to_most, [upper_level(count) for count in up_to_most], thin=True)
    published_threads, published_ratio, published_share = _published_modes()
    legend = [
        Entry("rayon; hollow: one mode", appearance),
        Entry("two leaves for one worker", _PREDICTED),
        Entry(f"ETH, {published_threads} threads", _PUBLISHED),
    ]
    ticks = _thread_ticks(counts, space)
    limits = (min(counts) * 0.9, max(counts) * 1.1)
    panel = partial(Panel, x_label="threads", ticks=ticks, limits=limits, x_scale="log", y_scale="linear")
    eth_ratio = Curve(_PUBLISHED, [published_threads], [published_ratio])
    eth_share = Curve(_PUBLISHED, [published_threads], [100 * published_share])
    ratios, shares = [predicted, points("ratio", 1.0, 1.0), eth_ratio], [points("upper_share", 100.0, 0.0), eth_share]
    panels = [
        panel("how far apart", y_label="upper over lower mode", curves=ratios, y_limits=(0.9, 2.0)),
        panel("how often", y_label="runs in the upper mode (%)", curves=shares, y_limits=(0.0, 100.0)),
    ]
    name = str(rows["implementation"].iloc[0])
    notes = [
        f"{name} under schedule rayon, {int(rows['undisturbed'].median())} samples each that nothing else slowed, with "
        "95 % intervals."
    ]
    return draw_panels(panels, space, Legend(legend, space.width), notes, shared_y=False), table


def mode_samples(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw every sample with 5 threads in the order of the run, after Figure 12 of the ETH paper.

    The left panel is the paper's schedule, the right one the lab's. The dashed lines are perfect balance (the time of
    one thread divided by the thread count) and the time of two leaves for one worker. The table has one row per sample:
    `SAMPLE_COLUMNS`, times in seconds.
    """
    space = style.venue(venue)
    table = mode_table(samples, (ETH_PAPER, DEFAULT))
    rows = default_cases(samples, largest=False)
    disturbed_samples = disturbed(samples)
    panels, sentences, drawn = [], [], []
    for schedule in (ETH_PAPER, DEFAULT):
        cases = _one_block_count(table, schedule)
        cases = cases[cases["threads"] == SHOWN_THREADS]
        if cases.empty:
            missing = f"no case has {SHOWN_THREADS} threads under schedule {schedule}"
            raise EmptyFigureError(f"{missing}: measure thread-modes")
        case = next(named_rows(cases))
        by = ["schedule", "threads", "implementation", "bytes", "block_size"]
        matches = rows["engine"].eq("parsplit") & rows[by].eq(cases[by].iloc[0]).all(axis=1)
        columns = [name for name in SAMPLE_COLUMNS if name not in ("sample", "disturbed")]
        own = usable(rows[matches], columns).sort_values("order")
        own = own.assign(sample=range(1, len(own) + 1), disturbed=disturbed_samples.reindex(own.index))
        drawn.append(own[list(SAMPLE_COLUMNS)])
        appearance = _without_line(_schedule_appearance(schedule))
        times = (1e3 * own["seconds"]).tolist()
        even = 1e3 * case.seconds / case.over_even if np.isfinite(case.over_even) else np.nan
        title, draw_background = f"{schedule}, {SHOWN_THREADS} threads", partial(_draw_levels, even, case.blocks)
        curve = Curve(appearance, own["sample"].tolist(), times, hollow=own["disturbed"].tolist())
        ticks = {float(number): str(number) for number in _quarters(len(times))}
        limits = (0, 1.08 * len(times))
        panels.append(Panel(title, "sample", "time (ms)", [curve], ticks, limits, "linear", "linear", draw_background))
        if case.kind == "two":
            sentences.append(
                f"{schedule}: modes {significant(case.ratio)}\N{MULTIPLICATION SIGN} apart, "
                f"{significant(100 * case.upper_share, 2)} % of {case.undisturbed} samples in the upper one."
            )
        else:
            spread = significant(case.undisturbed_p95_over_median)
            sentences.append(f"{schedule}: 95th percentile {spread} of the median.")
    _, ratio, share = _published_modes()
    sentences.append(f"ETH: {significant(ratio)}\N{MULTIPLICATION SIGN}, {significant(100 * share, 2)} %.")
    notes = [
        "Dashed: an even division, and two leaves for one worker. Hollow: something else slowed the computer. "
        + " ".join(sentences)
    ]
    shown = pd.concat(drawn, ignore_index=True)
    y_limits = (950 * float(shown["seconds"].min()), 1030 * float(shown["seconds"].max()))
    panels = [replace(panel, y_limits=y_limits) for panel in panels]
    return draw_panels(panels, space, Legend([], space.width), notes), shown


def schedule_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw, for every schedule, the time relative to perfect balance, and the spread of the samples.

    The table is that of `mode_table`, with the experimental changes to Rayon, which the figure leaves out.
    """
    space = style.venue(venue)
    table = mode_table(samples)
    times, spreads, legend, counts = [], [], [], set()
    external = sorted({str(name) for name in table["schedule"]} - set(_SCHEDULES))
    for name in (*_SCHEDULES, *external):
        if name in EXPERIMENTS or not table.loc[table["schedule"] == name, "n"].any():
            continue
        rows = _one_block_count(table, name)
        counts |= {int(count) for count in rows["threads"]}
        appearance, threads = _schedule_appearance(name), rows["threads"].tolist()
        spread = rows["undisturbed_p95_over_median"]
        times.append(Curve(appearance, threads, rows["over_even"].tolist()))
        spreads.append(Curve(appearance, threads, spread.tolist()))
        legend.append(Entry(f"{name}, {significant(float(spread.max()))}", appearance))
    if not counts:
        raise EmptyFigureError("no case ran under a schedule: measure the study thread-modes")
    ticks, limits = _thread_ticks(sorted(counts), space), (min(counts) * 0.9, max(counts) * 1.1)
    panel = partial(Panel, x_label="threads", ticks=ticks, limits=limits, x_scale="log", y_scale="linear")
    panels = [
        panel("how long", y_label="median over an even division", curves=times, y_limits=(0.98, 1.2)),
        panel("how far spread", y_label="95th percentile over median", curves=spreads, y_limits=(0.98, 1.6)),
    ]
    notes = [
        "In the legend: the largest 95th percentile over its median, of all thread counts. Samples that something else "
        "slowed are set aside."
    ]
    return draw_panels(panels, space, Legend(legend, space.width), notes, shared_y=False), table


def _schedule_appearance(name: str) -> Appearance:
    """Return the appearance of a schedule, the same in every figure."""
    number = _SCHEDULES.index(name) if name in _SCHEDULES else len(_SCHEDULES)
    line = LINES[number // len(COLOURS) % len(LINES)]
    return Appearance(COLOURS[number % len(COLOURS)], "", MARKERS[number % len(MARKERS)], line)


def _without_line(appearance: Appearance) -> Appearance:
    return replace(appearance, line="none")


def _one_block_count(table: DataFrame, schedule: str) -> DataFrame:
    """Return one case per thread count, of the implementation with the most and the block count nearest to usual."""
    cases = table[(table["schedule"] == schedule) & table["n"].gt(0)]
    if cases.empty:
        raise EmptyFigureError(f"no case ran under schedule {schedule}: measure the study thread-modes")
    most = cases.groupby("implementation", observed=True)["threads"].nunique().idxmax()
    cases = cases[cases["implementation"] == most]
    distance = np.abs(np.log(cases["blocks"] / cases["threads"] / _BLOCKS_PER_THREAD))
    return cases.assign(distance=distance).sort_values(["threads", "distance"]).drop_duplicates("threads")


def _draw_levels(even: float, blocks: int, axes: Axes) -> None:
    """Draw the time in ms of perfect balance, and that of two leaves for one worker."""
    for level in {1.0, upper_level(SHOWN_THREADS, blocks)} if np.isfinite(even) else ():
        axes.axhline(level * even, color=style.FAINT, linewidth=0.7, linestyle="--", zorder=1)


def _thread_ticks(counts: list[int], space: style.Venue) -> dict[float, str]:
    """Return the thread counts that fit as labels of a logarithmic axis, powers of two first."""
    inches = space.width / 2 - 0.5 if space.width >= style.WIDE_COLUMN else space.width - 0.6
    distance = _TICK_WIDTH * np.log(1.2 * counts[-1] / counts[0]) / inches
    shown: list[int] = []
    for count in sorted(counts, key=lambda count: (count & (count - 1) != 0, count)):
        if all(abs(np.log(count / other)) >= distance for other in shown):
            shown.append(count)
    return {float(count): str(count) for count in sorted(shown)}


def _quarters(count: int) -> list[int]:
    return sorted({1, *(round(count * part / 4) for part in (1, 2, 3, 4))} - {0})


def _published_modes() -> tuple[int, float, float]:
    """Return the thread count, the ratio of the modes, and the share of runs in the upper mode of the ETH paper."""
    rows = published.load("ETH").set_index("quantity")
    values = rows["value"].astype(float)
    lower, upper = (values[f"samples in the {mode} mode"] for mode in ("lower", "upper"))
    ratio = values["median time of the upper mode"] / values["median time of the lower mode"]
    return int(rows["threads"]["median time of the lower mode"]), float(ratio), float(upper / (lower + upper))


FIGURES: Final = {"figure-12-samples": mode_samples, "modes-ratios": mode_ratios, "modes-schedules": schedule_times}
