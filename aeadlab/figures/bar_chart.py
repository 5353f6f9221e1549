"""A chart of labelled rows on one x axis, with columns of numbers and a note; and the same with bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from aeadlab.figures import rows, style
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.ticks import set_linear_ticks, set_log_scale


@dataclass(frozen=True)
class Bar:
    """A row with a bar.

    Attributes
    ----------
    implementation
        Selects colour and hatch.
    value
        NaN where there is none; `reason` is written in its place.
    numbers
        Cells of the columns.
    point
        Position of a hollow point, in the unit of the axis; NaN for none.
    reason
        Text in place of a missing bar.
    """

    label: str
    implementation: str
    value: float
    low: float
    high: float
    numbers: tuple[str, ...]
    pale: bool = False
    point: float = nan
    reason: str = ""


def row_chart(
    labels: Sequence[rows.Label],
    columns: Sequence[rows.Column],
    note: str,
    space: style.Venue,
    draw: Callable[[rows.RowLayout, Axes], None],
) -> Figure:
    """Lay out labelled rows with columns of numbers; `draw` fills the axes between them."""
    lines = rows.wrap(note, space.width - 0.04)
    fixed = rows.HEADING + rows.AXIS + style.LINE * len(lines) + 0.04
    pitch = rows.fit_pitch([labels], space.height - rows.CAPTION - fixed)
    with style.settings():
        figure = style.new_figure(space.width, fixed + rows.rows_height(labels, pitch))
        layout = rows.RowLayout(figure, labels, rows.HEADING, pitch)
        right = space.width - sum(column.width for column in columns) - 0.02
        draw(layout, layout.add_axes(_axis_start(labels, space.width), right))
        layout.write_columns(columns, right)
        rows.write_notes(figure, lines)
    return figure


def bar_chart(
    entries: Sequence[Bar | str],
    headings: Sequence[tuple[str, ...]],
    axis_label: str,
    note: str,
    space: style.Venue,
    *,
    log: bool = False,
) -> Figure:
    """Draw bars one below the other; a string among the entries is a heading.

    Parameters
    ----------
    headings
        Of the columns of numbers, as lines of text.
    axis_label
        With its unit.
    log
        Whether the axis is logarithmic. Bars then start below the shortest, and their lengths are not proportional.
    """
    appearances = [appearance_of(entry.implementation) if isinstance(entry, Bar) else None for entry in entries]
    # A hatch that all of several bars share distinguishes none of them and only makes the figure darker.
    hatches = [appearance.hatch for appearance in appearances if appearance]
    same_hatch = len(hatches) > 1 and len(set(hatches)) == 1

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        for row, (entry, appearance) in enumerate(zip(entries, appearances, strict=True)):
            if isinstance(entry, Bar) and appearance:
                appearance = replace(appearance, hatch="") if same_hatch else appearance
                if isfinite(entry.value):
                    rows.draw_bar(layout, axes, row, entry.value, (entry.low, entry.high), appearance, entry.pale)
                else:
                    rows.write_absence(axes, layout.positions[row], entry.reason)
                if isfinite(entry.point):
                    rows.draw_point(axes, layout.positions[row], entry.point, appearance, filled=False)
        if log:
            set_log_scale(axes, [entry.value for entry in entries if isinstance(entry, Bar)], 2.0)
        else:
            axes.set_xlim(left=0)
            set_linear_ticks(axes)
        rows.label_axis(axes, axis_label)

    numbers = [entry.numbers if isinstance(entry, Bar) else ("",) * len(headings) for entry in entries]
    columns = [
        rows.Column(heading, tuple(cells[number] for cells in numbers)) for number, heading in enumerate(headings)
    ]
    return row_chart(rows.row_labels(entries), columns, note, space, draw)


def _axis_start(labels: Sequence[rows.Label], width: float) -> float:
    """Return the left edge of the axes in inches: right of the headings too, unless these are wide."""
    headings = max((0.1 + style.text_width(label.text) * 1.1 for label in labels if label.heading), default=0.0)
    return max(rows.labels_width(labels), min(headings, 0.35 * width))
