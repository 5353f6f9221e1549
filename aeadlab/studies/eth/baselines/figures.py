"""Single-threaded times as bars: the ETH paper's Figure 2 (AEADs, and ParSplit on one thread) and Figure 3 (hashes)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pandas import DataFrame

from aeadlab.dimensions import BASELINE
from aeadlab.display.units import signed_percent, significant, size_name, time_unit
from aeadlab.figures import rows, style
from aeadlab.figures.caption import Caption
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.rows import LabelledRow
from aeadlab.figures.ticks import set_linear_ticks, set_ticks
from aeadlab.stats.roofline import COPY, limits_in_words, ordinary_limit
from aeadlab.stats.selection import is_baseline, named_rows
from aeadlab.studies.eth.baselines.table import MEMORY_LIMITS_FROM, REFERENCE, single_threaded_table
from aeadlab.studies.tables import AS_PUBLISHED
from aeadlab.verdicts import published

_DAGGER: Final = "\N{DAGGER}"
_RELATIVE_TICKS: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


_LEAST_AXIS: Final = 0.4
"""Smallest width of the axes in inches."""


def aead_bars(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time to seal and open one message on one thread, and the overhead of ParSplit.

    After Figure 2 of the ETH paper. A bar is the median, its error bar the 95 % interval of the median. An AEAD that
    reaches 0.85 of its memory limit is marked. Points are times relative to the whole-message
    seal of OpenSSL's AES-256-GCM: measured ones filled, published ones, relative to the paper's own OpenSSL, hollow.
    The table is that of `single_threaded_table`.
    """
    space = style.venue(venue)
    table = single_threaded_table(samples, ("seal", "open"), published.load("ETH"))
    notes = [
        _aead_result(table),
        "Bars: median with 95 % interval, one thread; pale: open; thin: ParSplit.",
        *_streaming_notes(table),
    ]
    if any(_is_memory_limited(row) for row in named_rows(table)):
        percent = round(100 * MEMORY_LIMITS_FROM)
        notes.append(f"{_DAGGER} at least {percent} % of {_limit_name(table)}: memory is the limit.")
    notes += [*_published_notes(table), *_dashed_notes(table)]
    return _draw(table, space, [_SPEED, _share_column(table, marked=True), _OVERHEAD], notes), table


def hash_bars(samples: DataFrame, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time to hash or authenticate one message on one thread, after Figure 3 of the ETH paper.

    The ETH paper gives 144 ms for OpenSSL's GHASH. Its counterpart here is GMAC, the only interface through which
    OpenSSL offers GHASH. Points are relative to the seal of OpenSSL's AES-256-GCM here too, and so show the share of
    authentication in it. The table is that of `single_threaded_table`.
    """
    space = style.venue(venue)
    table = single_threaded_table(samples, ("digest",), published.load("ETH"))
    ok = table[table["op"].eq("digest") & table["status"].eq("ok")].sort_values("seconds")
    result = [f"{row.implementation} is fastest: {_milliseconds(row)}." for row in named_rows(ok.head(1))]
    limit = _limit_name(table)
    notes = [*result, f"Bars: median with 95 % interval, one thread; a hash only reads, {limit} also writes."]
    notes += [*_streaming_notes(table), *_published_notes(table), *_dashed_notes(table)]
    return _draw(table, space, [_SPEED, _share_column(table)], notes), table


def _aead_result(table: DataFrame) -> str:
    """Return the time of the reference, its share of the limit, and the overhead of each block size of ParSplit."""
    own = table[table["implementation"].eq(REFERENCE) & table["op"].eq("seal") & table["status"].eq("ok")]
    whole = own[own["engine"].ne("parsplit")].head(1)
    if whole.empty:
        return f"{REFERENCE} was not measured."
    row = next(named_rows(whole))
    limit = limits_in_words([row.limit])
    share = f", {significant(100 * row.share_of_limit, 2)} % of {limit}" if np.isfinite(row.share_of_limit) else ""
    costs = [
        f"{size_name(part.block_size)} blocks cost {_percent(part.overhead_percent)} %"
        for part in named_rows(own[own["engine"].eq("parsplit")].drop_duplicates("block_size"))
        if np.isfinite(part.overhead_percent)
    ]
    return f"{REFERENCE} seals {_milliseconds(row)}{share}" + "".join(f"; {cost}" for cost in costs) + "."


def _milliseconds(row: Any) -> str:
    scale, unit = time_unit(row.seconds)
    return f"{size_name(int(row.bytes))} in {significant(row.seconds / scale)} {unit}"


def _draw(table: DataFrame, space: style.Venue, after_time: Sequence[_Column], notes: Sequence[str]) -> Figure:
    """Draw the rows of a table; a page that is too low for all leaves out those that open under ParSplit."""
    side_by_side = space.width >= style.WIDE_COLUMN
    short = table[table["engine"].ne("parsplit") | table["op"].ne("open")]
    for shown, more in ((table, []), (short, ["Opening under ParSplit is in the table."])):
        entries = _entries(shown)
        labels = [entry.label for entry in entries]
        below = [] if side_by_side else _published_entries(entries)
        caption = Caption([*notes, *more], space.width)
        lists = [labels, [entry.label for entry in below]] if below else [labels]
        fixed = len(lists) * (rows.HEADING + rows.AXIS) + caption.height
        pitch = rows.fit_pitch(lists, space.height - rows.CAPTION - fixed)
        height = fixed + sum(rows.rows_height(list_, pitch) for list_ in lists)
        if height <= space.height:
            break
    with style.settings():
        figure = style.new_figure(space.width, height)
        layout = rows.RowLayout(figure, labels, rows.HEADING, pitch)
        scale, unit = _time_unit(entries)
        time: _Column = (unit,), lambda row: significant(scale * row.seconds, 4) if row.status == "ok" else ""
        with_published = side_by_side and table["published_overhead_percent"].notna().any()
        columns = _columns(entries, [time, *after_time, *([_PUBLISHED_OVERHEAD] if with_published else [])])
        left = rows.labels_width(labels)
        room = space.width - left - sum(column.width for column in columns)
        if room < _LEAST_AXIS:
            # The speed says the same as the time.
            room += columns.pop(1).width
        edge = left + (0.47 * room if side_by_side else room - 0.02)
        _draw_bars(layout.add_axes(left, edge), layout, entries)
        edge = layout.write_columns(columns, edge)
        if side_by_side:
            _draw_points(layout.add_axes(edge + 0.12, space.width - 0.06), layout, entries)
        if below:
            layout = rows.RowLayout(figure, lists[1], layout.bottom + rows.AXIS + rows.HEADING, pitch)
            columns = _columns(below, _RELATIVE_TIMES)
            left = rows.labels_width(lists[1])
            edge = space.width - sum(column.width for column in columns) - 0.02
            _draw_points(layout.add_axes(left, edge), layout, below)
            layout.write_columns(columns, edge)
        caption.write(figure)
    return figure


def _entries(table: DataFrame) -> list[LabelledRow]:
    """Return the rows under the heading of their implementation; without headings where each has one row."""
    several_schedules = table.loc[table["engine"] == "parsplit", "schedule"].nunique() > 1
    usual_model = table["model"].mode()
    flat = not table["implementation"].duplicated().any()
    entries: list[LabelledRow] = []
    heading = None
    for row in named_rows(table):
        baseline = is_baseline(row.implementation)
        label = row.implementation if flat or baseline else row.op
        if row.engine == "parsplit" and not baseline:
            label = f"  ParSplit {size_name(row.block_size)}"
            label += f", {AS_PUBLISHED if row.model == 'rekeyed' else row.schedule}" if several_schedules else ""
        elif isinstance(row.model, str) and row.model != usual_model.iloc[0]:
            label += f" ({row.model})"
        group = "baselines" if baseline else row.implementation
        if not flat and group != heading:
            entries.append(LabelledRow(rows.Label(group, heading=True)))
        heading = group
        entries.append(LabelledRow(rows.Label(label), row))
    return entries


def _published_entries(entries: Sequence[LabelledRow]) -> list[LabelledRow]:
    """Return the rows with a published number under their headings; without headings, all with a relative time.

    Of the rows under ParSplit, those as published, where there are any.
    """
    flat = all(entry.row is not None for entry in entries)
    as_published = any(entry.row is not None and entry.row.model == "rekeyed" for entry in entries)
    kept = []
    heading = None
    for entry in entries:
        if entry.row is None:
            heading = entry
        elif as_published and entry.row.engine == "parsplit" and entry.row.model != "rekeyed":
            continue
        elif np.isfinite(entry.row.published_relative_time) or (flat and np.isfinite(entry.row.relative_time)):
            kept += [entry] if heading is None else [heading, entry]
            heading = None
    return kept


def _limit_name(table: DataFrame) -> str:
    """Return the algorithm whose speed is the limit of ciphers with ordinary stores."""
    return ordinary_limit(table.loc[table["status"] == "ok", "implementation"]).removeprefix(BASELINE)


def _dashed_notes(table: DataFrame) -> list[str]:
    """Return the meaning of the dashed line, where there is one."""
    name = _limit_name(table)
    limit = table[(table["implementation"] == f"baseline/{name}") & (table["status"] == "ok")]
    sizes = [
        f"in blocks of {size_name(int(size))}" if size else "over the whole message" for size in limit["block_size"]
    ]
    stores = " (ordinary stores)" * (f"baseline/{name}" == COPY)
    return [f"Dashed: {name}{stores}, {size}." for size in sizes]


def _streaming_notes(table: DataFrame) -> list[str]:
    """Return the implementations whose limit is not that of ordinary stores, and this limit."""
    name = _limit_name(table)
    return [
        f"{row.implementation}: % of {limits_in_words([row.limit])} (streaming stores)."
        for row in named_rows(table.drop_duplicates("implementation"))
        if isinstance(row.limit, str) and row.limit != f"baseline/{name}"
    ]


def _published_notes(table: DataFrame) -> list[str]:
    return [
        f"Points: time over that of {REFERENCE}, seal; hollow: published, {row.published_document} "
        f"({size_name(row.published_bytes)}, {row.published_hardware})."
        for row in named_rows(table.dropna(subset=["published_document"]).head(1))
    ]


def _draw_bars(axes: Axes, layout: rows.RowLayout, entries: Sequence[LabelledRow]) -> None:
    measured = [entry.row for entry in entries if entry.row is not None and entry.row.status == "ok"]
    scale, unit = _time_unit(entries)
    ends = [value for row in measured for value in (row.seconds, row.seconds_high) if np.isfinite(value)]
    if max(ends, default=0.0) >= 1:
        # Labels of four digits leave no room for three ticks.
        scale, unit = 1.0, "s"
    limit = ordinary_limit(row.implementation for row in measured)
    for number, (y, entry) in enumerate(zip(layout.positions, entries, strict=True)):
        row = entry.row
        if row is None:
            continue
        if row.status != "ok":
            rows.write_absence(axes, y, row.status.partition(":")[0])
            continue
        time, interval = scale * row.seconds, (scale * row.seconds_low, scale * row.seconds_high)
        appearance = appearance_of(row.implementation)
        pale, thin = row.op == "open", row.engine == "parsplit"
        rows.draw_bar(layout, axes, number, time, interval, appearance, pale, thin)
        if row.implementation == limit:
            axes.plot([time] * 2, [y, layout.bottom], color=appearance.colour, linewidth=0.7, linestyle="--")
    axes.set_xlim(0, 1.05 * scale * max(ends, default=1e-3))
    set_linear_ticks(axes)
    rows.label_axis(axes, f"time for {size_name(int(entries[-1].row.bytes))} ({unit})")


def _draw_points(axes: Axes, layout: rows.RowLayout, entries: Sequence[LabelledRow]) -> None:
    axes.set_xscale("log")
    values = [1.0]
    for y, entry in zip(layout.positions, entries, strict=True):
        if entry.row is None:
            continue
        appearance = appearance_of(entry.row.implementation)
        for value, measured in ((entry.row.published_relative_time, False), (entry.row.relative_time, True)):
            if np.isfinite(value):
                rows.draw_point(axes, y, value, appearance, filled=measured)
                values.append(value)
    axes.axvline(1, color="black", linewidth=0.6)
    low, high = min(values) / 1.3, max(values) * 1.3
    axes.set_xlim(low, high)
    set_ticks(axes.xaxis, [tick for tick in _RELATIVE_TICKS if low <= tick <= high])
    rows.label_axis(axes, "time (\N{MULTIPLICATION SIGN} OpenSSL)")


def _time_unit(entries: Iterable[LabelledRow]) -> tuple[float, str]:
    """Return factor and name: milliseconds, or microseconds where every time is below one millisecond."""
    measured = (entry.row for entry in entries if entry.row is not None)
    longest = max((row.seconds for row in measured if row.status == "ok"), default=1.0)
    return (1e3, "ms") if longest >= 1e-3 else (1e6, "\N{MICRO SIGN}s")


def _columns(entries: Sequence[LabelledRow], columns: Iterable[_Column]) -> list[rows.Column]:
    return [
        rows.Column(heading, tuple("" if entry.row is None else text(entry.row) for entry in entries))
        for heading, text in columns
    ]


def _percent(value: float) -> str:
    return signed_percent(value) if np.isfinite(value) else ""


def _share_column(table: DataFrame, marked: bool = False) -> _Column:
    """Return the column of the shares of the limit; with `marked` those that memory limits have a dagger."""

    def text(row: Any) -> str:
        dagger = _DAGGER * (marked and _is_memory_limited(row))
        return dagger + significant(100 * row.share_of_limit) if np.isfinite(row.share_of_limit) else ""

    return ("% of", _limit_name(table)), text


def _is_memory_limited(row: Any) -> bool:
    return bool(row.share_of_limit >= MEMORY_LIMITS_FROM) and not is_baseline(row.implementation)


_Column: TypeAlias = tuple[tuple[str, ...], Callable[[Any], str]]
"""The lines of a heading, and the function that returns the text of a cell."""

_SPEED: Final[_Column] = ("GiB/s",), lambda row: significant(row.gib_per_s) if row.status == "ok" else ""
_OVERHEAD: Final[_Column] = ("over-", "head %"), lambda row: _percent(row.overhead_percent)
_PUBLISHED_OVERHEAD: Final[_Column] = ("in ETH", "%"), lambda row: _percent(row.published_overhead_percent)
_RELATIVE_TIMES: Final[tuple[_Column, ...]] = (
    (("here",), lambda row: significant(row.relative_time)),
    (("ETH",), lambda row: significant(row.published_relative_time)),
)

FIGURES: Final = {"figure-2-aeads": aead_bars, "figure-3-hashes": hash_bars}
