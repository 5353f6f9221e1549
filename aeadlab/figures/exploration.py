"""What was explored: the speed of each case, and how its samples lie around their median."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from pandas import DataFrame

from aeadlab.conditions import CONDITIONS, in_words, shared, varied
from aeadlab.errors import UnknownNameError
from aeadlab.figures import rows, style
from aeadlab.figures.palette import look
from aeadlab.stats import LIMITS, medians
from aeadlab.stats.selection import counted
from aeadlab.units import significant, time_unit

_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5

_LOGARITHMIC_FROM: Final = 50.0
"""Largest over smallest median from which the small ones could not be told apart on an axis that starts at 0."""

_LEAST_REACH: Final = 1.0
"""Percent that the axis of the samples reaches at least, or the clock's own grain would fill it."""


@dataclass(frozen=True)
class Quantity:
    """What the medians may be shown in.

    Attributes
    ----------
    column
        Of the table; its interval is in those that end in ``_low`` and ``_high``.
    unit
        Factor and name for the largest value shown.
    """

    column: str
    name: str
    unit: Callable[[float], tuple[float, str]]


def _time_unit(longest: float) -> tuple[float, str]:
    seconds, name = time_unit(longest)
    return 1 / seconds, name


QUANTITIES: Final[Mapping[str, Quantity]] = {
    "speed": Quantity("gib_per_s", "speed", lambda _: (1.0, "GiB/s")),
    "share of memcpy": Quantity("share", "share of memcpy", lambda _: (100.0, "%")),
    "time": Quantity("seconds", "time of a message", _time_unit),
    "cycles": Quantity("cycles_per_byte", "time", lambda _: (1.0, "TSC cycles/byte")),
}
"""By the names by which they are chosen."""


def exploration(samples: DataFrame, venue: str = "lncs", quantity: str = "speed") -> tuple[Figure, DataFrame]:
    """Draw the median of each case with its interval, and the times of its samples relative to their median.

    A point is a median, its bar the median's 95 % interval, a dashed line memcpy of the same size and threads. Samples
    stand in the order in which they were taken, the first at the top of their row, so that a drift or a second mode can
    be seen.

    Parameters
    ----------
    samples
        Of a record: one row per sample.
    venue
        One of `aeadlab.figures.style.VENUES`.
    quantity
        One of `QUANTITIES`: what the medians are shown in.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        See `aeadlab.stats.medians`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If no sample counts.
    aeadlab.errors.UnknownNameError
        If there is no such venue or quantity.
    """
    space = style.venue(venue)
    if quantity not in QUANTITIES:
        raise UnknownNameError(f"{quantity!r} is not shown; {', '.join(QUANTITIES)} are")
    shown = QUANTITIES[quantity]
    table = medians(samples)
    entries = _entries(table)
    labels = [entry.label for entry in entries]
    common = shared(table)
    notes = [f"{common[:1].upper()}{common[1:]}. Points: median with its 95 % interval; dashed: memcpy."]
    notes.append("Samples: time against their median, the first at the top; triangles lie beyond the axis.")
    beside = space.width >= style.BESIDE_FROM
    lines = [line for note in notes for line in rows.wrapped(note, space.width - 0.04)]
    sheets = [labels] if beside else [labels, labels]
    fixed = len(sheets) * (_HEAD + _AXIS) + style.LINE * len(lines) + 0.04
    pitch = rows.pitch(sheets, space.height - _CAPTION - fixed)
    height = fixed + sum(rows.sheet_height(sheet, pitch) for sheet in sheets)
    with style.settings():
        figure = style.new_figure(space.width, height)
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        columns = _columns(entries, shown)
        left = rows.labels_width(labels)
        room = space.width - left - sum(column.width for column in columns)
        edge = left + (0.5 * room if beside else room - 0.02)
        _draw_medians(sheet.axes(left, edge), sheet, entries, shown)
        edge = sheet.columns(columns, edge)
        if not beside:
            sheet = rows.Sheet(figure, labels, sheet.bottom + _AXIS + _HEAD, pitch)
            edge = left - 0.12
        _draw_samples(sheet.axes(edge + 0.12, space.width - 0.1), sheet, entries, samples)
        rows.write_notes(figure, lines)
    return figure, table


@dataclass(frozen=True)
class _Entry:
    """A row of the figure: its label, and the row of the table that it shows, None for a heading."""

    label: rows.Label
    row: Any = None


def _entries(table: DataFrame) -> list[_Entry]:
    """The rows under the conditions that they share, where these were varied."""
    conditions = varied(table)
    entries: list[_Entry] = []
    for words, group in groupby(table.to_dict("records"), key=lambda row: in_words(row, conditions)):
        if conditions:
            entries.append(_Entry(rows.Label(words, heading=True)))
        entries += [_Entry(rows.Label(row["implementation"]), row) for row in group]
    return entries


def _columns(entries: Sequence[_Entry], shown: Quantity) -> list[rows.Column]:
    scale, unit = _unit(entries, shown)
    numbers = [(shown.column, scale, (unit,) if len(unit) < 8 else tuple(unit.split()))]
    if shown.column != "share":
        numbers.append(("share", 100.0, ("% of", "memcpy")))
    return [
        rows.Column(heading, tuple("" if e.row is None else _number(factor * e.row[column]) for e in entries))
        for column, factor, heading in numbers
    ]


def _number(value: float) -> str:
    return significant(value) if np.isfinite(value) else ""


def _unit(entries: Sequence[_Entry], shown: Quantity) -> tuple[float, str]:
    values = [entry.row[shown.column] for entry in entries if entry.row is not None]
    return shown.unit(max(filter(np.isfinite, values), default=1.0))


def _draw_medians(axes: Axes, sheet: rows.Sheet, entries: Sequence[_Entry], shown: Quantity) -> None:
    scale, unit = _unit(entries, shown)
    reach = [0.0]
    for place, limit, row in _rows(sheet, entries):
        if limit is not None:
            line = scale * (1.0 if shown.column == "share" else limit[shown.column])
            # From row to row, so that the segments of one limit make one line.
            half = sheet.pitch / 2
            axes.plot([line] * 2, [place - half, place + half], color="black", linewidth=0.7, linestyle="--")
            reach.append(line)
        ends = [scale * row[f"{shown.column}{end}"] for end in ("", "_low", "_high")]
        if not np.isfinite(ends[0]):
            continue
        value, low, high = ends
        seen = look(row["implementation"])
        if np.isfinite(low) and np.isfinite(high):
            axes.plot([low, high], [place] * 2, color="#1A1A1A", linewidth=0.9, solid_capstyle="butt")
        rows.point(axes, place, value, seen, filled=True)
        reach += [end for end in ends if np.isfinite(end)]
    least = min(filter(None, reach), default=1.0)
    if max(reach) > _LOGARITHMIC_FROM * least:
        axes.set_xscale("log")
        axes.set_xlim(least / 1.3, 1.3 * max(reach))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_xlim(0, 1.06 * max(reach) or 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(max(2, int(rows.axes_width(axes) / 0.3)), steps=[1, 2, 2.5, 5, 10]))
    rows.name_axis(axes, f"{shown.name} ({unit})")


def _draw_samples(axes: Axes, sheet: rows.Sheet, entries: Sequence[_Entry], samples: DataFrame) -> None:
    keys = ["implementation", *CONDITIONS]
    taken = samples[counted(samples) & (samples["replica"] == 0)].sort_values(["round"], kind="stable")
    groups = {key: group for key, group in taken.groupby(keys, observed=True)["seconds"]}
    found = []
    for place, _, row in _rows(sheet, entries):
        times = groups[tuple(row[key] for key in keys)].to_numpy(dtype=float)
        found.append((place, row, 100 * (times / row["seconds"] - 1)))
    # The middle nine tenths of the widest row fill the axis: one sample that took twice as long would hide all others.
    reach = max([_LEAST_REACH, *(1.3 * float(np.abs(np.quantile(off, (0.05, 0.95))).max()) for _, _, off in found)])
    axes.axvline(0, color="black", linewidth=0.6)
    for place, row, off in found:
        heights = place + sheet.pitch * (np.linspace(-0.36, 0.36, len(off)) if len(off) > 1 else np.zeros(1))
        colour = look(row["implementation"]).colour
        for marker, size, those in (("o", 2.2, abs(off) <= reach), ("<", 2.6, off < -reach), (">", 2.6, off > reach)):
            drawn = np.clip(off[those], -reach, reach)
            axes.plot(
                drawn, heights[those], marker, markersize=size, mfc=colour, mec="#1A1A1A", mew=0.25, clip_on=False
            )
    axes.set_xlim(-reach, reach)
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(rows.axes_width(axes) / 0.4)), symmetric=True))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda off, _: f"{off:+g}".replace("-", "\N{MINUS SIGN}") if off else "0")
    )
    rows.name_axis(axes, "time of each sample (% off the median)")


def _rows(sheet: rows.Sheet, entries: Sequence[_Entry]) -> list[tuple[float, Any, Any]]:
    """Place, row of the memory limit (None where there is none) and own row of each entry that is no heading."""

    def conditions(row: Any) -> tuple[Any, ...]:
        return row["bytes"], row["threads"], row["placement"], row["cache"]

    limits: dict[tuple[Any, ...], Any] = {}
    for row in (entry.row for entry in entries if entry.row is not None and _is_limit(entry.row)):
        # The fastest, as `aeadlab.stats.roofline_share` has it.
        if row["seconds"] < limits.get(conditions(row), {"seconds": np.inf})["seconds"]:
            limits[conditions(row)] = row
    placed = zip(sheet.places, (entry.row for entry in entries), strict=True)
    return [(place, limits.get(conditions(row)), row) for place, row in placed if row is not None]


def _is_limit(row: Any) -> bool:
    return bool(LIMITS.get(row["placement"]) == row["implementation"])
