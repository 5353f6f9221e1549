"""Run times with two modes at some thread counts: the ETH paper's Figure 12, the modes by thread count, schedules."""

from __future__ import annotations

from collections.abc import Callable
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
from aeadlab.figures.curves import LIMIT, Curve, Panel, draw_panels
from aeadlab.figures.palette import Appearance, appearance_of
from aeadlab.figures.ticks import count_ticks
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
_LONGEST_TIME: Final = 1.55
"""Time over perfect balance at which the panels of schedules end."""

_POINTS: Final = replace(appearance_of("aeadlab"), marker="o", line="none")
"""ParSplit's own colour: the implementation under it only waits."""

_TIMES: Final = "\N{MULTIPLICATION SIGN}"


def mode_ratios(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the ratio of the two modes of a run under Rayon, and the share of the upper one, by thread count.

    The dashed line is the prediction for a worker with two leaves, over perfect balance. Thread counts with one mode
    are grey. Of several block counts for a thread count the one nearest to 64 per thread is drawn. The table has the
    rows of `mode_table` under schedule ``rayon``, with all block counts.
    """
    space = style.venue(venue)
    table = mode_table(samples, (ETH_PAPER,))
    rows = _one_block_count(table, ETH_PAPER)
    counts = sorted({int(count) for count in rows["threads"]})
    threads, two, one = rows["threads"].tolist(), rows["kind"].eq("two"), rows["kind"].eq("one")

    def points(column: str, scale: float, of_one_mode: float) -> list[Curve]:
        values, low, high = ((scale * rows[f"{column}{end}"].where(two)).tolist() for end in ("", "_low", "_high"))
        measured = Curve(_POINTS, threads, values, low, high)
        single = one.map({True: of_one_mode, False: np.nan}).tolist()
        return [measured, Curve(Appearance(style.CONTEXT, "o", "none"), threads, single, marked=True)]

    up_to_most = list(range(1, max(counts) + 1))
    predicted = Curve(LIMIT, up_to_most, [upper_level(count) for count in up_to_most])
    published_threads, published_ratio, published_share = _published_modes()
    ticks = count_ticks(counts)
    limits = (min(counts) * 0.9, max(counts) * 1.15)
    panel = partial(Panel, x_label="threads", ticks=ticks, limits=limits, x_scale="log", y_scale="linear")
    there = Appearance(style.EDGE, "o", "none")
    eth_ratio = Curve(there, [published_threads], [published_ratio], published=True)
    eth_share = Curve(there, [published_threads], [100 * published_share], published=True)
    panels = [
        panel(
            "distance of the modes", y_label=f"upper mode ({_TIMES} lower)", y_limits=(0.9, 2.0),
            curves=[predicted, *points("ratio", 1.0, 1.0), eth_ratio],
        ),
        panel(
            "share of the upper mode", y_label="runs (%)", y_limits=(-4.0, 100.0),
            curves=[*points("upper_share", 100.0, 0.0), eth_share],
        ),
    ]  # fmt: skip
    found = rows[two]
    result = f"No second mode is found at any of {len(rows)} thread counts."
    if len(found):
        widest = found.sort_values("ratio").iloc[-1]
        result = (
            f"Run times have two modes at {len(found)} of {len(rows)} thread counts, at most "
            f"{significant(widest['ratio'])}{_TIMES} apart (with {int(widest['threads'])} threads)."
        )
    least, most = int(rows["undisturbed"].min()), int(rows["undisturbed"].max())
    number = f"{least}" if least == most else f"{least} to {most}"
    sentences = [
        result,
        "Grey: no second mode found. Dashed: predicted, two leaves for one worker. Hollow: published (ETH).",
        f"{rows['implementation'].iloc[0]} under schedule rayon, {number} undisturbed samples of each thread count; "
        "bars: 95 % intervals.",
    ]
    return draw_panels(panels, space, sentences, shared_y=False), table


def mode_samples(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw every sample with 5 threads in the order of the run, after Figure 12 of the ETH paper.

    The left panel is the paper's schedule, the right one the lab's. The dashed lines are perfect balance (the time of
    one thread divided by the thread count) and the time of two leaves for one worker. Samples that something else
    slowed are grey. The table has one row per sample: `SAMPLE_COLUMNS`, times in seconds.
    """
    space = style.venue(venue)
    table = mode_table(samples, (ETH_PAPER, DEFAULT), modes_of=(SHOWN_THREADS,))
    rows = default_cases(samples, largest=False)
    disturbed_samples = disturbed(samples)
    unfinished: list[Callable[..., Panel]] = []
    sentences, drawn = [], []
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
        times, slowed = 1e3 * own["seconds"], own["disturbed"].astype(bool)
        even = 1e3 * case.seconds / case.over_even if np.isfinite(case.over_even) else np.nan
        numbers = own["sample"].tolist()
        curves = [
            Curve(_POINTS, numbers, times.where(~slowed).tolist()),
            Curve(Appearance(style.CONTEXT, "o", "none"), numbers, times.where(slowed).tolist(), marked=True),
        ]
        unfinished.append(
            partial(
                Panel, f"{schedule}, {SHOWN_THREADS} threads", "sample", "time (ms)", curves,
                {float(number): str(number) for number in _quarters(len(numbers))}, (0, 1.08 * len(numbers)), "linear",
                "linear", partial(_draw_levels, even, case.blocks),
            )
        )  # fmt: skip
        if case.kind == "two":
            share = significant(100 * case.upper_share, 2)
            sentences.append(
                f"{schedule} has two modes, {significant(case.ratio)}{_TIMES} apart, {share} % in the upper."
            )
        else:
            spread = significant(case.undisturbed_p95_over_median)
            sentences.append(f"{schedule}: 95th percentile {spread}{_TIMES} the median.")
    _, ratio, upper_share = _published_modes()
    sentences += [
        f"Published (ETH): {significant(ratio)}{_TIMES}, {significant(100 * upper_share, 2)} %.",
        "A point is a sample; grey: a disturbed one. Dashed: perfect balance, and two leaves for one worker.",
    ]
    shown = pd.concat(drawn, ignore_index=True)
    y_limits = (950 * float(shown["seconds"].min()), 1030 * float(shown["seconds"].max()))
    panels = [panel(y_limits=y_limits) for panel in unfinished]
    return draw_panels(panels, space, sentences), shown


def schedule_times(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time under each schedule relative to perfect balance in a panel of its own, with Rayon behind it.

    A line is the median, the band above it reaches to the 95th percentile. The table is that of `mode_table` without
    modes, with the experimental changes to Rayon, which the figure leaves out.
    """
    space = style.venue(venue)
    table = mode_table(samples, modes_of=())
    external = sorted({str(name) for name in table["schedule"]} - set(_SCHEDULES))
    measured = set(table.loc[table["n"].gt(0), "schedule"])
    names = [name for name in (*_SCHEDULES, *external) if name in measured and name not in EXPERIMENTS]
    # Rayon is behind each of the others and needs no panel beside them.
    shown = [name for name in names if name != ETH_PAPER] or names
    if not names:
        raise EmptyFigureError("no case ran under a schedule: measure the study thread-modes")
    rows = {name: _one_block_count(table, name) for name in names}
    counts = {int(count) for own in rows.values() for count in own["threads"]}
    columns = 4 if space.width > style.WIDE_COLUMN else 2
    panels = []
    for number, name in enumerate(shown):
        behind = [ETH_PAPER] if name != ETH_PAPER and ETH_PAPER in rows else []
        curves = [_spread_curve(rows[one], grey=one != name) for one in (name, *behind)]
        panels.append(
            Panel(
                name, "threads" if number >= len(shown) - columns else "", f"time ({_TIMES} even)", curves,
                count_ticks(counts), (min(counts) * 0.9, max(counts) * 1.15), "log", "linear",
                y_limits=(0.98, _LONGEST_TIME), height=0.8,
            )
        )  # fmt: skip
    worst = {name: float((own["over_even"] * own["undisturbed_p95_over_median"]).max()) for name, own in rows.items()}
    steadiest = min(worst, key=worst.__getitem__)
    result = f"{steadiest} is the steadiest: its 95th percentile is at most {significant(worst[steadiest])}{_TIMES}"
    if ETH_PAPER in worst and steadiest != ETH_PAPER:
        result += f" perfect balance, that of {ETH_PAPER} up to {significant(worst[ETH_PAPER])}{_TIMES}"
    sentences = [
        f"{result}.",
        f"Line: median; band: up to the 95th percentile; grey: {ETH_PAPER}; 1 is perfect balance: the time of one "
        "thread over the threads.",
        "Disturbed samples are excluded; percentiles are those of the samples.",
    ]
    return draw_panels(panels, space, sentences, columns=columns), table


def _spread_curve(rows: DataFrame, grey: bool) -> Curve:
    """Return the median over perfect balance with a band up to the 95th percentile."""
    middle = rows["over_even"]
    slow = middle * rows["undisturbed_p95_over_median"]
    appearance = Appearance(style.CONTEXT, "None") if grey else replace(_POINTS, marker="None", line="-")
    return Curve(appearance, rows["threads"].tolist(), middle.tolist(), middle.tolist(), slow.tolist(), band=True)


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
