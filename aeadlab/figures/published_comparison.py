"""Published numbers beside measured ones, each relative to a baseline from its own source, since machines differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, log, nan
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError
from aeadlab.figures import rows, style
from aeadlab.figures.bar_chart import row_chart
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.ticks import set_log_scale

_TIMES: Final = "\N{MULTIPLICATION SIGN}"

_NEAR: Final = 1.25
"""Factor up to which two ratios are near each other."""


@dataclass(frozen=True)
class Pair:
    """A published number and its measured counterpart.

    Attributes
    ----------
    group, label
        Heading and label of its row.
    implementation
        The one measured; selects marker and colour.
    published_value, published_unit
        As printed.
    published
        `published_value` relative to the document's baseline of the group.
    value
        Measured time in seconds.
    ratio, ratio_low, ratio_high
        `value` relative to the measured baseline, with its interval; NaN where it was not measured.
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


def published_comparison(
    pairs: Sequence[Pair], axis_label: str, note: str, venue: str = "lncs"
) -> tuple[Figure, DataFrame]:
    """Draw one row per published number: the published ratio hollow, the measured one filled with its interval.

    Results and errors are those of `aeadlab.studies.study.Draw`; the table has the fields of each pair.

    Parameters
    ----------
    pairs
        In the order of the rows; those of a group are adjacent.
    axis_label
        Names the baseline.
    note
        Hardware and age of the published numbers, for the caption, which begins with the agreement of the ratios.
    """
    space = style.venue(venue)
    if not any(isfinite(pair.ratio) for pair in pairs):
        raise EmptyFigureError("nothing of the document's table was measured")
    entries: list[Pair | str] = []
    for number, pair in enumerate(pairs):
        if not number or pairs[number - 1].group != pair.group:
            entries.append(pair.group)
        entries.append(pair)

    def draw(layout: rows.RowLayout, axes: Axes) -> None:
        axes.axvline(1, color="black", linewidth=0.6)
        for y, entry in zip(layout.positions, entries, strict=True):
            if isinstance(entry, Pair):
                _draw_pair(axes, y, entry)
        set_log_scale(axes, [1.0, *(value for pair in pairs for value in (pair.published, pair.ratio))])
        rows.label_axis(axes, axis_label)

    columns = [_column("published", entries, "published"), _column("measured", entries, "ratio")]
    sentences = [_agreement(pairs), "Hollow: published; filled: measured here, with 95 % intervals.", note]
    figure = row_chart(rows.row_labels(entries), columns, sentences, space, draw)
    return figure, DataFrame([asdict(pair) for pair in pairs])


def _agreement(pairs: Sequence[Pair]) -> str:
    """Return the number of measured ratios that are near the published ones, and the farthest ratio."""
    ratios = {pair: pair.ratio / pair.published for pair in pairs if isfinite(pair.ratio) and pair.published > 0}
    ratios = {pair: ratio for pair, ratio in ratios.items() if isfinite(ratio) and ratio > 0}
    if not ratios:
        return "No ratio was both published and measured."
    near = sum(1 / _NEAR <= ratio <= _NEAR for ratio in ratios.values())
    farthest = max(ratios, key=lambda pair: abs(log(ratios[pair])))
    return (
        f"{near} of {len(ratios)} ratios are within a factor of {_NEAR} of the published ones; farthest: "
        f"{farthest.group} {farthest.label}, {significant(farthest.published)}{_TIMES} published and "
        f"{significant(farthest.ratio)}{_TIMES} measured."
    )


def _column(heading: str, entries: Sequence[Pair | str], field: str) -> rows.Column:
    values = [nan if isinstance(entry, str) else float(getattr(entry, field)) for entry in entries]
    return rows.Column((heading, _TIMES), tuple(significant(value) if isfinite(value) else "" for value in values))


def _draw_pair(axes: Axes, y: float, pair: Pair) -> None:
    appearance = appearance_of(pair.implementation)
    if isfinite(pair.ratio_low) and isfinite(pair.ratio_high):
        axes.plot([pair.ratio_low, pair.ratio_high], [y, y], color=style.EDGE, linewidth=0.7)
    for value, measured in ((pair.published, False), (pair.ratio, True)):
        if isfinite(value):
            rows.draw_point(axes, y, value, appearance, filled=measured)
