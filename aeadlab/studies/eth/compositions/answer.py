"""The answer of the study compositions in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import significant, size_name
from aeadlab.records.record import Record
from aeadlab.studies.answering import named, number, rows_of, timed
from aeadlab.studies.eth.compositions.table import compositions_table

GMAC, BLAKE3 = "openssl/aes-256-gmac", "blake3/blake3-keyed"


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest composition alone and under ParSplit, and the gain of BLAKE3 in place of GMAC."""
    table = rows_of(compositions_table(record.samples), role="composition")
    for engine, words in (("whole", "Alone"), ("parsplit", "Under ParSplit")):
        rows = [*rows_of(table, engine=engine).itertuples()]
        if rows:
            first = rows[0]
            threads = f" with {first.threads} threads" if engine == "parsplit" else ""
            yield (
                f"{words}{threads} {named(first)} has the shortest median time of {len(rows)} compositions: "
                f"{timed(first)} for {size_name(first.bytes)}, {number(first, 'gib_per_s')} GiB/s."
            )
    alone = rows_of(table, engine="whole").set_index(["cipher", "mac"])["seconds"]
    both = alone.unstack("mac")
    if {GMAC, BLAKE3} <= {*both.columns}:
        ratio = (both[BLAKE3] / both[GMAC]).dropna()
        yield (
            f"With BLAKE3 in place of OpenSSL's GMAC a message takes {significant(ratio.min())} to "
            f"{significant(ratio.max())} times as long, depending on the cipher: the slower part decides."
        )
