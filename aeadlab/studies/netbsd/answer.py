"""The answer of the study generators in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeadlab.display.units import significant
from aeadlab.records.record import Record
from aeadlab.studies.answering import range_over, rows_of
from aeadlab.studies.netbsd.figures import generator_table
from aeadlab.studies.netbsd.study import REQUEST, STREAMS, WORD, WORD_BY_WORD


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest generator for words and for streams, HC-128 relative to ARC4, and the cost of sharing."""
    table = rows_of(generator_table(record.samples))
    words = rows_of(table, request=WORD, streams=1)
    several = rows_of(table, request=REQUEST, streams=STREAMS).drop_duplicates("implementation")
    if not words.empty:
        first = words.sort_values("cycles_per_byte").iloc[0]
        text = f"For words of 32 bits {_name(first)} is the fastest generator, {significant(first['cycles_per_byte'])}"
        arc4, hc128 = (_cases(words, algorithm) for algorithm in ("rc4", "hc-128"))
        pairs = [(arc4[form], hc128[form]) for form in arc4 if form in hc128]
        text += " cycles per byte"
        if pairs:
            text += f"; HC-128 is {range_over(record.samples, pairs)} times as fast as ARC4 in the same form"
        yield f"{text}."
    if not several.empty:
        best = several.sort_values("gib_per_s").iloc[-1]
        yield (
            f"For {STREAMS} streams {_name(best)} is the fastest, {significant(best['gib_per_s'])} GiB/s in all with "
            "requests of 256 bytes."
        )
        shared = several[several["form"].eq("locked")]["scaling_factor"].dropna()
        own = several[several["form"].eq("per-thread")]["scaling_factor"].dropna()
        if not shared.empty and not own.empty:
            yield (
                f"The scaling efficiency of {STREAMS} streams is {significant(shared.median())} with one state under "
                f"a lock and {significant(own.median())} with a state for each thread (medians of the generators)."
            )


def _cases(words: Any, algorithm: str) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the cases of an algorithm that generate words one by one, by form and bytes."""
    rows = words[words["algorithm"] == algorithm].rename(columns={"streams": "threads", "request": "block_size"})
    # The table's algorithm has no form, unlike that of the samples.
    rows = rows.drop(columns="algorithm").to_dict("records")
    # Inlined and called forms have no request.
    return {
        (row["form"], row["bytes"]): {**row, "block_size": 0 if row["form"] in WORD_BY_WORD else WORD} for row in rows
    }


def _name(row: Any) -> str:
    name = row["implementation"]
    algorithm, _, form = name.partition("/")[2].partition(".")
    return f"{'ARC4' if algorithm == 'rc4' else algorithm} ({form})" if form else str(algorithm)
