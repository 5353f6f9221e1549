"""A chart of labelled rows on one x axis, with columns of numbers and a caption; and the same with bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aeadlab.figures import rows, style
from aeadlab.figures.caption import Caption
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.ticks import set_linear_ticks


@dataclass(frozen=True)
class Bar:
    """A row with a bar.

    Attributes
    ----------
    implementation
        Selects the colour.
    value
        NaN where there is none; `reason` is written in its place.
    numbers
        Cells of the columns.
    mark
        Position of a vertical line, in the unit of the axis; NaN for none.
    reason
        Text in place of a missing bar.
    """

    label: str
    implementation: str
    value: float
    low: float
    high: float
    numbers: tuple[str, ...]
    mark: float = nan
    reason: str = ""


LEAST_AXIS: Final = 0.6
"""Width of the axes in inches for which columns of numbers give way."""


def row_chart(
    labels: Sequence[rows.Label],
    columns: Sequence[rows.Column],
    sentences: Iterable[str],
    space: style.Venue,
    draw: Callable[[rows.RowLayout, Axes], None],
) -> Figure:
    """Lay out labelled rows with columns of numbers; `draw` fills the axes between them.

    In a narrow venue the last columns give way to the axes; the exported table has all numbers. `sentences` are those
    of `aeadlab.figures.caption.Caption`.
    """
    caption = Caption(sentences, space.width)
    start = _axis_start(labels, space.width)
    columns = list(columns)
    while len(columns) > 1 and space.width - start - sum(column.width for column in columns) < LEAST_AXIS:
        del columns[-1]
    heading = rows.heading_height(columns)
    fixed = heading + rows.AXIS + caption.height
    pitch = rows.fit_pitch([labels], space.height - rows.CAPTION - fixed)
    with style.settings():
        figure = style.new_figure(space.width, fixed + rows.rows_height(labels, pitch))
        layout = rows.RowLayout(figure, labels, heading, pitch)
        right = space.width - sum(column.width for column in columns) - 0.02
        draw(layout, layout.add_axes(start, right))
        layout.write_columns(columns, right)
        caption.write(figure)
    return figure


def bar_chart(
    entries: Sequence[Bar | str],
    headings: Sequence[tuple[str, ...]],
    axis_label: str,
    sentences: Iterable[str],
    space: style.Venue,
) -> Figure:
    """Draw bars one below the other; a string among the entries is a heading.

    Parameters
    ----------
    headings
        Of the columns of numbers, as lines of text.
    axis_label
        With its unit.
    sentences
        Of the caption.
    """

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        for row, entry in enumerate(entries):
            if not isinstance(entry, Bar):
                continue
            if isfinite(entry.value):
                appearance = appearance_of(entry.implementation)
                rows.draw_bar(layout, axes, row, entry.value, (entry.low, entry.high), appearance)
            else:
                rows.write_absence(axes, layout.positions[row], entry.reason)
            if isfinite(entry.mark):
                y, half = layout.positions[row], 0.5 * layout.pitch
                axes.plot([entry.mark] * 2, [y - half, y + half], color=style.EDGE, linewidth=1.0)
        axes.set_xlim(left=0)
        set_linear_ticks(axes)
        rows.label_axis(axes, axis_label)

    numbers = [entry.numbers if isinstance(entry, Bar) else ("",) * len(headings) for entry in entries]
    columns = [
        rows.Column(heading, tuple(cells[number] for cells in numbers)) for number, heading in enumerate(headings)
    ]
    return row_chart(rows.row_labels(entries), columns, sentences, space, draw)


def _axis_start(labels: Sequence[rows.Label], width: float) -> float:
    """Return the left edge of the axes in inches: right of the headings too, unless these are wide."""
    headings = max((0.1 + style.text_width(label.text) * 1.1 for label in labels if label.heading), default=0.0)
    return max(rows.labels_width(labels), min(headings, 0.35 * width))
