"""The answer of the study message-sizes in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeadlab.display.names import in_words
from aeadlab.display.units import significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import listed, named
from aeadlab.studies.rust.figures import crossovers, latencies, message_size_table


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest implementation of each length, and the start-up time and rate of two of them."""
    table = message_size_table(record.samples)
    leaders: Any = crossovers(table)
    leaders = leaders[leaders["model"] == "keyed"]
    if leaders.empty:
        return
    ranges = [
        f"{named(row)} at {_range(int(row.from_bytes), int(row.to_bytes))}"
        for row in leaders.sort_values("from_bytes").itertuples()
    ]
    yield f"With the key set up before, the fastest AEADs are {listed(ranges, 6)}."
    fits: Any = latencies(table)
    fits = fits[fits["model"] == "keyed"].set_index("implementation")
    for name in ("ring/aes-256-gcm", str(leaders["implementation"].iloc[-1])):
        if name in fits.index:
            fit = fits.loc[[name]].iloc[0]
            yield (
                f"A call of {in_words(name)} starts in {significant(fit['startup_ns'])} ns and then seals "
                f"{significant(fit['gib_per_s'])} GiB/s; it reaches half of this at {round(fit['half_bytes']):,} bytes."
            )


def _range(first: int, last: int) -> str:
    return size_name(first) if first == last else f"{size_name(first)} to {size_name(last)}"
