"""Who did which leaf when: runs as bars over time, a row per worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import style
from aeadlab.figures.palette import COLOURS
from aeadlab.figures.plain import each
from aeadlab.figures.rows import wrapped, write_notes

COLUMNS: Final = ("run", "worker", "first", "blocks", "start", "end")

_ROW: Final = 0.13
_TOP: Final = 0.2
_BOTTOM: Final = 0.14
_LEFT: Final = 0.36
_PAIR: Final = COLOURS[2]
_OTHERS: Final = (COLOURS[1], COLOURS[6])


def gantt(runs: Mapping[str, DataFrame], venue: str = "lncs", note: str = "") -> tuple[Figure, DataFrame]:
    """Draw runs below each other on one axis of time; a box is a leaf: neighbouring blocks handed out together.

    The first two leaves of the message, which decide the mode of a run under Rayon, stand out.

    Parameters
    ----------
    runs
        Leaves by the title of their run, as `aeadlab.stealing.leaf_table` has them.
    venue
        One of `aeadlab.figures.style.VENUES`.
    note
        A sentence for the figure's foot.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        All leaves: `COLUMNS`; times in seconds since the run began.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If there are no runs, or one without leaves.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    if not runs or any(leaves.empty for leaves in runs.values()):
        raise EmptyFigureError("no leaves are given: trace a run first")
    workers = max(int(leaves["worker"].max()) for leaves in runs.values()) + 1
    until = 1e3 * max(float((leaves["end"] - leaves["start"].min()).max()) for leaves in runs.values())
    words = f"A box is a leaf. Vermillion: the first two leaves of the message. {note}"
    lines = wrapped(words.strip(), space.width - 0.04)
    panel = _TOP + workers * _ROW + _BOTTOM
    height = len(runs) * panel + 0.2 + len(lines) * style.LINE + 0.06
    with style.settings():
        figure = style.new_figure(space.width, height)
        for number, (title, leaves) in enumerate(runs.items()):
            top = number * panel + _TOP
            box = (
                _LEFT / space.width, 1 - (top + workers * _ROW) / height, (space.width - _LEFT - 0.06) / space.width,
                workers * _ROW / height,
            )  # fmt: skip
            axes = figure.add_axes(box)
            begin = float(leaves["start"].min())
            pair = set(leaves["first"].sort_values().head(2))
            for leaf in each(leaves.sort_values("start")):
                colour = _PAIR if leaf.first in pair else _OTHERS[int(leaf.worker) % 2]
                place = (1e3 * (leaf.start - begin), leaf.worker - 0.42)
                axes.add_patch(
                    Rectangle(
                        place, 1e3 * (leaf.end - leaf.start), 0.84, facecolor=colour, edgecolor="white", linewidth=0.3
                    )
                )
            axes.set_xlim(0, until * 1.01)
            axes.set_ylim(workers - 0.5, -0.5)
            axes.set_yticks(range(0, workers, max(1, workers // 8)))
            axes.set_ylabel("worker", labelpad=2)
            axes.set_title(title, pad=3, fontsize=style.TITLE, loc="left")
            if number + 1 < len(runs):
                axes.set_xticklabels([])
            else:
                axes.set_xlabel("time (ms)", labelpad=2)
        write_notes(figure, lines)
    table = pd.concat([leaves.assign(run=title) for title, leaves in runs.items()], ignore_index=True)
    return figure, table[list(COLUMNS)]
