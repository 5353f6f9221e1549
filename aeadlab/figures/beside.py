"""A document's table beside ours: each number over one of its own table, since machines are decades apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.listed import listed, logarithmic
from aeadlab.figures.palette import look
from aeadlab.units import significant

COLUMNS: Final = (
    "group", "label", "implementation", "published_value", "published_unit", "published", "value", "ratio",
    "ratio_low", "ratio_high",
)  # fmt: skip


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
        Seconds, measured.
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

    def paint(sheet: rows.Sheet, axes: Axes) -> None:
        axes.axvline(1, color="black", linewidth=0.6)
        for place, entry in zip(sheet.places, entries, strict=True):
            if isinstance(entry, Pair):
                _draw(axes, place, entry)
        logarithmic(axes, [1.0, *(value for pair in pairs for value in (pair.published, pair.ratio))])
        rows.name_axis(axes, axis)

    columns = [_column(("there",), entries, "published"), _column(("here",), entries, "ratio")]
    hollow = f"Hollow: the document's. Filled: here, with 95 % intervals. {note}"
    figure = listed(labels, columns, hollow, space, paint)
    return figure, DataFrame([asdict(pair) for pair in pairs])[list(COLUMNS)]


def _column(heading: tuple[str, ...], entries: Sequence[Pair | str], field: str) -> rows.Column:
    values = [nan if isinstance(entry, str) else float(getattr(entry, field)) for entry in entries]
    return rows.Column(heading, tuple(significant(value) if isfinite(value) else "" for value in values))


def _draw(axes: Axes, place: float, pair: Pair) -> None:
    seen = look(pair.implementation)
    if isfinite(pair.ratio_low) and isfinite(pair.ratio_high):
        axes.plot([pair.ratio_low, pair.ratio_high], [place, place], color=style.EDGE, linewidth=0.7)
    for value, ours in ((pair.published, False), (pair.ratio, True)):
        if isfinite(value):
            rows.point(axes, place, value, seen, filled=ours)
