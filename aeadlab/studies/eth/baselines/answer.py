"""The answer of the study baselines in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import percent, significant, size_name
from aeadlab.records.record import Record
from aeadlab.stats import confidence_of_chosen
from aeadlab.studies.answering import libraries, listed, named, number, over, rows_of, timed
from aeadlab.studies.eth.baselines.table import single_threaded_table
from aeadlab.verdicts import published


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest library, the distance of the others, and the cost of splitting."""
    table = single_threaded_table(record.samples, ["seal"], published.load("ETH"))
    whole = [*libraries(rows_of(table, op="seal", engine="whole")).itertuples()]
    if not whole:
        return
    first, *others = whole
    there = 1e3 * first.published_seconds
    paper = f"; the paper measured {significant(there)} ms on an {first.published_hardware}" if there == there else ""
    yield (
        f"{named(first)} has the shortest median time of {len(whole)} AEADs in one thread: {timed(first)} to seal "
        f"{size_name(first.bytes)}, {percent(first.share_of_memcpy)} of the speed of memcpy{paper}."
    )
    if others:
        level = confidence_of_chosen(len(whole))
        slower = [f"{named(row)} {over(record.samples, row, first, level)} times" for row in others]
        yield f"Others take longer: {listed(slower)} as long."
    split = rows_of(table, op="seal", engine="parsplit", implementation=first.implementation)
    costs = [
        f"{number(row, 'overhead_percent')} % in blocks of {size_name(row.block_size)}"
        f"{' as published' if row.model == 'rekeyed' else ''}"
        for row in split.sort_values(["block_size", "seconds"]).itertuples()
    ]
    if costs:
        yield f"Splitting alone costs {named(first)} {listed(costs)}, with one thread of ParSplit."
