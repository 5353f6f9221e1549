"""Gantt chart of the block assignment: the leaves of a run over time, one row per worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.caption import Caption
from aeadlab.figures.palette import appearance_of

COLUMNS: Final = ("run", "worker", "first", "blocks", "start", "end")

_ROW: Final = 0.13
_TOP: Final = 0.2
_BOTTOM: Final = 0.14
_LEFT: Final = 0.36
_FIRST_LEAVES: Final = appearance_of("aeadlab").colour
_OTHER_LEAVES: Final = ("#8C8C8C", style.CONTEXT)


def traced_modes(threads: int, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Trace a run of each mode under Rayon with waiting threads, and draw both with `gantt`."""
    from aeadlab.studies.thread_modes.stealing import one_run_of_each_mode

    return gantt({f"{mode} mode": run.leaves for mode, run in one_run_of_each_mode(threads).items()}, venue)


def gantt(runs: Mapping[str, DataFrame], venue: str = "lncs", note: str = "") -> tuple[Figure, DataFrame]:
    """Draw runs below each other on one time axis; a box is a leaf: adjacent blocks assigned together.

    The first two leaves of the message, which decide the mode of a run under Rayon, have their own colour. The table
    has one row per leaf: `COLUMNS`; times in seconds since the start of the run. Errors are those of
    `aeadlab.studies.study.Draw`.

    Parameters
    ----------
    runs
        Leaves of each run by its title, from `aeadlab.studies.thread_modes.stealing.leaf_table`.
    note
        Text for the foot of the figure.
    """
    space = style.venue(venue)
    if not runs or any(leaves.empty for leaves in runs.values()):
        raise EmptyFigureError("no leaves are given: trace a run first")
    workers = max(int(leaves["worker"].max()) for leaves in runs.values()) + 1
    duration = 1e3 * max(float((leaves["end"] - leaves["start"].min()).max()) for leaves in runs.values())
    caption = Caption([note, "A box is a leaf; coloured: the first two leaves of the message."], space.width)
    panel = _TOP + workers * _ROW + _BOTTOM
    height = len(runs) * panel + 0.22 + caption.height
    with style.settings():
        figure = style.new_figure(space.width, height)
        for number, (title, leaves) in enumerate(runs.items()):
            top = number * panel + _TOP
            box = (
                _LEFT / space.width, 1 - (top + workers * _ROW) / height, (space.width - _LEFT - 0.06) / space.width,
                workers * _ROW / height,
            )  # fmt: skip
            axes = figure.add_axes(box)
            start = float(leaves["start"].min())
            first_two = set(leaves["first"].sort_values().head(2))
            for worker in range(workers):
                own = leaves[leaves["worker"] == worker].sort_values("start")
                # One collection for each row: a patch for each of a thousand leaves would take a second.
                axes.broken_barh(
                    [*zip(1e3 * (own["start"] - start), 1e3 * (own["end"] - own["start"]), strict=True)],
                    (worker - 0.42, 0.84),
                    facecolors=np.where(own["first"].isin(first_two), _FIRST_LEAVES, _OTHER_LEAVES[worker % 2]),
                    edgecolors="white",
                    linewidths=0.3,
                )
            axes.set_xlim(0, duration * 1.01)
            axes.set_ylim(workers - 0.5, -0.5)
            axes.set_yticks(range(0, workers, max(1, workers // 8)))
            axes.set_ylabel("worker", labelpad=2)
            axes.set_title(title, pad=3, fontsize=style.TITLE, loc="left")
            if number + 1 < len(runs):
                axes.set_xticklabels([])
            else:
                axes.set_xlabel("time (ms)", labelpad=2)
        caption.write(figure)
    table = pd.concat([leaves.assign(run=title) for title, leaves in runs.items()], ignore_index=True)
    return figure, table[list(COLUMNS)]
