"""A legend in as many columns as a figure has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from aeadlab.figures import style
from aeadlab.figures.palette import Look

_PITCH: Final = 0.125


@dataclass(frozen=True)
class Entry:
    """A line of a legend: a look, or None for what is absent, whose text says why."""

    text: str
    look: Look | None


class Legend:
    """Entries, set column after column.

    Parameters
    ----------
    width
        Of the figure, in inches.
    lines
        Whether entries have lines through their markers.
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
        """Inches."""
        return self._rows * _PITCH

    def write(self, figure: Figure, top: float) -> None:
        """Draw it, `top` inches from the top of the figure."""
        width, height = figure.get_size_inches()
        for number, entry in enumerate(self._entries):
            column, row = divmod(number, self._rows)
            left, y = 0.02 + column * width / self._columns, 1 - (top + (row + 0.5) * _PITCH) / height
            if entry.look is not None:
                self._draw(figure, entry.look, left / width, (left + self._handle - 0.06) / width, y)
            figure.text((left + self._handle) / width, y, entry.text, va="center_baseline", fontsize=style.TEXT)

    def _draw(self, figure: Figure, look: Look, left: float, right: float, y: float) -> None:
        if self._lines:
            line = Line2D([left, right], [y, y], color=look.colour, linewidth=0.9)
            line.set_linestyle(cast("Any", look.line))
            figure.add_artist(line)
        marker: dict[str, Any] = {"marker": look.marker, "markersize": 3.4, "mfc": look.colour, "mec": style.EDGE}
        figure.add_artist(Line2D([(left + right) / 2], [y], linestyle="none", mew=0.4, **marker))
