"""A legend in as many columns as the figure has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pandas import DataFrame

from aeadlab.figures import style
from aeadlab.figures.palette import Appearance, appearance_of

_PITCH: Final = 0.125


@dataclass(frozen=True)
class Entry:
    """A legend entry; the appearance is None for an absent implementation, whose text gives the reason."""

    text: str
    appearance: Appearance | None


def entry_of(rows: DataFrame, text: str) -> Entry:
    """Return the entry of one implementation; it has no appearance where all of its cases failed."""
    if rows["status"].ne("ok").all():
        return Entry(f"{text} ({rows['status'].iloc[0].partition(':')[0]})", None)
    return Entry(text, appearance_of(str(rows["implementation"].iloc[0])))


class Legend:
    """Legend entries, arranged column by column.

    Parameters
    ----------
    width
        Of the figure, in inches.
    lines
        Whether a line runs through each marker.
    """

    def __init__(self, entries: Sequence[Entry], width: float, *, lines: bool = True) -> None:
        self._entries = entries
        self._lines = lines
        self._handle = 0.3 if lines else 0.14
        widest = max((style.text_width(entry.text) for entry in entries), default=1.0) + self._handle + 0.1
        self._columns = max(1, int((width - 0.02) / widest))
        self._rows = -(-len(entries) // self._columns)

    @property
    def height(self) -> float:
        """Height in inches."""
        return self._rows * _PITCH

    def draw(self, figure: Figure, top: float) -> None:
        """Draw the legend `top` inches below the top of the figure."""
        width, height = figure.get_size_inches()
        for number, entry in enumerate(self._entries):
            column, row = divmod(number, self._rows)
            left, y = 0.02 + column * width / self._columns, 1 - (top + (row + 0.5) * _PITCH) / height
            if entry.appearance is not None:
                self._draw_handle(figure, entry.appearance, left / width, (left + self._handle - 0.06) / width, y)
            figure.text((left + self._handle) / width, y, entry.text, va="center_baseline", fontsize=style.TEXT)

    def _draw_handle(self, figure: Figure, appearance: Appearance, left: float, right: float, y: float) -> None:
        if self._lines:
            line = Line2D([left, right], [y, y], color=appearance.colour, linewidth=0.9)
            line.set_linestyle(cast("Any", appearance.line))
            figure.add_artist(line)
        marker = {"marker": appearance.marker, "markersize": 3.4, "mfc": appearance.colour, "mec": style.EDGE}
        figure.add_artist(Line2D([(left + right) / 2], [y], linestyle="none", mew=0.4, **cast("Any", marker)))
