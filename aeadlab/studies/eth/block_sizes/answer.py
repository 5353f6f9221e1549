"""The answer of the study blocks in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import count_noun, significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import libraries, listed, named, rows_of
from aeadlab.studies.eth.block_sizes.figures import block_size_table

PAPER = (8 << 10, 32 << 10)
"""Best block sizes in the paper."""


def answer(record: Record) -> Iterator[str]:
    """Yield the best range of the fastest AEAD, the cost of small blocks, and the share in the paper's range."""
    table = libraries(rows_of(block_size_table(record.samples), op="seal", model="keyed"))
    if table.empty:
        return
    threads = table["threads"].max()
    rows = table[table["threads"] == threads]
    count = count_noun(int(threads), "thread")
    first = next(rows.itertuples())
    own = rows[rows["implementation"] == first.implementation]
    among = own.loc[own["among_best"], "block_size"]
    yield (
        f"With {count} the best block sizes of {named(first)} are {size_name(among.min())} to "
        f"{size_name(among.max())}: within these no difference from the fastest is found."
    )
    # The cost is known for one thread.
    costly = table[table["implementation"].eq(first.implementation) & table["overhead_percent"].notna()]
    costs = [
        f"{significant(row.overhead_percent)} % in blocks of {size_name(row.block_size)}"
        for row in costly.sort_values("block_size").itertuples()
        if row.block_size in (1 << 10, 16 << 10, 64 << 10)
    ]
    if costs:
        yield f"In one thread its blocks cost {listed(costs)} over its whole message."
    inside = rows[rows["block_size"].between(*PAPER) & rows["among_best"]]["implementation"].nunique()
    yield (
        f"The paper's best range, {size_name(PAPER[0])} to {size_name(PAPER[1])}, contains one of the best sizes of "
        f"{inside} of {rows['implementation'].nunique()} AEADs."
    )
