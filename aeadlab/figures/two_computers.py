"""Two computers beside each other, relative to each one's own OpenSSL: the ETH paper's Appendix B for any two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from pandas import DataFrame

from aeadlab.figures import rows, style
from aeadlab.figures.palette import COLOURS
from aeadlab.figures.plain import each, is_baseline
from aeadlab.figures.single_threaded_table import REFERENCE
from aeadlab.figures.two_computers_table import SIDES, two_computers_table
from aeadlab.units import significant, size_name

_HEAD: Final = 0.3
_AXIS: Final = 0.36
_CAPTION: Final = 0.5
_THEIRS_FROM: Final = 4.5
"""Inches of column width in which a document's points have their numbers beside them too."""

_MOST_HEADING: Final = 0.36
"""Inches of the longest name that can stand above a column of numbers; longer ones are told below."""


@dataclass(frozen=True)
class _Mark:
    """How a computer's points look, and the letter that stands for them in text."""

    marker: str
    colour: str
    sign: str
    letter: str
    offset: float


# Different in shape, in lightness and in place, so that grey paper and any eye tell them apart.
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
    """Draw what two computers make of the same cases.

    Seconds of different machines say nothing to each other, so each time is relative to the same run's OpenSSL
    AES-256-GCM sealing the whole message in one thread. A point is the median of the ratio paired by round, with its
    95 % interval; a hollow one is a document's, relative to its own OpenSSL. Beside it stand the numbers, and the share
    of the same run's memcpy.

    Parameters
    ----------
    left_samples, right_samples
        One row per sample; see `two_computers_table` for what is taken from them.
    names
        What the computers are called.
    published
        What `aeadlab.published.load` returns for a document with single-threaded times, such as ETH.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column. What one computer has not is called absent; where there are more cases than fit
        the page, those of both computers come first.
    table
        All cases; see `two_computers_table`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a side has no such reference, or the two have no case in common.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = two_computers_table(left_samples, right_samples, names, published)
    lines = [line for note in _notes(table, names, len(table)) for line in rows.wrapped(note, space.width - 0.04)]
    # One more for the note that cases are left out.
    room = space.height - _CAPTION - _HEAD - _AXIS - style.LINE * (len(lines) + 1) - 0.04
    shown = _fitting(table, room)
    lines = [line for note in _notes(table, names, len(shown)) for line in rows.wrapped(note, space.width - 0.04)]
    entries = _entries(shown)
    labels = [entry.label for entry in entries]
    spare = room - rows.sheet_height(labels, 0.0)
    pitch = min(rows.PITCH, max(rows.LEAST_PITCH, spare / len(labels)))
    height = _HEAD + rows.sheet_height(labels, pitch) + _AXIS + style.LINE * len(lines) + 0.04
    with style.settings():
        figure = style.new_figure(space.width, height)
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        groups = _groups(entries, names, table, theirs=space.width >= _THEIRS_FROM)
        edge = space.width - 0.02 - sum(group.width for group in groups)
        _draw_points(sheet.axes(rows.labels_width(labels), edge), sheet, entries)
        for group in groups:
            edge = _write_group(sheet, group, edge)
        rows.write_notes(figure, lines)
    return figure, table


@dataclass(frozen=True)
class _Entry:
    """A row of the figure: its label, and the row of the table that it shows, None for a heading."""

    label: rows.Label
    row: Any = None


def _fitting(table: DataFrame, room: float) -> DataFrame:
    """As many cases as fit into so many inches: those of both computers first, then the fewest and most threads."""
    usual = table["threads"].isin([table["threads"].min(), table["threads"].max()])
    both = table["left_status"].eq("ok") & table["right_status"].eq("ok")
    order = table.assign(_both=~both, _usual=~usual).sort_values(["_both", "_usual"], kind="stable").index
    count = len(table)
    while count > 1 and _least_height(table.loc[sorted(order[:count])]) > room:
        count -= 1
    return table.loc[sorted(order[:count])]


def _least_height(table: DataFrame) -> float:
    headings = table["implementation"].nunique()
    labels = [rows.Label("", heading=True)] * headings + [rows.Label("")] * len(table)
    return rows.sheet_height(labels, rows.LEAST_PITCH)


def _entries(table: DataFrame) -> list[_Entry]:
    """Rows under the heading of their implementation."""
    split = table[table["engine"] == "parsplit"]
    several = {column for column in ("threads", "schedule") if split[column].nunique() > 1}
    usual = table["model"].mode()
    entries: list[_Entry] = []
    heading = None
    for row in each(table):
        group = "baselines" if is_baseline(row.implementation) else row.implementation
        if group != heading:
            entries.append(_Entry(rows.Label(group, heading=True)))
        heading = group
        label = row.implementation.removeprefix("baseline/") if group == "baselines" else row.op
        if row.engine == "parsplit":
            label = f"  ParSplit {size_name(row.block_size)}"
            label += f", {row.schedule}" * ("schedule" in several)
        if row.threads > 1 or (row.engine == "parsplit" and "threads" in several):
            label += f" \N{MULTIPLICATION SIGN}{row.threads}"
        label += f" ({row.model})" * (row.model != usual.iloc[0])
        entries.append(_Entry(rows.Label(label), row))
    return entries


def _draw_points(axes: Axes, sheet: rows.Sheet, entries: Sequence[_Entry]) -> None:
    axes.set_xscale("log")
    reach = [1.0]
    for place, entry in zip(sheet.places, entries, strict=True):
        row = entry.row
        if row is None:
            continue
        if isfinite(row.published_relative_time):
            reach.append(row.published_relative_time)
            axes.plot(
                [row.published_relative_time],
                [place],
                "s",
                markersize=5.2,
                mfc="none",
                mec=style.EDGE,
                mew=0.6,
                zorder=2.5,
            )
        for side, mark in zip(SIDES, _MARKS, strict=True):
            value, low, high = (getattr(row, f"{side}_relative_time{end}") for end in ("", "_low", "_high"))
            if not isfinite(value):
                continue
            y = place + mark.offset * sheet.pitch
            reach += [end for end in (value, low, high) if isfinite(end)]
            if isfinite(low) and isfinite(high):
                axes.plot([low, high], [y, y], color=mark.colour, linewidth=0.9, zorder=2.6)
            axes.plot([value], [y], mark.marker, markersize=2.8, mfc=mark.colour, mec=style.EDGE, mew=0.3, zorder=3)
    axes.axvline(1, color="black", linewidth=0.6)
    low, high = min(reach) / 1.3, max(reach) * 1.3
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(
        FixedLocator(_ticks(low, high, axes.get_position().width * sheet.figure.get_figwidth()))
    )
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("time (\N{MULTIPLICATION SIGN} OpenSSL)", labelpad=2, loc="right")


def _ticks(low: float, high: float, width: float) -> list[float]:
    """Powers of ten, with 2 and 5 between where so many inches have room for them."""
    fine = [float(f"{step}e{power}") for power in range(-4, 5) for step in (1, 2, 5)]
    found = [tick for tick in fine if low <= tick <= high]
    return found if len(found) <= width / 0.19 else [tick for tick in found if f"{tick:e}".startswith("1")]


@dataclass(frozen=True)
class _Group:
    """Columns under a common heading."""

    heading: str
    columns: tuple[rows.Column, ...]

    @property
    def room(self) -> float:
        """Inches that the columns take."""
        return sum(column.width for column in self.columns)

    @property
    def width(self) -> float:
        """Inches with the space before it."""
        return 0.06 + max(self.room, style.text_width(self.heading) + 0.04)


def _groups(entries: Sequence[_Entry], names: Sequence[str], table: DataFrame, theirs: bool) -> list[_Group]:
    """Relative times of both computers, and if wanted the document's; shares of memcpy of both."""
    headings = [_heading(name, mark) for name, mark in zip(names, _MARKS, strict=True)]
    times, shares = (
        [
            rows.Column((heading,), tuple(text(entry.row, side) for entry in entries))
            for heading, side in zip(headings, SIDES, strict=True)
        ]
        for text in (_relative, _share)
    )
    for document in sorted(set(table["published_document"].dropna())) if theirs else ():
        cells = ("" if entry.row is None else _number(entry.row.published_relative_time) for entry in entries)
        times.append(rows.Column((str(document),), tuple(cells)))
    return [
        _Group("time (\N{MULTIPLICATION SIGN} OpenSSL)", tuple(times)),
        _Group("% of memcpy", tuple(shares)),
    ]


def _write_group(sheet: rows.Sheet, group: _Group, left: float) -> float:
    right = left + group.width
    sheet.heading(right - (group.width - 0.06) / 2, (group.heading, ""), "center")
    edge = right - group.room
    for column in group.columns:
        edge += column.width
        sheet.column(edge, column)
    return right


def _heading(name: str, mark: _Mark) -> str:
    return name if style.text_width(name) <= _MOST_HEADING else mark.letter


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


def _notes(table: DataFrame, names: Sequence[str], shown: int) -> list[str]:
    about = []
    for name, side, mark in zip(names, SIDES, _MARKS, strict=True):
        called = name if _heading(name, mark) == name else f"{mark.letter}: {name}"
        about.append(f"{mark.sign} {called}, {size_name(int(table[f'{side}_bytes'].dropna().iloc[0]))}")
    documents = table.dropna(subset=["published_document"])
    if not documents.empty:
        first = documents.iloc[0]
        size, hardware = size_name(int(first["published_bytes"])), first["published_hardware"]
        about.append(f"\N{WHITE SQUARE} {first['published_document']}: {hardware}, {size}")
    notes = [
        f"{'; '.join(about)}. Time relative to {REFERENCE} sealing the whole message in one thread in the same run: "
        "median with its 95 % interval. Share of memcpy with as many threads in the same run."
    ]
    if len({int(table[f"{side}_bytes"].dropna().iloc[0]) for side in SIDES}) > 1:
        notes.append("The messages differ in length: relations may differ by that too.")
    if shown < len(table):
        notes.append(f"{shown} of {len(table)} cases; the table has all.")
    return notes
