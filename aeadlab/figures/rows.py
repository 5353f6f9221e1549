"""Rows of text with bars, points and columns of numbers beside them, laid out in inches on paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, Literal

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from aeadlab.figures import style
from aeadlab.figures.palette import Appearance
from aeadlab.figures.style import TEXT, TITLE, text_width
from aeadlab.figures.ticks import axes_width

PITCH: Final = 0.135
"""Inches from one row to the next where there is room."""

LEAST_PITCH: Final = 0.106
"""Smallest pitch in inches at which the text of adjacent rows does not overlap."""

HEADING: Final = 0.27
"""Inches above the first row, for the column headings."""

AXIS: Final = 0.36
"""Inches below the last row, for the tick labels and the axis label."""

CAPTION: Final = 0.5
"""Inches of the page that are left for the caption of a figure."""

_GAP: Final = 0.05
_PAD: Final = 0.09

# A white background keeps axes lines from running through text.
_BACKGROUND: Final[dict[str, Any]] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}


@dataclass(frozen=True)
class Label:
    """The text at the left of a row; a heading is bold and has a gap above it."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class LabelledRow:
    """A label with the table row that it shows, None for a heading."""

    label: Label
    row: Any = None


@dataclass(frozen=True)
class Column:
    """A column of text: the lines of its heading, one cell per row (``""`` where empty), and its alignment."""

    heading: tuple[str, ...]
    cells: tuple[str, ...]
    align: Literal["left", "right"] = "right"

    @property
    def width(self) -> float:
        """Width in inches, with the space before the column."""
        return _PAD + max(text_width(text) for text in (*self.heading, *self.cells))


class RowLayout:
    """Positions of the rows of a figure, and methods that write and draw at them.

    Parameters
    ----------
    top
        Inches from the top of the figure to the first row.
    pitch
        Inches from one row to the next.
    """

    def __init__(self, figure: Figure, labels: Sequence[Label], top: float, pitch: float) -> None:
        self.figure = figure
        self.top = top
        self.pitch = pitch
        self.positions: list[float] = []
        self.bottom = top + rows_height(labels, pitch)
        y = top
        for number, label in enumerate(labels):
            y += _GAP if label.heading and number else 0.0
            self.positions.append(y + pitch / 2)
            y += pitch
        for row, label in enumerate(labels):
            if label.heading:
                # A heading may be wider than the labels' column.
                self.write(0.02, row, label.text, weight="bold", bbox=_BACKGROUND)
            else:
                self.write(0.08, row, label.text)

    def add_axes(self, left: float, right: float) -> Axes:
        """Add axes beside the rows, from `left` to `right` in inches; y data are inches from the figure's top."""
        width, height = self.figure.get_size_inches()
        box = (left / width, 1 - self.bottom / height, (right - left) / width, (self.bottom - self.top) / height)
        axes = self.figure.add_axes(box)
        axes.set_ylim(self.bottom, self.top)
        axes.set_yticks([])
        axes.grid(axis="x")
        return axes

    def write(self, x: float, row: int, text: str, **properties: Any) -> None:
        """Write beside a row, `x` inches from the left."""
        self._write(x, self.positions[row], text, **properties)

    def write_columns(self, columns: Sequence[Column], left: float) -> float:
        """Write columns side by side from `left` inches on; return the right edge of the last."""
        for column in columns:
            edge = left + (_PAD if column.align == "left" else column.width)
            left += column.width
            self.write_heading(edge, column.heading, column.align)
            for row, text in enumerate(column.cells):
                self.write(edge, row, text, ha=column.align)
        return left

    def write_heading(self, x: float, lines: Sequence[str], align: str) -> None:
        """Write lines of text above the rows."""
        for number, line in enumerate(reversed(lines)):
            self._write(x, self.top - 0.06 - number * 0.11, line, ha=align, color=style.FAINT)

    def _write(self, x: float, y: float, text: str, **properties: Any) -> None:
        width, height = self.figure.get_size_inches()
        self.figure.text(x / width, 1 - y / height, text, **{"va": "center_baseline", "fontsize": TEXT, **properties})


def row_labels(entries: Iterable[Any]) -> list[Label]:
    """Return a heading for each string, and the ``label`` of each other entry."""
    return [Label(entry, heading=True) if isinstance(entry, str) else Label(entry.label) for entry in entries]


def heading_height(columns: Sequence[Column]) -> float:
    """Return the inches that the headings of the columns take above the first row."""
    return 0.08 + 0.11 * max((len(column.heading) for column in columns), default=0)


def rows_height(labels: Sequence[Label], pitch: float) -> float:
    """Return the height in inches of rows with these labels."""
    return pitch * len(labels) + _GAP * sum(label.heading for label in labels[1:])


def fit_pitch(lists: Sequence[Sequence[Label]], room: float) -> float:
    """Return the widest pitch at which lists of rows, one below the other, fit into `room`, both in inches.

    The result is between `LEAST_PITCH` and `PITCH`: a list that is too long for the least pitch exceeds the room.
    """
    spare = room - sum(rows_height(labels, 0.0) for labels in lists)
    return min(PITCH, max(LEAST_PITCH, spare / max(sum(map(len, lists)), 1)))


def labels_width(labels: Sequence[Label]) -> float:
    """Return the width in inches of the labels with the space after them; headings do not count."""
    return 0.08 + _PAD + max((text_width(label.text) for label in labels if not label.heading), default=0.0)


def draw_bar(
    layout: RowLayout,
    axes: Axes,
    row: int,
    value: float,
    interval: tuple[float, float],
    appearance: Appearance,
    pale: bool = False,
    thin: bool = False,
) -> None:
    """Draw a bar with its interval; an interval of NaN, which results from too few samples, is left out."""
    y = layout.positions[row]
    colour = tuple(0.5 + 0.5 * part for part in to_rgb(appearance.colour)) if pale else to_rgb(appearance.colour)
    height = layout.pitch * (0.5 if thin else 0.8)
    axes.barh(y, value, height=height, color=colour, linewidth=0)
    low, high = interval
    if isfinite(low) and isfinite(high):
        reach = [[max(value - low, 0.0)], [max(high - value, 0.0)]]
        axes.errorbar(value, y, xerr=reach, fmt="none", ecolor=style.EDGE, elinewidth=0.7, capsize=1.4, capthick=0.6)


def draw_point(axes: Axes, y: float, value: float, appearance: Appearance, filled: bool) -> None:
    """Draw a point: measured ones filled, published ones hollow and larger, so that both show where they coincide.

    All points of rows are circles: the label of the row names the case.
    """
    face, edge, size = (appearance.colour, style.EDGE, 3.6) if filled else ("none", style.EDGE, 6.0)
    axes.plot([value], [y], "o", markersize=size, mfc=face, mec=edge, mew=0.3 if filled else 0.7)


def draw_beyond(axes: Axes, y: float, value: str, left: bool) -> None:
    """Draw a triangle at the left or right edge of the axes with the text of a value beyond it."""
    x, sign, align = (0.0, "<", "left") if left else (1.0, ">", "right")
    transform = axes.get_yaxis_transform()
    axes.plot([x], [y], sign, transform=transform, markersize=3, mfc=style.FAINT, mew=0, clip_on=False, zorder=3)
    text: dict[str, Any] = {"fontsize": TEXT, "color": style.FAINT, "va": "center_baseline", "ha": align}
    axes.text(x + (0.025 if left else -0.025), y, value, transform=transform, zorder=2.2, **text)


def write_absence(axes: Axes, y: float, reason: str) -> None:
    """Write why there is no bar or point in its place."""
    properties: dict[str, Any] = {"fontsize": TEXT, "color": style.FAINT, "style": "italic", "bbox": _BACKGROUND}
    # Above lines and grid, below the axes' own edges.
    position: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center_baseline", "zorder": 2.2}
    axes.text(0.03, y, reason, **position, **properties)


def label_axis(axes: Axes, label: str) -> None:
    """Label the x axis; a label wider than the axis is aligned with its right end to stay on the paper."""
    fits = text_width(label, TITLE) <= axes_width(axes)
    axes.set_xlabel(label, labelpad=2, loc="center" if fits else "right")


def write_notes(figure: Figure, lines: Sequence[str]) -> None:
    """Write lines of text at the foot of a figure, `style.LINE` inches each."""
    width, height = figure.get_size_inches()
    for number, line in enumerate(reversed(lines)):
        figure.text(0.02 / width, (0.05 + number * style.LINE) / height, line, va="baseline")


def wrap(text: str, width: float) -> list[str]:
    """Break a text between words into lines of at most `width` inches."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
