"""The answer of the study formats in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import count_noun, significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import listed, number, rows_of
from aeadlab.studies.formats.figures import file_table
from aeadlab.studies.formats.study import OPS, OWN

_WORDS = {"seal": "Sealing", "open": "Opening"}


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest format, and the time of each other program relative to this project's."""
    table = file_table(record.samples)
    longest = rows_of(table, bytes=table["bytes"].max())
    for op in OPS:
        own = rows_of(longest, op=op)
        if own.empty:
            continue
        first, length = own.iloc[0], size_name(int(own["bytes"].iloc[0]))
        threads = count_noun(int(first["threads"]), "thread")
        yield (
            f"{_WORDS[op]} {length} is fastest with {first['implementation']} in {threads}: "
            f"{significant(first['gib_per_s'])} GiB/s."
        )
        others = own[~own["implementation"].str.startswith(f"{OWN}/") & own["time_over_own"].notna()]
        factors = [f"{row.implementation} {number(row, 'time_over_own')}" for row in others.itertuples()]
        if factors:
            most = count_noun(int(table["threads"].max()), "thread")
            yield (
                f"{_WORDS[op]} {length} takes other programs, relative to the same format here with {most} and the "
                f"same kind of memory: {listed(factors, 6)} times as long."
            )
