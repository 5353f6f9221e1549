"""The answer of the study thread-modes in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.units import percent, significant
from aeadlab.records.record import Record
from aeadlab.studies.answering import listed, number, rows_of
from aeadlab.studies.thread_modes.table import mode_table


def answer(record: Record) -> Iterator[str]:
    """Yield the modes under Rayon, their distance from the prediction, and the modes under the schedule dynamic."""
    table = rows_of(mode_table(record.samples, ["rayon", "dynamic"]), implementation=DELAY)
    equal = table[(table["blocks"] == 64 * table["threads"]) | (table["threads"] > 32)]
    rayon, dynamic = (rows_of(equal, schedule=name).sort_values("threads") for name in ("rayon", "dynamic"))
    two = rayon[rayon["kind"] == "two"]
    if not two.empty:
        shown = two[two["threads"] == 5] if (two["threads"] == 5).any() else two.head(1)
        row = next(shown.itertuples())
        yield (
            f"Under Rayon, {row.threads} threads have two run times: the upper is {number(row, 'ratio')} times the "
            f"lower, {significant(row.predicted_ratio)} is predicted, and {percent(row.upper_share)} of the runs take "
            "it."
        )
        off = (two["ratio"] / two["predicted_ratio"] - 1).abs().max()
        others = [str(count) for count in two["threads"] if count != row.threads]
        if others:
            farthest = f"no ratio differs from its prediction by more than {percent(off)}"
            yield f"So have {listed(others, 12)} threads; {farthest}."
    if not dynamic.empty:
        kinds = (dynamic["kind"] == "two").sum()
        found = "no second mode is found" if not kinds else f"two modes are found at {kinds}"
        yield (
            f"Under the schedule dynamic {found} at any of {dynamic['threads'].nunique()} thread counts, and the "
            f"median is at most {significant(dynamic['over_even'].max())} times perfect balance."
        )
