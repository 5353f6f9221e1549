"""The answer of the study memory in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.dimensions import BASELINE
from aeadlab.display.units import percent
from aeadlab.records.record import Record
from aeadlab.stats.processes import joint_level
from aeadlab.stats.roofline import ordinary_limit
from aeadlab.studies.answering import libraries, listed, named, number, over, rows_of
from aeadlab.studies.memory.figures import regime_table


def answer(record: Record) -> Iterator[str]:
    """Yield the implementations that memory limits, those that the cores limit, and the effect of the mask."""
    table = regime_table(record.samples).sort_values("share_in_one_thread", ascending=False)
    limit = ordinary_limit(table["implementation"]).removeprefix(BASELINE)
    table = libraries(table)
    plain, masked = rows_of(table, mask=""), rows_of(table, mask="zen2")
    if plain.empty:
        return
    threads = plain["threads"].max()
    for bound, effect in (
        ("memory", "memory is the limit of"),
        ("cores", "the cores are the limit of"),
    ):
        rows = [*rows_of(plain, bound=bound).itertuples()]
        if rows:
            shares = [f"{named(row)} ({percent(row.share_in_one_thread)} of {limit} in one thread)" for row in rows]
            yield f"With {threads} threads {effect} {listed(shares, 3)}."
    both = masked.merge(plain, on=["implementation", "op", "bytes", "block_size"], suffixes=("", "_plain"))
    if not both.empty:
        both = both.assign(loss=both["share_in_one_thread_plain"] / both["share_in_one_thread"])
        worst = next(both.sort_values("loss", ascending=False).itertuples())
        one = worst._asdict() | {"engine": "parsplit", "threads": 1, "seconds": worst.loss}
        times = over(record.samples, one, one | {"mask": "", "seconds": 1.0}, joint_level(len(both)))
        yield (
            f"Without the vector instructions that a Zen 2 does not have, {named(worst)} takes {times} times "
            f"as long in one thread, where it has {percent(worst.share_in_one_thread)} of the speed of {limit}; "
            f"{threads} threads then gain {number(worst, 'speed_up')} times."
        )
