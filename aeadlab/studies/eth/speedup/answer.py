"""The answer of the study speedup in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aeadlab.display.units import percent, size_name
from aeadlab.records.record import Record
from aeadlab.stats import CASE_COLUMNS, speed_up
from aeadlab.stats.processes import joint_level
from aeadlab.stats.selection import default_cases
from aeadlab.studies.answering import libraries, named, number, rows_of, timed
from aeadlab.studies.eth.speedup.table import thread_table

LIMITED: Final = 0.85
"""Share of memcpy's speed from which memory is the limit."""


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest AEAD with all cores, the range of the speed-ups, and the number limited by memory."""
    table = thread_table(record.samples, record.cores)
    table = libraries(rows_of(table, op="seal", engine="parsplit", beyond_cores=False, model="keyed"))
    threads = table["threads"].max()
    rows = [*rows_of(table, threads=threads).itertuples()]
    if not rows or threads < 2:
        return
    first = rows[0]
    yield (
        f"With {threads} threads {named(first)} has the shortest median time of {len(rows)} AEADs: {timed(first)} for "
        f"{size_name(first.bytes)}, {percent(first.share_of_memcpy)} of the speed of memcpy with as many threads."
    )
    # The largest and the smallest of several are chosen, so the intervals of all hold at once.
    keys = [column for column in CASE_COLUMNS if column in table]
    ups = speed_up(default_cases(record.samples, largest=False), joint_level(len(rows)))
    ordered = rows_of(table, threads=threads)[keys].merge(ups, on=keys).dropna(subset="speed_up")
    if not ordered.empty:
        least, most = ordered.sort_values("speed_up").iloc[[0, -1]].itertuples()
        yield (
            f"{named(most)} has the largest median speed-up over one thread, {number(most, 'speed_up')} times, "
            f"{named(least)} the smallest, {number(least, 'speed_up')} times."
        )
    limited = sum(row.share_of_memcpy >= LIMITED for row in rows)
    yield (
        f"{limited} of {len(rows)} reach {percent(LIMITED)} of memcpy with these threads, where memory is the limit; "
        "the cores limit the others."
    )
