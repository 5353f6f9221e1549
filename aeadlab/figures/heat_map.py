"""Heat maps with numbers in their cells: side by side in a wide column, below each other otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import seaborn
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.figures import style
from aeadlab.figures.caption import Caption

_SHADES: Final = LinearSegmentedColormap.from_list("aeadlab", ["#F4F8FB", "#106AAC"])
"""From paper to blue; lightness decreases monotonically, so that the scale also works in grey."""

_HATCH: Final = "#B5B5B5"
_ROW: Final = 0.17
_BETWEEN: Final = 0.16
_MOST_CELL: Final = 0.5


@dataclass(frozen=True)
class HeatMap:
    """A panel.

    Attributes
    ----------
    texts
        Of the cells, ``""`` for an empty one.
    shades
        Of the same shape: from 0 (light) to 1 (dark), NaN for a hatched cell.
    """

    title: str
    texts: DataFrame
    shades: DataFrame


def heat_maps(maps: Sequence[HeatMap], sentences: Iterable[str], space: style.Venue) -> Figure:
    """Draw heat maps that have the same rows; the sentences are those of the caption."""
    caption = Caption(sentences, space.width)
    left = 0.1 + max(style.text_width(str(name)) for name in maps[0].texts.index)
    head = 0.26 + max(style.text_width(str(name)) for panel in maps for name in panel.texts.columns)
    body = _ROW * len(maps[0].texts)
    narrow = space.width < style.WIDE_COLUMN
    columns = max(len(panel.texts.columns) for panel in maps) if narrow else sum(len(m.texts.columns) for m in maps)
    gaps = 0.0 if narrow else _BETWEEN * (len(maps) - 1)
    cell = min((space.width - left - gaps - 0.04) / columns, _MOST_CELL)
    height = (head + body) * (len(maps) if narrow else 1) + _BETWEEN * narrow + 0.06 + caption.height
    with style.settings():
        figure = style.new_figure(space.width, height)
        x, top = left, head
        for number, panel in enumerate(maps):
            width = cell * len(panel.texts.columns)
            box = (x, height - top - body, width, body)
            axes = figure.add_axes(tuple(np.divide(box, (space.width, height) * 2)))
            draw_cells(axes, panel.texts, panel.shades)
            axes.tick_params(labelleft=narrow or not number)
            figure.text(x / space.width, 1 - (top - head + 0.1) / height, panel.title, fontsize=style.TITLE)
            x, top = (left, top + head + body + _BETWEEN) if narrow else (x + width + _BETWEEN, top)
        caption.write(figure)
    return figure


def draw_cells(axes: Axes, texts: DataFrame, shades: DataFrame, pad: float = 2.0) -> None:
    """Draw a heat map with the names of its columns above and of its rows at the left.

    Parameters
    ----------
    pad
        Points from the cells to the names of the columns.
    """
    # The hatched background shows where there is no cell.
    axes.patch.set(facecolor="white", edgecolor=_HATCH, hatch="////", linewidth=0)
    seaborn.heatmap(
        shades.astype(float), vmin=0, vmax=1, cmap=_SHADES, annot=texts, fmt="", linewidths=0.6, linecolor="white",
        annot_kws={"fontsize": style.TEXT, "linespacing": 0.95}, cbar=False, ax=axes,
        xticklabels=[str(name).replace("/", "\n") for name in texts.columns],
        yticklabels=[str(name).replace("/", "\n") for name in texts.index],
    )  # fmt: skip
    axes.grid(False)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(left=False, bottom=False, labelbottom=False, labeltop=True)
    axes.tick_params(axis="x", rotation=90, pad=pad)
    axes.tick_params(axis="y", rotation=0, pad=2)
    numbers = shades.to_numpy(np.float64)
    for text in axes.texts:
        column, row = map(int, text.get_position())
        # Seaborn's own choice is white on the middle shades, where dark text has more contrast.
        text.set_color(
            "white" if np.dot(_SHADES(float(numbers[row, column]))[:3], (0.299, 0.587, 0.114)) < 0.6 else "black"
        )


def broken_width(names: Iterable[str]) -> float:
    """Return the width in inches of the longest part of names that are broken at ``/``."""
    return max(style.text_width(part) for name in names for part in name.split("/"))
