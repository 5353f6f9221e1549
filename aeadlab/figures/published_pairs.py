"""From a document's rows and a record's samples to pairs of numbers, each over the one that both know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    column: str = "seconds",
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
    column
        Of `aeadlab.figures.plain.case_medians`: ``seconds``, or ``cycles_per_byte``.
    """
    every = plain(samples, largest=False)
    medians = case_medians(every)
    counted = usable(every, [*CASE_COLUMNS, "round", "seconds"])
    found = []
    for row in each(published):
        place = place_of(row)
        if place is None:
            continue
        base = next(
            (float(other.value) for other in each(published) if place_of(other) and case_of(other) == base_of(row)
             and place_of(other)[0] == place[0]),
            float("nan"),
        )  # fmt: skip
        wanted = case_of(row)
        measured = _numbers(medians, counted, wanted, base_of(row), column) if wanted else {}
        name = str((wanted or {}).get("implementation", f"{row.library}/{row.algorithm}"))
        found.append(Pair(*place, name, float(row.value), str(row.unit), float(row.value) / base, **measured))
    return found


def _numbers(
    medians: DataFrame, counted: DataFrame, wanted: Wanted, base: Wanted, column: str
) -> dict[str, float]:
    own, theirs = _matching(medians, wanted), _matching(medians, base)
    own, theirs = own[own["status"].eq("ok")], theirs[theirs["status"].eq("ok")]
    if len(own) != 1 or len(theirs) != 1:
        return {}
    by = list(CASE_COLUMNS)
    one, other = (counted.merge(case[by], on=by) for case in (own, theirs))
    # Of the base over the case: a speed. The time over the base's is its inverse.
    speed = relative_speed(one.assign(pair=0), other.assign(pair=0), ["pair"], ["pair"])
    ratio, low, high = (1 / float(speed[end].iloc[0]) for end in ("ratio", "high", "low"))
    scale = float(own[column].iloc[0]) / float(theirs[column].iloc[0]) / ratio
    return {
        "value": float(own[column].iloc[0]), "ratio": scale * ratio, "ratio_low": scale * low, "ratio_high": scale * high,
    }  # fmt: skip


def _matching(table: DataFrame, wanted: Wanted) -> DataFrame:
    kept = table
    for name, value in wanted.items():
        kept = kept[kept[name] == value]
    return kept


def rows_of(published: DataFrame, quantities: Iterable[str]) -> DataFrame:
    """Rows of these quantities, in the order of the document."""
    return published[published["quantity"].isin(list(quantities))]
