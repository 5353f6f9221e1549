"""The answer of the study generators in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aeadlab.display.units import significant
from aeadlab.records.record import Record
from aeadlab.studies.answering import rows_of
from aeadlab.studies.netbsd.figures import generator_table
from aeadlab.studies.netbsd.study import REQUEST, STREAMS, WORD


def answer(record: Record) -> Iterator[str]:
    """Yield the fastest generator for words and for streams, HC-128 relative to ARC4, and the cost of sharing."""
    table = rows_of(generator_table(record.samples))
    words = rows_of(table, request=WORD, streams=1)
    several = rows_of(table, request=REQUEST, streams=STREAMS).drop_duplicates("implementation")
    if not words.empty:
        first = words.sort_values("cycles_per_byte").iloc[0]
        text = f"For words of 32 bits {_name(first)} is the fastest generator, {significant(first['cycles_per_byte'])}"
        pairs = _cycles(words, "hc-128"), _cycles(words, "rc4")
        ratio = pairs[1].div(pairs[0]).dropna()
        range_ = f"{significant(ratio.min())} to {significant(ratio.max())}"
        more = f"; HC-128 is {range_} times as fast as ARC4 in the same form"
        yield f"{text} cycles per byte{more if not ratio.empty else ''}."
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


def _cycles(words: Any, algorithm: str) -> Any:
    rows = words[words["algorithm"] == algorithm].drop_duplicates("form")
    return rows.set_index("form")["cycles_per_byte"]


def _name(row: Any) -> str:
    name = row["implementation"]
    algorithm, _, form = name.partition("/")[2].partition(".")
    return f"{'ARC4' if algorithm == 'rc4' else algorithm} ({form})" if form else str(algorithm)
