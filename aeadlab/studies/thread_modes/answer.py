"""The answer of the study thread-modes in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from aeadlab.catalogue.kinds import DELAY
from aeadlab.display.units import count_noun, percent, significant
from aeadlab.records.record import Record
from aeadlab.stats.noise_floor import MARGIN
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
        others = two[two["threads"] != row.threads]
        if not others.empty:
            known = others.dropna(subset=["ratio_low", "ratio_high"])
            margin = exp(MARGIN)
            held = known["predicted_ratio"].between(known["ratio_low"] / margin, known["ratio_high"] * margin).sum()
            within = (
                f"; the intervals of {held} of {count_noun(len(known), 'ratio')}, widened by {percent(margin - 1)}, "
                "contain the prediction"
            )
            counts = listed([str(count) for count in others["threads"]], 12)
            yield f"So have {counts} threads{within if len(known) else ''}."
    searched = dynamic[dynamic["kind"].isin(["one", "two"])]
    if not searched.empty:
        number_of, found = searched["threads"].nunique(), searched[searched["kind"] == "two"]["threads"].nunique()
        modes = f"two modes are found at {found}" if found else "no second mode is found at any"
        yield f"Under the schedule dynamic {modes} of {count_noun(number_of, 'thread count')}."
