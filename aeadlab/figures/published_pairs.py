"""From a document's rows and a record's samples to pairs of numbers, each over the one that both know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    medians = medians[medians["status"].eq("ok")].reset_index(drop=True)
    cases = medians.to_dict("records")
    found: list[Pair] = []
    measured = []
    for row, place, wanted, base in placed:
        group = [(other, case) for other, where, case, _ in placed if where[0] == place[0]]
        under = next((_value(other) for other, case in group if case == base), nan)
        name = str((wanted or {}).get("implementation", f"{row.library}/{row.algorithm}"))
        own, below = _only(cases, wanted), _only(cases, base)
        if own is not None and below is not None:
            measured.append((len(found), own, below))
        found.append(Pair(*place, name, float(row.value), str(row.unit), _value(row) / under))
    for number, *numbers in _ratios(every, medians, measured):
        value, ratio, low, high = map(float, numbers)
        found[number] = replace(found[number], value=value, ratio=ratio, ratio_low=low, ratio_high=high)
    return found


def _value(row: Any) -> float:
    """Times of one table are in several units; what is no time is as it is printed."""
    return float(row.seconds) if isfinite(row.seconds) else float(row.value)


def _only(cases: Sequence[Mapping[Any, Any]], wanted: Wanted | None) -> int | None:
    """Which of the cases is wanted; None where none is, or several are."""
    if wanted is None:
        return None
    fit = [number for number, case in enumerate(cases) if all(case[name] == value for name, value in wanted.items())]
    return fit[0] if len(fit) == 1 else None


def _ratios(rows: DataFrame, medians: DataFrame, measured: Sequence[tuple[int, int, int]]) -> Iterator[Any]:
    """Of each pair its number, its time, and the ratio of it to its base's in the same rounds, with the interval."""
    by = list(CASE_COLUMNS)
    numbered = medians[by].assign(case=medians.index)
    counted = usable(rows, [*by, "round", "seconds"]).merge(numbered, on=by)[["case", "round", "seconds"]]
    of = DataFrame(measured, columns=["pair", "own", "base"], dtype="int64")
    times, base_times = (
        counted.merge(of[["pair", which]].rename(columns={which: "case"}), on="case") for which in ("own", "base")
    )
    # Of the base, its speed as a multiple of the other's: that is the ratio of the times the other way round.
    ratios = relative_speed(base_times, times, ["pair"], ["pair"]).merge(of, on="pair")
    seconds = medians["seconds"].loc[ratios["own"]]
    return zip(ratios["pair"], seconds, ratios["ratio"], ratios["low"], ratios["high"], strict=True)


def rows_of(published: DataFrame, quantities: Iterable[str]) -> DataFrame:
    """Rows of these quantities, in the order of the document."""
    return published[published["quantity"].isin(list(quantities))]
