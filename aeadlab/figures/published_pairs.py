"""From a document's rows and a record's samples to pairs of numbers, each over the one that both know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import isfinite, nan
from typing import Any

from pandas import DataFrame

from aeadlab.figures.beside import Pair
from aeadlab.figures.plain import case_medians, each, plain
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable

Place = tuple[str, str]
"""Group and label of a row."""

Wanted = dict[str, Any]
"""Columns of a case and their values: what is measured in a row's place."""


def pairs(
    samples: DataFrame,
    published: DataFrame,
    place_of: Callable[[Any], Place | None],
    case_of: Callable[[Any], Wanted | None],
    base_of: Callable[[Any], Wanted],
) -> list[Pair]:
    """Pair every row of a document that has a place with the case that stands for it.

    Parameters
    ----------
    samples
        As a record gives when it is loaded.
    published
        Rows of `aeadlab.published.load`.
    place_of
        Where a row stands in the figure; None leaves it out.
    case_of
        What is measured for a row; None where nothing is.
    base_of
        What the rows of its group are over, there and here.
    """
    placed = [(row, place, case_of(row), base_of(row)) for row in each(published) if (place := place_of(row))]
    every = plain(samples, largest=False)
    # A record of the whole catalogue has thousands of other cases, and each median its interval.
    names = {case["implementation"] for _, _, wanted, base in placed for case in (wanted, base) if case}
    every = every[every["implementation"].isin(names)]
    medians = case_medians(every)
    counted = usable(every, [*CASE_COLUMNS, "round", "seconds"])
    found = []
    for row, place, wanted, base in placed:
        group = [(other, case) for other, where, case, _ in placed if where[0] == place[0]]
        under = next((_value(other) for other, case in group if case == base), nan)
        name = str((wanted or {}).get("implementation", f"{row.library}/{row.algorithm}"))
        pair = Pair(*place, name, float(row.value), str(row.unit), _value(row) / under)
        found.append(_measured(pair, medians, counted, wanted, base) if wanted else pair)
    return found


def _value(row: Any) -> float:
    """Times of one table are in several units; what is no time is as it is printed."""
    return float(row.seconds) if isfinite(row.seconds) else float(row.value)


def _measured(pair: Pair, medians: DataFrame, counted: DataFrame, wanted: Wanted, base: Wanted) -> Pair:
    """The pair with the time of a case, and its ratio to that of another in the same rounds."""
    own, other = (_matching(medians[medians["status"].eq("ok")], case) for case in (wanted, base))
    if len(own) != 1 or len(other) != 1:
        return pair
    by = list(CASE_COLUMNS)
    times, base_times = (counted.merge(case[by], on=by).assign(pair=0) for case in (own, other))
    # Of the base, its speed as a multiple of the other's: that is the ratio of the times the other way round.
    found = relative_speed(base_times, times, ["pair"], ["pair"]).iloc[0]
    ratio, low, high = (float(found[end]) for end in ("ratio", "low", "high"))
    return replace(pair, value=float(own["seconds"].iloc[0]), ratio=ratio, ratio_low=low, ratio_high=high)


def _matching(table: DataFrame, wanted: Wanted) -> DataFrame:
    kept = table
    for name, value in wanted.items():
        kept = kept[kept[name] == value]
    return kept


def rows_of(published: DataFrame, quantities: Iterable[str]) -> DataFrame:
    """Rows of these quantities, in the order of the document."""
    return published[published["quantity"].isin(list(quantities))]
