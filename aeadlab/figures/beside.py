"""A document's table beside ours: each number over one of its own table, since machines are decades apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.palette import look
from aeadlab.figures.ticks import log_ticks
from aeadlab.units import significant

COLUMNS: Final = (
    "group", "label", "implementation", "published_value", "published_unit", "published", "value", "ratio",
    "ratio_low", "ratio_high",
)  # fmt: skip

_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_TICK: Final = 0.3


@dataclass(frozen=True)
class Pair:
    """A number of a document and what was measured here in its place.

    Attributes
    ----------
    group, label
        Where it stands in the document's table.
    implementation
        What was measured; its look is that of all figures.
    published_value, published_unit
        As printed.
    published
        Over the number that the document's table is set in relation to.
    value
        Measured, in the same quantity.
    ratio, ratio_low, ratio_high
        `value` over ours in that place, with its interval; NaN where it was not measured.
    """

    group: str
    label: str
    implementation: str
    published_value: float
    published_unit: str
    published: float
    value: float = nan
    ratio: float = nan
    ratio_low: float = nan
    ratio_high: float = nan


def beside(pairs: Sequence[Pair], axis: str, note: str, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw a row per number of a document: the document's hollow, ours filled with its interval.

    Parameters
    ----------
    pairs
        In the order of the rows; those of a group stand together.
    axis
        What both are over, for the axis.
    note
        For the foot of the figure: hardware and age of the document's numbers.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        A row per pair: `COLUMNS`.

    Raises
    ------
    aeadlab.errors.EmptyFigureError
        If nothing of it was measured.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    if not any(isfinite(pair.ratio) for pair in pairs):
        raise EmptyFigureError("nothing of the document's table was measured")
    entries: list[Pair | str] = []
    for number, pair in enumerate(pairs):
        if not number or pairs[number - 1].group != pair.group:
            entries.append(pair.group)
        entries.append(pair)
    labels = [
        rows.Label(entry, heading=True) if isinstance(entry, str) else rows.Label(entry.label) for entry in entries
    ]
    lines = rows.wrapped(f"Hollow: the document's. Filled: here, with 95 % intervals. {note}", space.width - 0.04)
    fixed = _HEAD + _AXIS + style.LINE * len(lines) + 0.04
    pitch = rows.pitch([labels], space.height - _CAPTION - fixed)
    height = fixed + rows.sheet_height(labels, pitch)
    written = [
        rows.Column(("there",), tuple("" if isinstance(e, str) else significant(e.published) for e in entries)),
        rows.Column(
            ("here",), tuple("" if isinstance(e, str) or not isfinite(e.ratio) else significant(e.ratio) for e in entries)
        ),
    ]
    with style.settings():
        figure = style.new_figure(space.width, height)
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        left = rows.labels_width(labels)
        edge = space.width - sum(column.width for column in written) - 0.02
        _draw(sheet.axes(left, edge), sheet, entries, axis)
        sheet.columns(written, edge)
        rows.write_notes(figure, lines)
    return figure, DataFrame([asdict(pair) for pair in pairs])[list(COLUMNS)]


def _draw(axes: Axes, sheet: rows.Sheet, entries: Sequence[Pair | str], axis: str) -> None:
    axes.set_xscale("log")
    values = [1.0]
    for place, entry in zip(sheet.places, entries, strict=True):
        if isinstance(entry, str):
            continue
        seen = look(entry.implementation)
        if isfinite(entry.ratio_low) and isfinite(entry.ratio_high):
            axes.plot([entry.ratio_low, entry.ratio_high], [place, place], color=style.EDGE, linewidth=0.7)
        for value, ours in ((entry.published, False), (entry.ratio, True)):
            if isfinite(value) and value > 0:
                rows.point(axes, place, value, seen, filled=ours)
                values.append(value)
    axes.axvline(1, color="black", linewidth=0.6)
    low, high = min(values) / 1.4, max(values) * 1.4
    axes.set_xlim(low, high)
    ticks = log_ticks(low, high, 2)
    step = max(1, -(-len(ticks) // max(1, int(rows.axes_width(axes) / _TICK))))
    axes.xaxis.set_major_locator(FixedLocator(ticks[::step]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    rows.name_axis(axes, axis)
