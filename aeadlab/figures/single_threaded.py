"""Single-threaded times as bars: the ETH paper's Figure 2 (AEADs and ParSplit on one thread) and Figure 3 (hashes)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
from pandas import DataFrame

from aeadlab.figures import rows, style
from aeadlab.figures.palette import look
from aeadlab.figures.plain import MEMCPY, each, is_baseline
from aeadlab.figures.single_threaded_table import MEMORY_LIMITS_FROM, single_threaded_table
from aeadlab.units import signed_percent, significant, size_name

_DAGGER: Final = "\N{DAGGER}"
_HEAD: Final = 0.27
_AXIS: Final = 0.36
_CAPTION: Final = 0.5


def aead_bars(samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time to seal and open one message on one thread, and what ParSplit adds or saves.

    After Figure 2 of the ETH paper. A bar is the median, its error bar the median's 95 % interval. An AEAD that
    reaches 0.85 of memcpy's speed is marked: memory is the limit there. Points set times in relation to the
    whole-message seal of OpenSSL's AES-256-GCM: ours filled, the document's to its own OpenSSL hollow.

    Parameters
    ----------
    samples
        One row per sample; see `single_threaded_table` for what is taken from it.
    published
        What `aeadlab.published.load` returns for a document with single-threaded times, such as ETH.
    venue
        One of `aeadlab.figures.style.VENUES`.

    Returns
    -------
    figure
        As wide as the venue's column.
    table
        What is drawn; see `single_threaded_table`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the samples hold no such case.
    aeadlab.errors.UnknownNameError
        If there is no such venue.
    """
    space = style.venue(venue)
    table = single_threaded_table(samples, ("seal", "open"), published)
    notes = ["Bars: median with its 95 % interval, one thread; pale: open; thin: ParSplit.", *_dashed(table)]
    if any(_memory_limits(row) for row in each(table)):
        percent = round(100 * MEMORY_LIMITS_FROM)
        notes.append(f"{_DAGGER} at least {percent} % of memcpy's speed: memory is the limit there.")
    return _draw(table, space, (_times, _speeds, _marked_shares, _overheads), notes), table


def hash_bars(samples: DataFrame, published: DataFrame | None = None, venue: str = "lncs") -> tuple[Figure, DataFrame]:
    """Draw the time to hash or authenticate one message on one thread, after Figure 3 of the ETH paper.

    The ETH paper gives 144 ms for OpenSSL's GHASH; it is set beside GMAC, through which OpenSSL hands GHASH out.
    Points are relative to the seal of OpenSSL's AES-256-GCM here too, and so show the share of authentication in it.

    Parameters, returns and errors are those of `aead_bars`.
    """
    space = style.venue(venue)
    table = single_threaded_table(samples, ("digest",), published)
    notes = ["Bars: median with its 95 % interval, one thread. A hash only reads; memcpy also writes, and is no limit."]
    notes += _dashed(table)
    return _draw(table, space, (_times, _speeds, _shares), notes), table


@dataclass(frozen=True)
class _Entry:
    """A row of a figure: its label, and the row of the table that it shows, None for a heading."""

    label: rows.Label
    row: Any = None


def _draw(
    table: DataFrame, space: style.Venue, makers: Sequence[Callable[[Sequence[_Entry]], rows.Column]], notes: list[str]
) -> Figure:
    entries = _entries(table)
    labels = [entry.label for entry in entries]
    documents = table.dropna(subset=["published_document"])
    compared = not documents.empty
    if compared:
        notes = [*notes, _about(documents.iloc[0])]
    beside = compared and space.width >= style.BESIDE_FROM
    below = _compared_entries(entries) if compared and not beside else []
    lines = [line for note in notes for line in rows.wrapped(note, space.width - 0.04)]
    sheets = [labels, [entry.label for entry in below]] if below else [labels]
    fixed = len(sheets) * (_HEAD + _AXIS) + style.LINE * len(lines) + 0.04
    pitch = rows.pitch(sheets, space.height - _CAPTION - fixed)
    height = fixed + sum(rows.sheet_height(sheet, pitch) for sheet in sheets)
    with style.settings():
        figure = style.new_figure(space.width, height)
        sheet = rows.Sheet(figure, labels, _HEAD, pitch)
        columns = [make(entries) for make in makers]
        if beside and table["published_overhead_percent"].notna().any():
            columns.append(_their_overheads(entries))
        left = rows.labels_width(labels)
        room = space.width - left - sum(column.width for column in columns)
        edge = left + (0.47 * room if beside else room - 0.02)
        _draw_bars(sheet.axes(left, edge), sheet, entries)
        edge = sheet.columns(columns, edge)
        if beside:
            _draw_points(sheet.axes(edge + 0.12, space.width - 0.06), sheet, entries)
        if below:
            sheet = rows.Sheet(figure, sheets[1], sheet.bottom + _AXIS + _HEAD, pitch)
            columns = [_ours(below), _theirs(below)]
            left = rows.labels_width(sheets[1])
            edge = space.width - sum(column.width for column in columns) - 0.02
            _draw_points(sheet.axes(left, edge), sheet, below)
            sheet.columns(columns, edge)
        rows.write_notes(figure, lines)
    return figure


def _entries(table: DataFrame) -> list[_Entry]:
    """Rows under the heading of their implementation; without headings where each has one row."""
    schedules = table.loc[table["engine"] == "parsplit", "schedule"].nunique() > 1
    usual = table["model"].mode()
    flat = not table["implementation"].duplicated().any()
    entries: list[_Entry] = []
    heading = None
    for row in each(table):
        baseline = is_baseline(row.implementation)
        label = row.implementation if flat or baseline else row.op
        if row.engine == "parsplit" and not baseline:
            label = f"  ParSplit {size_name(row.block_size)}" + (f", {row.schedule}" if schedules else "")
        if isinstance(row.model, str) and row.model != usual.iloc[0]:
            label += f" ({row.model})"
        group = "baselines" if baseline else row.implementation
        if not flat and group != heading:
            entries.append(_Entry(rows.Label(group, heading=True)))
        heading = group
        entries.append(_Entry(rows.Label(label), row))
    return entries


def _compared_entries(entries: Sequence[_Entry]) -> list[_Entry]:
    """The rows that a document has a number for, under their headings; all with a relation where there are none."""
    flat = all(entry.row is not None for entry in entries)
    kept = []
    heading = None
    for entry in entries:
        if entry.row is None:
            heading = entry
        elif np.isfinite(entry.row.published_relative_time) or (flat and np.isfinite(entry.row.relative_time)):
            kept += [entry] if heading is None else [heading, entry]
            heading = None
    return kept


def _dashed(table: DataFrame) -> list[str]:
    """What the dashed line is, where there is one."""
    memcpy = table[(table["implementation"] == MEMCPY) & (table["status"] == "ok")]
    sizes = [
        f"in blocks of {size_name(int(size))}" if size else "over the whole message" for size in memcpy["block_size"]
    ]
    return [f"Dashed: memcpy at its fastest, here {size}; % of memcpy is of its speed." for size in sizes]


def _about(published: Any) -> str:
    return (
        f"Points: time relative to OpenSSL AES-256-GCM sealing the whole message; filled: measured here; hollow: "
        f"{published.published_document} ({size_name(published.published_bytes)}, {published.published_hardware}), "
        "to its own OpenSSL."
    )


def _draw_bars(axes: Axes, sheet: rows.Sheet, entries: Sequence[_Entry]) -> None:
    measured = [entry.row for entry in entries if entry.row is not None and entry.row.status == "ok"]
    scale, unit = _unit(entry.row for entry in entries if entry.row is not None)
    for position, (place, entry) in enumerate(zip(sheet.places, entries, strict=True)):
        row = entry.row
        if row is None:
            continue
        if row.status != "ok":
            rows.absent(axes, place, row.status.partition(":")[0])
            continue
        interval = (scale * row.seconds_low, scale * row.seconds_high)
        seen = look(row.implementation)
        rows.bar(sheet, axes, position, scale * row.seconds, interval, seen, row.op == "open", row.engine == "parsplit")
        if row.implementation == MEMCPY:
            axes.plot(
                [scale * row.seconds] * 2, [place, sheet.bottom], color=seen.colour, linewidth=0.7, linestyle="--"
            )
    reach = [value for row in measured for value in (row.seconds, row.seconds_high) if np.isfinite(value)]
    axes.set_xlim(0, 1.05 * scale * max(reach, default=1e-3))
    axes.xaxis.set_major_locator(MaxNLocator(max(2, int(rows.axes_width(axes) / 0.3)), steps=[1, 2, 2.5, 5, 10]))
    rows.name_axis(axes, f"time for {size_name(int(entries[-1].row.bytes))} ({unit})")


def _draw_points(axes: Axes, sheet: rows.Sheet, entries: Sequence[_Entry]) -> None:
    axes.set_xscale("log")
    values = [1.0]
    for place, entry in zip(sheet.places, entries, strict=True):
        if entry.row is None:
            continue
        seen = look(entry.row.implementation)
        for value, ours in ((entry.row.published_relative_time, False), (entry.row.relative_time, True)):
            if np.isfinite(value):
                rows.point(axes, place, value, seen, filled=ours)
                values.append(value)
    axes.axvline(1, color="black", linewidth=0.6)
    low, high = min(values) / 1.3, max(values) * 1.3
    axes.set_xlim(low, high)
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    rows.name_axis(axes, "time (\N{MULTIPLICATION SIGN} OpenSSL)")


def _unit(shown: Iterable[Any]) -> tuple[float, str]:
    """Milliseconds, or microseconds where every time is less than one millisecond; as a factor and a name."""
    longest = max((row.seconds for row in shown if row.status == "ok"), default=1.0)
    return (1e3, "ms") if longest >= 1e-3 else (1e6, "\N{MICRO SIGN}s")


def _column(heading: tuple[str, ...], entries: Sequence[_Entry], text: Callable[[Any], str]) -> rows.Column:
    return rows.Column(heading, tuple("" if entry.row is None else text(entry.row) for entry in entries))


def _times(entries: Sequence[_Entry]) -> rows.Column:
    scale, unit = _unit(entry.row for entry in entries if entry.row is not None)
    return _column((unit,), entries, lambda row: significant(scale * row.seconds, 4) if row.status == "ok" else "")


def _speeds(entries: Sequence[_Entry]) -> rows.Column:
    return _column(("GiB/s",), entries, lambda row: significant(row.gib_per_s) if row.status == "ok" else "")


def _shares(entries: Sequence[_Entry]) -> rows.Column:
    return _column(("% of", "memcpy"), entries, _share)


def _marked_shares(entries: Sequence[_Entry]) -> rows.Column:
    return _column(("% of", "memcpy"), entries, lambda row: (_DAGGER if _memory_limits(row) else "") + _share(row))


def _overheads(entries: Sequence[_Entry]) -> rows.Column:
    return _column(("over-", "head %"), entries, lambda row: _percent(row.overhead_percent))


def _their_overheads(entries: Sequence[_Entry]) -> rows.Column:
    heading = (f"in {_document(entries)}", "%")
    return _column(heading, entries, lambda row: _percent(row.published_overhead_percent))


def _ours(entries: Sequence[_Entry]) -> rows.Column:
    return _column(("here",), entries, lambda row: significant(row.relative_time))


def _theirs(entries: Sequence[_Entry]) -> rows.Column:
    return _column((_document(entries),), entries, lambda row: significant(row.published_relative_time))


def _document(entries: Sequence[_Entry]) -> str:
    names = (entry.row.published_document for entry in entries if entry.row is not None)
    return next(name for name in names if isinstance(name, str))


def _percent(value: float) -> str:
    return signed_percent(value) if np.isfinite(value) else ""


def _share(row: Any) -> str:
    return significant(100 * row.share_of_memcpy) if np.isfinite(row.share_of_memcpy) else ""


def _memory_limits(row: Any) -> bool:
    return bool(row.share_of_memcpy >= MEMORY_LIMITS_FROM) and not is_baseline(row.implementation)
