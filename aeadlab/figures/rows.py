"""Lays out a figure as rows of text, with bars, points and columns of numbers beside them, in inches on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from aeadlab.figures import style
from aeadlab.figures.palette import Look
from aeadlab.figures.style import TEXT, TITLE, text_width

PITCH: Final = 0.128
"""Inches from one row to the next where there is room."""

LEAST_PITCH: Final = 0.1
"""Inches below which the text of neighbouring rows would touch."""


_GAP: Final = 0.05
_PAD: Final = 0.09

# Behind text that stands on axes, so that their lines do not run through it.
_PAPER: Final[dict[str, Any]] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}


@dataclass(frozen=True)
class Label:
    """The text at the left of a row; a heading is bold and has some space above."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class Column:
    """A right-aligned column of text: what stands above it, and one text per row (``""`` for none)."""

    heading: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def width(self) -> float:
        """Inches that the column takes, with the space before it."""
        return _PAD + max(text_width(text) for text in (*self.heading, *self.cells))


class Sheet:
    """Rows of a figure: their places, and what is drawn at them.

    Parameters
    ----------
    figure
        Of the final size.
    labels
        One per row.
    top
        Inches from the top of the figure to the first row.
    pitch
        Inches from one row to the next.
    """

    def __init__(self, figure: Figure, labels: Sequence[Label], top: float, pitch: float) -> None:
        self.figure = figure
        self.top = top
        self.pitch = pitch
        self.places: list[float] = []
        self.bottom = top + sheet_height(labels, pitch)
        y = top
        for position, label in enumerate(labels):
            y += _GAP if label.heading and position else 0.0
            self.places.append(y + pitch / 2)
            y += pitch
        for row, label in enumerate(labels):
            if label.heading:
                # Headings may be wider than the labels' column.
                self.text(0.02, row, label.text, weight="bold", bbox=_PAPER)
            else:
                self.text(0.08, row, label.text)

    def axes(self, left: float, right: float) -> Axes:
        """Axes beside the rows, from `left` to `right` in inches; its y data are inches from the figure's top."""
        width, height = self.figure.get_size_inches()
        box = (left / width, 1 - self.bottom / height, (right - left) / width, (self.bottom - self.top) / height)
        axes = self.figure.add_axes(box)
        axes.set_ylim(self.bottom, self.top)
        axes.set_yticks([])
        axes.grid(axis="x")
        return axes

    def text(self, x: float, row: int, text: str, **style: Any) -> None:
        """Write beside a row, `x` inches from the left."""
        self._write(x, self.places[row], text, **style)

    def column(self, right: float, column: Column) -> None:
        """Write a column whose right edge is `right` inches from the left."""
        self.heading(right, column.heading, "right")
        for row, text in enumerate(column.cells):
            self.text(right, row, text, ha="right")

    def columns(self, columns: Sequence[Column], left: float) -> float:
        """Write columns side by side from `left` inches on; returns where they end."""
        for column in columns:
            left += column.width
            self.column(left, column)
        return left

    def heading(self, x: float, lines: Sequence[str], align: str) -> None:
        """Write lines of text above the rows."""
        for position, line in enumerate(reversed(lines)):
            self._write(x, self.top - 0.06 - position * 0.105, line, ha=align, color=style.FAINT)

    def _write(self, x: float, y: float, text: str, **style: Any) -> None:
        width, height = self.figure.get_size_inches()
        self.figure.text(x / width, 1 - y / height, text, **{"va": "center_baseline", "fontsize": TEXT, **style})


def sheet_height(labels: Sequence[Label], pitch: float) -> float:
    """Inches that rows with these labels take."""
    return pitch * len(labels) + _GAP * sum(label.heading for label in labels[1:])


def pitch(sheets: Sequence[Sequence[Label]], room: float) -> float:
    """The widest pitch with which the sheets fit into `room`; a figure too long even for the least one stays too long.

    Both are in inches.
    """
    spare = room - sum(sheet_height(sheet, 0.0) for sheet in sheets)
    return min(PITCH, max(LEAST_PITCH, spare / sum(map(len, sheets))))


def labels_width(labels: Sequence[Label]) -> float:
    """Inches that labels take with the space after them; headings may run on to the right."""
    return 0.08 + _PAD + max((text_width(label.text) for label in labels if not label.heading), default=0.0)


def bar(
    sheet: Sheet, axes: Axes, row: int, value: float, interval: tuple[float, float], look: Look, pale: bool, thin: bool
) -> None:
    """Draw a bar with its interval; an interval of NaN, which too few samples give, is left out."""
    y = sheet.places[row]
    colour = tuple(0.5 + 0.5 * part for part in to_rgb(look.colour)) if pale else to_rgb(look.colour)
    height = sheet.pitch * (0.5 if thin else 0.8)
    # A hatch has its bar's edge colour, and a dark one would not show on dark bars: the edge is drawn apart.
    hatch_colour = "white" if sum(colour) < 1 else style.EDGE
    axes.barh(y, value, height=height, color=colour, edgecolor=hatch_colour, linewidth=0, hatch=look.hatch)
    axes.add_patch(Rectangle((0, y - height / 2), value, height, fill=False, edgecolor=style.EDGE, linewidth=0.4))
    low, high = interval
    if isfinite(low) and isfinite(high):
        reach = [[max(value - low, 0.0)], [max(high - value, 0.0)]]
        axes.errorbar(value, y, xerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.7, capsize=1.4, capthick=0.6)


def point(axes: Axes, y: float, value: float, look: Look, filled: bool) -> None:
    """Draw a point: ours filled, a document's hollow and larger, so that both show where they coincide."""
    face, size = (look.colour, 3.4) if filled else ("none", 6.0)
    axes.plot([value], [y], look.marker, markersize=size, mfc=face, mec=style.EDGE, mew=0.6)


def absent(axes: Axes, y: float, why: str) -> None:
    """Say in place of a bar or point that there is none."""
    beside = axes.get_yaxis_transform()
    look: dict[str, Any] = {"fontsize": TEXT, "color": style.FAINT, "style": "italic", "bbox": _PAPER}
    # Above lines and grid, below the axes' own edges.
    axes.text(0.03, y, why, transform=beside, va="center_baseline", zorder=2.2, **look)


def axes_width(axes: Axes) -> float:
    """Width of axes in inches."""
    figure = axes.get_figure()
    return float(axes.get_position().width * figure.get_size_inches()[0]) if isinstance(figure, Figure) else 0.0


def name_axis(axes: Axes, name: str) -> None:
    """Label the x axis; a label wider than the axis ends where the axis ends, or it would leave the paper."""
    fits = text_width(name, TITLE) <= axes_width(axes)
    axes.set_xlabel(name, labelpad=2, loc="center" if fits else "right")


def write_notes(figure: Figure, lines: Sequence[str]) -> None:
    """Write lines of text at the foot of a figure, `style.LINE` inches each."""
    width, height = figure.get_size_inches()
    for position, line in enumerate(reversed(lines)):
        figure.text(0.02 / width, (0.05 + position * style.LINE) / height, line, va="baseline")


def wrapped(text: str, width: float) -> list[str]:
    """Break a text into lines of at most `width` inches, between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
