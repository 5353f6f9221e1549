"""The answer of the study everything in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.display.units import significant, size_name
from aeadlab.errors import EmptyFigureError
from aeadlab.records.record import Record
from aeadlab.studies.answering import libraries, named, rows_of, timed
from aeadlab.studies.eth.catalogue.figures import catalogue_table


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest implementation of each kind."""
    for kind, word in (("aead", "AEAD"), ("cipher", "cipher without authentication"), ("hash", "hash")):
        try:
            rows = libraries(rows_of(catalogue_table(record.samples, kind)))
        except EmptyFigureError:
            continue
        first = next(rows.itertuples(), None)
        if first is not None:
            yield (
                f"Of {len(rows)} cases the {word} with the shortest median is {named(first)}: "
                f"{size_name(first.bytes)} in {timed(first)}, {significant(first.gib_per_s)} GiB/s."
            )
