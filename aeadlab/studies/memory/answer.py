"""The answer of the study memory in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import percent, significant
from aeadlab.records.record import Record
from aeadlab.studies.answering import libraries, listed, named, number, rows_of
from aeadlab.studies.memory.figures import regime_table


def answer(record: Record) -> Iterator[str]:
    """Yield the implementations that memory limits, those that the cores limit, and the effect of the mask."""
    table = libraries(regime_table(record.samples)).sort_values("share_in_one_thread", ascending=False)
    plain, masked = rows_of(table, mask=""), table[table["mask"] != ""]
    if plain.empty:
        return
    threads = plain["threads"].max()
    for bound, effect in (
        ("memory", "memory is the limit of"),
        ("cores", "the cores are the limit of"),
    ):
        rows = [*rows_of(plain, bound=bound).itertuples()]
        if rows:
            shares = [f"{named(row)} ({percent(row.share_in_one_thread)} of memcpy in one thread)" for row in rows]
            yield f"With {threads} threads {effect} {listed(shares, 3)}."
    both = masked.merge(plain, on="implementation", suffixes=("", "_plain"))
    if not both.empty:
        row = both.assign(loss=both["share_in_one_thread_plain"] / both["share_in_one_thread"])
        worst = next(row.sort_values("loss", ascending=False).itertuples())
        yield (
            f"Without the vector instructions that a Zen 2 does not have, {named(worst)} falls to "
            f"{percent(worst.share_in_one_thread)} of memcpy, 1/{significant(worst.loss)} of its speed, and then gains "
            f"{number(worst, 'speed_up')} times from {threads} threads."
        )
