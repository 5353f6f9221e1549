"""The answer of the study one-tag in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import listed, number, rows_of
from aeadlab.studies.candidates import PUBLISHED_BLOCK_SIZE
from aeadlab.studies.one_tag.figures import ONE_TAG, tag_table
from aeadlab.studies.one_tag.study import AEAD, CIPHER, OPS

_WORDS = {"seal": "Sealing", "open": "Opening"}


def answer(record: Record) -> Iterator[str]:
    """Yield the bytes that one tag saves, and the time of each form relative to one tag for each block."""
    table = tag_table(record.samples)
    table = table[table["implementation"].isin([AEAD, CIPHER])]
    for row in rows_of(table, tags="concatenated", op=OPS[0]).sort_values("block_size").head(1).itertuples():
        yield (
            f"With blocks of {size_name(row.block_size)} the tags of {AEAD} add {significant(row.overhead_percent)} % "
            f"to {size_name(row.bytes)}; one tag adds {ONE_TAG} bytes at most."
        )
    for op in OPS:
        own = rows_of(table, op=op)
        own = own[own["tags"].ne("concatenated") & own["time_over_concatenated"].notna()]
        for size in sorted(own["block_size"].unique()):
            if size in (PUBLISHED_BLOCK_SIZE, own["block_size"].max()):
                forms = [
                    f"{row.tags} {number(row, 'time_over_concatenated')}"
                    for row in rows_of(own, block_size=size).sort_values("time_over_concatenated").itertuples()
                ]
                yield (
                    f"{_WORDS[op]} in blocks of {size_name(size)} takes, relative to concatenated tags of the same "
                    f"blocks: {listed(forms, 5)} times as long."
                )
