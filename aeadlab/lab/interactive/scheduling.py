"""Simulated runs of a schedule as a Gantt chart, beside the measured modes of a record."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from pandas import DataFrame

from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.units import count_noun, interval, percent, significant
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive.panel import choice, panel, slider
from aeadlab.records.record import Record
from aeadlab.studies.thread_modes.gantt import gantt
from aeadlab.studies.thread_modes.stealing import Costs, levels, simulate
from aeadlab.studies.thread_modes.stealing.simulation import Leaf, SimulatedRun
from aeadlab.studies.thread_modes.table import mode_table

SCHEDULES: Final = ("rayon", "rayon-max-len", "static", "dynamic")
BLOCK_SECONDS: Final = 16384 * 25e-9
"""Time of a block of 16 KiB of ``baseline/delay``."""

LAST_RUN: Final = 20
_CHUNK: Final = 64
"""Blocks of 16 KiB in the longest chunk of ``dynamic``, which has 1 MiB."""


@lru_cache(256)
def simulated_run(threads: int, blocks: int, schedule: str, spread: float, seed: int = 0) -> SimulatedRun:
    """Simulate one run of equal blocks of `BLOCK_SECONDS`.

    Parameters
    ----------
    threads, blocks
        At least 1 each.
    schedule
        One of `SCHEDULES`.
    spread
        Standard deviation of the wake-up times of threads, relative to their mean of 50 microseconds; above 0.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such schedule.
    """
    costs = Costs(regularity=1 / spread**2)
    if schedule.startswith("rayon"):
        longest = max(1, blocks // (4 * threads)) if schedule == "rayon-max-len" else None
        return simulate(threads, blocks, BLOCK_SECONDS, seed=seed, max_len=longest, costs=costs)
    if schedule not in SCHEDULES:
        raise UnknownNameError(f"no schedule {schedule!r} is simulated; there are {', '.join(SCHEDULES)}")
    random = np.random.default_rng(seed)
    free = costs.wake_up * random.gamma(costs.regularity, 1 / costs.regularity, threads)
    leaves: list[Leaf] = []
    first = 0
    while first < blocks:
        left = blocks - first
        if schedule == "static":
            worker = len(leaves)
            length = -(-left // (threads - worker))
        else:
            worker = int(free.argmin())
            length = min(_CHUNK, max(1, left // (2 * threads)))
        end = free[worker] + length * BLOCK_SECONDS
        leaves.append(Leaf(worker, first, length, float(free[worker]), float(end)))
        free[worker] = end
        first += length
    return SimulatedRun(max(leaf.end for leaf in leaves), leaves, 0)


def draw_schedule(
    threads: int, blocks: int, schedule: str, spread: float, run: int = 1, measured: DataFrame | None = None
) -> Illustrated:
    """Draw a simulated run as a Gantt chart, with its time and the modes of several runs in sentences.

    Parameters
    ----------
    threads, blocks, schedule, spread
        Those of `simulated_run`, with the blocks of each thread.
    run
        Number of the run, from 1.
    measured
        The result of `aeadlab.studies.thread_modes.table.mode_table`, for the ratio of the record.
    """
    total = threads * blocks
    even = blocks * BLOCK_SECONDS
    shown = simulated_run(threads, total, schedule, spread, run - 1)
    # Many threads take long to simulate, and a slider has to be answered within 0.3 s.
    number = max(3, 40 // threads)
    runs = [simulated_run(threads, total, schedule, spread, seed) for seed in range(number)]
    times = np.array([one.seconds for one in runs]) / even
    expected = levels(threads, total)
    upper = times > expected.lower + 0.8 * (expected.upper - expected.lower)
    upper &= bool(expected.ratio > 1)
    sentences = [f"Run {run} takes {significant(shown.seconds / even)} times perfect balance."]
    if upper.any() and not upper.all():
        ratio = float(np.median(times[upper]) / np.median(times[~upper]))
        sentences.append(
            f"{upper.sum()} of {number} simulated runs are in the upper mode, {significant(ratio)} times the lower one."
        )
    else:
        ends = interval(float(times.min()), float(times.max()))
        sentences.append(f"All {number} simulated runs take {ends} times perfect balance.")
    sentences.append(_measured(measured, threads, total, schedule))
    leaves = DataFrame([vars(leaf) for leaf in shown.leaves]).rename(columns={"length": "blocks"})
    title = f"{schedule}, {count_noun(threads, 'thread')}, {count_noun(total, 'block')}, simulated"
    return Illustrated(sentences, gantt({title: leaves})[0])


def _measured(table: DataFrame | None, threads: int, blocks: int, schedule: str) -> str:
    rows = table if table is not None else DataFrame(columns=["threads", "schedule", "implementation", "blocks"])
    rows = rows[(rows["threads"] == threads) & (rows["schedule"] == schedule) & (rows["implementation"] == DELAY)]
    if rows.empty:
        return "The record has no such case."
    row = rows.assign(off=(rows["blocks"] - blocks).abs()).sort_values("off").iloc[0]
    with_blocks = f"Measured with {count_noun(int(row['blocks']), 'block')}: "
    if row["kind"] == "two":
        return (
            f"{with_blocks}{percent(row['upper_share'])} of the runs in the upper mode, {significant(row['ratio'])} "
            f"({interval(row['ratio_low'], row['ratio_high'])}) times the lower one."
        )
    return f"{with_blocks}one mode, {significant(row['over_even'])} times perfect balance."


def schedules(record: Record | None = None) -> Any:
    """Return sliders for threads, blocks, schedule and wake-up spread, with a simulated Gantt chart.

    Its ratio is shown beside the measured one of a record of the study thread-modes.
    """
    measured = None
    if record is not None:
        try:
            measured = mode_table(record.samples, SCHEDULES)
        except EmptyFigureError:
            measured = None
    return panel(
        lambda **values: draw_schedule(**values, measured=measured),
        threads=slider("threads", 1, 12, 5),
        blocks=slider("blocks of each thread", 1, 128, 64),
        schedule=choice("schedule", SCHEDULES),
        spread=slider("wake-up spread", 0.1, 2.0, 1.0, 0.1),
        run=slider("run", 1, LAST_RUN, 1),
    )
