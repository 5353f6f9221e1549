"""A figure of one list: rows with their labels, one axis beside them, columns of numbers, and notes below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from aeadlab.figures import rows, style
from aeadlab.figures.palette import look
from aeadlab.figures.ticks import log_ticks

_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_TICK: Final = 0.3
"""Inches that a number below the axis takes."""


@dataclass(frozen=True)
class Bar:
    """A row with a bar.

    Attributes
    ----------
    implementation
        Whose colour and hatch it has.
    value
        NaN where there is none; `absent` stands in its place then.
    numbers
        What stands in the columns.
    mark
        Where a hollow point is drawn, in the unit of the axis; NaN for none.
    absent
        A word for why there is no bar.
    """

    label: str
    implementation: str
    value: float
    low: float
    high: float
    numbers: tuple[str, ...]
    pale: bool = False
    mark: float = nan
    absent: str = ""


def listed(
    labels: Sequence[rows.Label],
    columns: Sequence[rows.Column],
    note: str,
    space: style.Venue,
    paint: Callable[[rows.Sheet, Axes], None],
) -> Figure:
    """Lay a list out, and have `paint` draw what belongs on its axis."""
    lines = rows.wrapped(note, space.width - 0.04)
    fixed = _HEAD + _AXIS + style.LINE * len(lines) + 0.04
    pitch = rows.pitch([labels], space.height - _CAPTION - fixed)
    with style.settings():
        figure = style.new_figure(space.width, fixed + rows.sheet_height(labels, pitch))
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        right = space.width - sum(column.width for column in columns) - 0.02
        axes = sheet.axes(_left(labels, space.width), right)
        paint(sheet, axes)
        sheet.columns(columns, right)
        rows.write_notes(figure, lines)
    return figure


def bars(
    entries: Sequence[Bar | str],
    headings: Sequence[tuple[str, ...]],
    axis: str,
    note: str,
    space: style.Venue,
    *,
    log: bool = False,
) -> Figure:
    """Draw bars one below the other; a text among the entries is a heading.

    Parameters
    ----------
    headings
        Of the columns of numbers, a line each.
    axis
        Name of the axis, with its unit.
    log
        Whether the axis is logarithmic: bars begin below the shortest then, and their lengths are no proportions.
    """
    looks = [look(entry.implementation) if isinstance(entry, Bar) else None for entry in entries]
    # A hatch that all of several bars have tells none from another, and dots take more room than all else.
    alike = len({seen.hatch for seen in looks if seen}) == 1 < sum(seen is not None for seen in looks)

    def paint(sheet: rows.Sheet, axes: Axes) -> None:
        for row, (entry, found) in enumerate(zip(entries, looks, strict=True)):
            if isinstance(entry, Bar) and found:
                seen = replace(found, hatch="") if alike else found
                if isfinite(entry.value):
                    rows.bar(sheet, axes, row, entry.value, (entry.low, entry.high), seen, entry.pale, False)
                else:
                    rows.absent(axes, sheet.places[row], entry.absent)
                if isfinite(entry.mark):
                    rows.point(axes, sheet.places[row], entry.mark, seen, filled=False)
        if log:
            logarithmic(axes, [entry.value for entry in entries if isinstance(entry, Bar)], 2.0)
        else:
            axes.set_xlim(left=0)
            axes.xaxis.set_major_locator(MaxNLocator(_room(axes), steps=[1, 2, 2.5, 5, 10]))
        rows.name_axis(axes, axis)

    numbers = [entry.numbers if isinstance(entry, Bar) else ("",) * len(headings) for entry in entries]
    columns = [rows.Column(heading, tuple(cells[place] for cells in numbers)) for place, heading in enumerate(headings)]
    return listed(labels_of(entries), columns, note, space, paint)


def labels_of(entries: Iterable[Bar | str]) -> list[rows.Label]:
    """The labels of bars and headings."""
    return [rows.Label(entry, heading=True) if isinstance(entry, str) else rows.Label(entry.label) for entry in entries]


def logarithmic(axes: Axes, values: Iterable[float], below: float = 1.4) -> None:
    """Make the x axis logarithmic, from a factor `below` the least value on, with as many numbers as there is room."""
    known = [value for value in values if isfinite(value) and value > 0]
    low, high = min(known) / below, max(known) * 1.4
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = log_ticks(low, high, 2)
    axes.xaxis.set_major_locator(FixedLocator(ticks[:: -(-len(ticks) // _room(axes))]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _room(axes: Axes) -> int:
    return max(2, int(rows.axes_width(axes) / _TICK))


def _left(labels: Sequence[rows.Label], width: float) -> float:
    """Where the axis begins: behind headings too, unless these would leave it too little."""
    headings = max((0.1 + style.text_width(label.text) * 1.1 for label in labels if label.heading), default=0.0)
    return max(rows.labels_width(labels), min(headings, 0.35 * width))
