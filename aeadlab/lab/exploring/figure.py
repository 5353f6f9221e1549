"""The explorer's figure: the median of each case, and the distribution of its samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from pandas import DataFrame, Series, concat

from aeadlab.display import names
from aeadlab.display.conditions import CONDITIONS, in_words, shared, varied
from aeadlab.display.nearest import hint
from aeadlab.display.units import significant, time_unit
from aeadlab.errors import UnknownNameError
from aeadlab.figures import rows, style
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.rows import LabelledRow, RowLayout
from aeadlab.figures.ticks import axes_width, set_linear_ticks
from aeadlab.stats import medians
from aeadlab.stats.interval import within_processes
from aeadlab.stats.roofline import LIMIT_COLUMNS, limits_in_words
from aeadlab.stats.selection import counted

_LOG_SCALE_RATIO: Final = 50.0
"""Ratio of the largest to the smallest value from which the axis is logarithmic."""

_LEAST_RANGE: Final = 1.0
"""Smallest range of the axis of samples in percent, so that it does not show the resolution of the clock."""

_CLIPPED_FROM: Final = 0.99
"""Quantile of the samples of all cases at which their axis ends, so that a few slow ones do not hide the others."""


@dataclass(frozen=True)
class Quantity:
    """A quantity in which the medians can be drawn."""

    column: str
    """Column of the table; its interval is in the columns with the suffixes ``_low`` and ``_high``."""
    name: str
    unit: Callable[[float], tuple[float, str]]
    """Returns factor and name of the unit for the largest value drawn."""


def _time_unit(longest: float) -> tuple[float, str]:
    seconds, name = time_unit(longest)
    return 1 / seconds, name


QUANTITIES: Final[Mapping[str, Quantity]] = {
    "speed": Quantity("gib_per_s", "speed", lambda _: (1.0, "GiB/s")),
    "share of memcpy": Quantity("share", "share of memcpy", lambda _: (100.0, "%")),
    "time": Quantity("seconds", "time of a message", _time_unit),
    "cycles": Quantity("cycles_per_byte", "time", lambda _: (1.0, "TSC cycles/byte")),
}
"""Quantities by name."""


def exploration(samples: DataFrame, venue: str = "lncs", quantity: str = "speed") -> tuple[Figure, DataFrame]:
    """Draw the median of each case with its interval, and the times of its samples relative to their median.

    A point is a median, its bar the median's 95 % interval, a dashed line the memory limit of the same size and thread
    count.
    Samples are in the order of measurement, the first at the top of their row, so that drift and modes are visible.
    Their axis ends at the 99th percentile of all, and a note states the number beyond it and the largest.
    The medians are of one of `QUANTITIES`; the table is that of `aeadlab.stats.medians`.
    """
    space = style.venue(venue)
    if quantity not in QUANTITIES:
        listed = f"available quantities: {', '.join(QUANTITIES)}"
        raise UnknownNameError(f"there is no quantity {quantity!r}; {hint(quantity, QUANTITIES, listed)}")
    shown = QUANTITIES[quantity]
    table = medians(samples)
    entries = _entries(table)
    labels = [entry.label for entry in entries]
    common, limits = shared(table), limits_in_words(table["limit"])
    notes = [f"{common[:1].upper()}{common[1:]}. Points: median with its 95 % interval; dashed: {limits}."]
    notes += filter(None, [within_processes(int(table["processes"].max()))])
    deviations = _deviations(table, samples)
    ends = _ends(deviations["percent"])
    notes.append(_sample_note(deviations["percent"], ends[1]))
    side_by_side = space.width >= style.WIDE_COLUMN
    lines = [line for note in notes for line in rows.wrap(note, space.width - 0.04)]
    lists = [labels] if side_by_side else [labels, labels]
    fixed = len(lists) * (rows.HEADING + rows.AXIS) + style.LINE * len(lines) + 0.04
    pitch = rows.fit_pitch(lists, space.height - rows.CAPTION - fixed)
    height = fixed + sum(rows.rows_height(list_, pitch) for list_ in lists)
    with style.settings():
        figure = style.new_figure(space.width, height)
        layout = rows.RowLayout(figure, labels, rows.HEADING, pitch)
        columns = _columns(entries, shown)
        left = rows.labels_width(labels)
        room = space.width - left - sum(column.width for column in columns)
        edge = left + (0.5 * room if side_by_side else room - 0.02)
        _draw_medians(layout.add_axes(left, edge), layout, entries, shown)
        edge = layout.write_columns(columns, edge)
        if not side_by_side:
            layout = rows.RowLayout(figure, labels, layout.bottom + rows.AXIS + rows.HEADING, pitch)
            edge = left - 0.12
        _draw_samples(layout.add_axes(edge + 0.12, space.width - 0.1), layout, entries, deviations, ends)
        rows.write_notes(figure, lines)
    return figure, table


def _entries(table: DataFrame) -> list[LabelledRow]:
    """Return the rows, under headings for the conditions that vary."""
    conditions = varied(table)
    entries: list[LabelledRow] = []
    for heading, group in groupby(table.to_dict("records"), key=lambda row: in_words(row, conditions)):
        if conditions:
            entries.append(LabelledRow(rows.Label(heading, heading=True)))
        entries += [LabelledRow(rows.Label(names.in_words(row["implementation"])), row) for row in group]
    return entries


def _columns(entries: Sequence[LabelledRow], shown: Quantity) -> list[rows.Column]:
    scale, unit = _unit(entries, shown)
    numbers = [(shown.column, scale, (unit,) if len(unit) < 8 else tuple(unit.split()))]
    if shown.column != "share":
        numbers.append(("share", 100.0, ("% of", "memcpy")))
    return [
        rows.Column(
            heading, tuple("" if entry.row is None else _number(factor * entry.row[column]) for entry in entries)
        )
        for column, factor, heading in numbers
    ]


def _number(value: float) -> str:
    return significant(value) if np.isfinite(value) else ""


def _unit(entries: Sequence[LabelledRow], shown: Quantity) -> tuple[float, str]:
    values = [entry.row[shown.column] for entry in entries if entry.row is not None]
    return shown.unit(max(filter(np.isfinite, values), default=1.0))


def _draw_medians(axes: Axes, layout: RowLayout, entries: Sequence[LabelledRow], shown: Quantity) -> None:
    scale, unit = _unit(entries, shown)
    drawn = [0.0]
    for y, limit, row in _placed_rows(layout, entries):
        if limit is not None:
            line = scale * limit[shown.column]
            if shown.column == "share" and np.isnan(line):
                line = scale
            # The segments of adjacent rows with the same limit join into one line.
            half = layout.pitch / 2
            axes.plot([line] * 2, [y - half, y + half], color="black", linewidth=0.7, linestyle="--")
            drawn.append(line)
        values = [scale * row[f"{shown.column}{end}"] for end in ("", "_low", "_high")]
        value, low, high = values
        if not np.isfinite(value):
            continue
        if np.isfinite(low) and np.isfinite(high):
            axes.plot([low, high], [y] * 2, color=style.EDGE, linewidth=0.9, solid_capstyle="butt")
        rows.draw_point(axes, y, value, appearance_of(row["implementation"]), filled=True)
        drawn += [end for end in values if np.isfinite(end)]
    least = min(filter(None, drawn), default=1.0)
    if max(drawn) > _LOG_SCALE_RATIO * least:
        axes.set_xscale("log")
        axes.set_xlim(least / 1.3, 1.3 * max(drawn))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_xlim(0, 1.06 * max(drawn) or 1.0)
        set_linear_ticks(axes)
    rows.label_axis(axes, f"{shown.name} ({unit})")


def _draw_samples(
    axes: Axes, layout: RowLayout, entries: Sequence[LabelledRow], samples: DataFrame, ends: tuple[float, float]
) -> None:
    low, high = ends
    points = samples.assign(
        y=np.array([y for y, _, _ in _placed_rows(layout, entries)])[samples["row"]] + layout.pitch * samples["offset"],
        beyond=np.where(samples["percent"] > high, "above", "inside"),
        percent=samples["percent"].clip(upper=high),
    )
    axes.axvline(0, color="black", linewidth=0.6)
    seaborn.scatterplot(
        points, x="percent", y="y",
        hue="implementation", palette={name: appearance_of(name).colour for name in points["implementation"].unique()},
        style="beyond", markers={"inside": "o", "above": ">"}, s=5.0, edgecolor=style.EDGE,
        linewidth=0.25, clip_on=False, legend=False, ax=axes,
    )  # fmt: skip
    axes.set_ylabel("")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(axes_width(axes) / 0.4))))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda percent, _: f"{percent:+g}".replace("-", "\N{MINUS SIGN}") if percent else "0")
    )
    rows.label_axis(axes, "samples (% off the median)")


def _deviations(table: DataFrame, samples: DataFrame) -> DataFrame:
    """Return each sample of the cases of a table with its position.

    Returns
    -------
    pandas.DataFrame
        ``percent`` off the case's median, ``row`` of the table, ``offset`` in the row from -0.36 to 0.36 in the order
        of measurement, and ``implementation``.
    """
    keys = ["implementation", *CONDITIONS]
    used = samples[counted(samples) & (samples["replica"] == 0)].sort_values(["round"], kind="stable")
    groups = {key: group for key, group in used.groupby(keys, observed=True)["seconds"]}
    frames = []
    for number, row in enumerate(table.to_dict("records")):
        percent = 100 * (groups[tuple(row[key] for key in keys)].to_numpy(dtype=float) / row["seconds"] - 1)
        offset = np.linspace(-0.36, 0.36, len(percent)) if len(percent) > 1 else np.zeros(1)
        frames.append(DataFrame({"percent": percent, "row": number, "offset": offset}))
        frames[-1]["implementation"] = row["implementation"]
    return concat(frames, ignore_index=True)


def _ends(percent: Series[float]) -> tuple[float, float]:
    """Return the ends of the axis of samples: the fastest sample, and the 99th percentile."""
    # An observed sample, because between two of them one slow sample of a few would still set the end.
    high = percent.quantile(_CLIPPED_FROM, "lower")
    return min(float(percent.min()), -_LEAST_RANGE / 2), max(float(high), _LEAST_RANGE / 2)


def _sample_note(percent: Series[float], high: float) -> str:
    beyond = percent[percent > high]
    note = "Samples: time against their median, the first at the top."
    if beyond.empty:
        return note
    number = f"{len(beyond)} of {len(percent)} {'lies' if len(beyond) == 1 else 'lie'} beyond it (triangles)"
    return f"{note} The axis ends at their 99th percentile; {number}, up to {significant(beyond.max())} % above."


def _placed_rows(layout: RowLayout, entries: Sequence[LabelledRow]) -> list[tuple[float, Any, Any]]:
    """Return position, row of the memory limit (None where unknown) and table row of each entry but headings."""
    placed = [(y, entry.row) for y, entry in zip(layout.positions, entries, strict=True) if entry.row is not None]
    conditions = itemgetter(*LIMIT_COLUMNS)
    # The last of equal conditions remains, the fastest as in `aeadlab.stats.roofline_share`.
    ordered = sorted((row for _, row in placed), key=itemgetter("seconds"), reverse=True)
    measured = {(row["implementation"], conditions(row)): row for row in ordered}
    return [(y, measured.get((_limit(row), conditions(row))), row) for y, row in placed]


def _limit(row: Any) -> str:
    """Return the implementation that limits a row; a limit is its own."""
    return row["limit"] if isinstance(row["limit"], str) else row["implementation"]
