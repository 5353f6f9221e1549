"""Two computers side by side, each relative to its own OpenSSL, after Appendix B of the ETH paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.comparison.computers_table import SIDES, two_computers_table
from aeadlab.dimensions import BASELINE
from aeadlab.display.units import significant, size_name
from aeadlab.figures import rows, style
from aeadlab.figures.palette import COLOURS
from aeadlab.figures.rows import LabelledRow, RowLayout
from aeadlab.figures.ticks import axes_width, set_ticks
from aeadlab.stats.selection import is_baseline, named_rows
from aeadlab.studies.eth.baselines.table import REFERENCE

_HEADING: Final = 0.3
"""Inches above the first row, for two lines of column headings."""

_LONGEST_HEADING: Final = 0.36
"""Width in inches of the longest name that fits above a column; for a longer one the heading is a letter."""


@dataclass(frozen=True)
class _Mark:
    """Appearance of a computer's points, and the letter that abbreviates its name."""

    marker: str
    colour: str
    sign: str
    letter: str
    offset: float


# The marks differ in shape, lightness and position, so that they are distinguishable without colour.
_MARKS: Final = (
    _Mark("o", COLOURS[1], "\N{BLACK CIRCLE}", "A", -0.2),
    _Mark("D", COLOURS[5], "\N{BLACK DIAMOND}", "B", 0.2),
)


def two_computers(
    left_samples: DataFrame,
    right_samples: DataFrame,
    names: tuple[str, str] = ("left", "right"),
    published: DataFrame | None = None,
    venue: str = "lncs",
) -> tuple[Figure, DataFrame]:
    """Draw the relative times of two computers for the same cases.

    Absolute times of different machines are not comparable, so each time is relative to the same run's OpenSSL
    AES-256-GCM sealing the whole message in one thread. A point is the median of the ratio paired by round, with its
    95 % interval; a hollow one is published, relative to the document's own OpenSSL. The columns have the same numbers
    and the share of the same run's memcpy.

    Parameters
    ----------
    left_samples, right_samples
        As stored in a record; see `two_computers_table` for the cases used.
    names
        Names of the computers.
    published
        `aeadlab.verdicts.published.load` of a document with single-threaded times, such as ETH.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column. A case that only one computer has is called absent for the other; where not all
        cases fit on the page, those of both computers have priority.
    table
        All cases; see `two_computers_table`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a record has no such reference, or the two have no case in common.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = two_computers_table(left_samples, right_samples, names, published)
    # One more line for the note on omitted cases.
    lines = _note_lines(table, names, len(table), space)
    room = space.height - rows.CAPTION - _HEADING - rows.AXIS - style.LINE * (len(lines) + 1) - 0.04
    shown = _fitting(table, room)
    lines = _note_lines(table, names, len(shown), space)
    entries = _entries(shown)
    labels = [entry.label for entry in entries]
    pitch = rows.fit_pitch([labels], room)
    height = _HEADING + rows.rows_height(labels, pitch) + rows.AXIS + style.LINE * len(lines) + 0.04
    with style.settings():
        figure = style.new_figure(space.width, height)
        layout = RowLayout(figure, labels, _HEADING, pitch)
        groups = _groups(entries, names, table, with_published=space.width >= style.WIDE_COLUMN)
        edge = space.width - 0.02 - sum(group.width for group in groups)
        _draw_points(layout.add_axes(rows.labels_width(labels), edge), layout, entries)
        for group in groups:
            edge = _write_group(layout, group, edge)
        rows.write_notes(figure, lines)
    return figure, table


def _fitting(table: DataFrame, room: float) -> DataFrame:
    """Return the cases that fit into `room` inches: first those of both computers, then extreme thread counts."""
    extreme = table["threads"].isin([table["threads"].min(), table["threads"].max()])
    both = table["left_status"].eq("ok") & table["right_status"].eq("ok")
    order = table.assign(_other=~both, _middle=~extreme).sort_values(["_other", "_middle"], kind="stable").index
    count = len(table)
    while count > 1 and _least_height(table.loc[sorted(order[:count])]) > room:
        count -= 1
    return table.loc[sorted(order[:count])]


def _least_height(table: DataFrame) -> float:
    headings = table["implementation"].nunique()
    labels = [rows.Label("", heading=True)] * headings + [rows.Label("")] * len(table)
    return rows.rows_height(labels, rows.LEAST_PITCH)


def _entries(table: DataFrame) -> list[LabelledRow]:
    """Return the rows under the heading of their implementation."""
    split = table[table["engine"] == "parsplit"]
    varied = {column for column in ("threads", "schedule") if split[column].nunique() > 1}
    usual_model = table["model"].mode().iloc[0]
    entries: list[LabelledRow] = []
    heading = None
    for row in named_rows(table):
        group = "baselines" if is_baseline(row.implementation) else row.implementation
        if group != heading:
            entries.append(LabelledRow(rows.Label(group, heading=True)))
        heading = group
        label = row.implementation.removeprefix(BASELINE) if group == "baselines" else row.op
        if row.engine == "parsplit":
            label = f"  ParSplit {size_name(row.block_size)}"
            label += f", {row.schedule}" * ("schedule" in varied)
        if row.threads > 1 or (row.engine == "parsplit" and "threads" in varied):
            label += f" \N{MULTIPLICATION SIGN}{row.threads}"
        label += f" ({row.model})" * (row.model != usual_model)
        entries.append(LabelledRow(rows.Label(label), row))
    return entries


def _draw_points(axes: Axes, layout: RowLayout, entries: Sequence[LabelledRow]) -> None:
    axes.set_xscale("log")
    drawn = [1.0]
    hollow: dict[str, Any] = {"markersize": 5.2, "mfc": "none", "mec": style.EDGE, "mew": 0.6, "zorder": 2.5}
    for position, entry in zip(layout.positions, entries, strict=True):
        row = entry.row
        if row is None:
            continue
        if isfinite(row.published_relative_time):
            drawn.append(row.published_relative_time)
            axes.plot([row.published_relative_time], [position], "s", **hollow)
        for side, mark in zip(SIDES, _MARKS, strict=True):
            value, low, high = (getattr(row, f"{side}_relative_time{end}") for end in ("", "_low", "_high"))
            if not isfinite(value):
                continue
            y = position + mark.offset * layout.pitch
            drawn += [end for end in (value, low, high) if isfinite(end)]
            if isfinite(low) and isfinite(high):
                axes.plot([low, high], [y, y], color=mark.colour, linewidth=0.9, zorder=2.6)
            axes.plot([value], [y], mark.marker, markersize=2.8, mfc=mark.colour, mec=style.EDGE, mew=0.3, zorder=3)
    axes.axvline(1, color="black", linewidth=0.6)
    low, high = min(drawn) / 1.3, max(drawn) * 1.3
    axes.set_xlim(low, high)
    set_ticks(axes.xaxis, _ticks(low, high, axes_width(axes)))
    axes.set_xlabel("time (\N{MULTIPLICATION SIGN} OpenSSL)", labelpad=2, loc="right")


def _ticks(low: float, high: float, width: float) -> list[float]:
    """Return powers of ten, with 2 and 5 times these where an axis of this width in inches has room for them."""
    fine = [float(f"{step}e{power}") for power in range(-4, 5) for step in (1, 2, 5)]
    ticks = [tick for tick in fine if low <= tick <= high]
    return ticks if len(ticks) <= width / 0.19 else [tick for tick in ticks if f"{tick:e}".startswith("1")]


@dataclass(frozen=True)
class _Group:
    """Columns under a shared heading."""

    heading: str
    columns: tuple[rows.Column, ...]

    @property
    def columns_width(self) -> float:
        """Width of the columns in inches."""
        return sum(column.width for column in self.columns)

    @property
    def width(self) -> float:
        """Width in inches with the space before the group."""
        return 0.06 + max(self.columns_width, style.text_width(self.heading) + 0.04)


def _groups(
    entries: Sequence[LabelledRow], names: Sequence[str], table: DataFrame, with_published: bool
) -> list[_Group]:
    """Return the columns of relative times, with the published ones if requested, and of shares of memcpy."""
    headings = [_heading(name, mark) for name, mark in zip(names, _MARKS, strict=True)]
    times, shares = (
        [
            rows.Column((heading,), tuple(text(entry.row, side) for entry in entries))
            for heading, side in zip(headings, SIDES, strict=True)
        ]
        for text in (_relative, _share)
    )
    for document in sorted(set(table["published_document"].dropna())) if with_published else ():
        cells = ("" if entry.row is None else _number(entry.row.published_relative_time) for entry in entries)
        times.append(rows.Column((str(document),), tuple(cells)))
    return [_Group("time (\N{MULTIPLICATION SIGN} OpenSSL)", tuple(times)), _Group("% of memcpy", tuple(shares))]


def _write_group(layout: RowLayout, group: _Group, left: float) -> float:
    right = left + group.width
    layout.write_heading(right - (group.width - 0.06) / 2, (group.heading, ""), "center")
    layout.write_columns(group.columns, right - group.columns_width)
    return right


def _heading(name: str, mark: _Mark) -> str:
    return name if style.text_width(name) <= _LONGEST_HEADING else mark.letter


def _relative(row: Any, side: str) -> str:
    if row is None:
        return ""
    status = getattr(row, f"{side}_status")
    if status != "ok":
        return "failed" if status.startswith("failed") else "absent"
    return _number(getattr(row, f"{side}_relative_time"))


def _share(row: Any, side: str) -> str:
    share = float("nan") if row is None else getattr(row, f"{side}_share_of_memcpy")
    return significant(100 * share, 2) if isfinite(share) else ""


def _number(value: float) -> str:
    return significant(value) if isfinite(value) else ""


def _note_lines(table: DataFrame, names: Sequence[str], shown: int, space: style.Venue) -> list[str]:
    sources = []
    for name, side, mark in zip(names, SIDES, _MARKS, strict=True):
        title = name if _heading(name, mark) == name else f"{mark.letter}: {name}"
        sources.append(f"{mark.sign} {title}, {size_name(int(table[f'{side}_bytes'].dropna().iloc[0]))}")
    documents = table.dropna(subset=["published_document"])
    if not documents.empty:
        first = documents.iloc[0]
        size, hardware = size_name(int(first["published_bytes"])), first["published_hardware"]
        sources.append(f"\N{WHITE SQUARE} {first['published_document']}: {hardware}, {size}")
    notes = [
        f"{'; '.join(sources)}. Time relative to {REFERENCE} sealing the whole message in one thread in the same run: "
        "median with its 95 % interval. Share of memcpy with as many threads in the same run."
    ]
    if len({int(table[f"{side}_bytes"].dropna().iloc[0]) for side in SIDES}) > 1:
        notes.append("The messages differ in length, which may change relative times too.")
    if shown < len(table):
        notes.append(f"{shown} of {len(table)} cases; the table has all.")
    return [line for note in notes for line in rows.wrap(note, space.width - 0.04)]
