"""Matches published rows with measured cases, each as a ratio to a baseline from its own source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, nan
from typing import Any, TypeAlias

from pandas import DataFrame

from aeadlab.figures.published_comparison import Pair
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, default_cases, named_rows, usable
from aeadlab.stats.summary import case_medians

Position: TypeAlias = tuple[str, str]
"""Group and label of a row."""

CaseFilter: TypeAlias = dict[str, Any]
"""Column values that identify a measured case."""


def published_pairs(
    samples: DataFrame,
    published: DataFrame,
    position_of: Callable[[Any], Position | None],
    case_of: Callable[[Any], CaseFilter | None],
    baseline_of: Callable[[Any], CaseFilter],
    varied: Collection[str] = (),
) -> list[Pair]:
    """Pair each row of `aeadlab.verdicts.published.load` with the measured case that corresponds to it.

    Parameters
    ----------
    position_of
        Returns group and label of a row; None leaves the row out.
    case_of
        Returns the case that corresponds to a row, or None.
    baseline_of
        Returns the case that the row's group is relative to, both published and measured.
    varied
        Conditions of which the cases have other values than the default.
    """
    placed = [
        (row, position, case_of(row), baseline_of(row))
        for row in named_rows(published)
        if (position := position_of(row))
    ]
    rows = default_cases(samples, largest=False, ignore=varied)
    # Computing an interval for each of the thousands of cases in a record of the whole catalogue takes too long.
    names = {case["implementation"] for _, _, case, baseline in placed for case in (case, baseline) if case}
    rows = rows[rows["implementation"].isin(names)]
    medians = case_medians(rows)
    medians = medians[medians["status"].eq("ok")].reset_index(drop=True)
    cases = medians.to_dict("records")
    pairs: list[Pair] = []
    measured = []
    for row, position, case, baseline in placed:
        group = [(other, its_case) for other, its_position, its_case, _ in placed if its_position[0] == position[0]]
        published_baseline = next((_value(other) for other, its_case in group if its_case == baseline), nan)
        name = str((case or {}).get("implementation", f"{row.library}/{row.algorithm}"))
        case_index, baseline_index = _only_match(cases, case), _only_match(cases, baseline)
        if case_index is not None and baseline_index is not None:
            measured.append((len(pairs), case_index, baseline_index))
        pairs.append(Pair(*position, name, float(row.value), str(row.unit), _value(row) / published_baseline))
    for index, *numbers in _ratios(rows, medians, measured):
        value, ratio, low, high = map(float, numbers)
        pairs[index] = replace(pairs[index], value=value, ratio=ratio, ratio_low=low, ratio_high=high)
    return pairs


def _value(row: Any) -> float:
    """Return seconds for a time, since one table may use several units, and the printed number for all else."""
    return float(row.seconds) if isfinite(row.seconds) else float(row.value)


def _only_match(cases: Sequence[Mapping[Any, Any]], case_filter: CaseFilter | None) -> int | None:
    """Return the index of the matching case; None where no case or more than one matches."""
    if case_filter is None:
        return None
    matches = [
        index for index, case in enumerate(cases) if all(case[name] == value for name, value in case_filter.items())
    ]
    return matches[0] if len(matches) == 1 else None


def _ratios(rows: DataFrame, medians: DataFrame, measured: Sequence[tuple[int, int, int]]) -> Iterator[Any]:
    """Return for each pair its index, its time, and the ratio of times paired by round with its interval."""
    by = list(CASE_COLUMNS)
    numbered = medians[by].assign(case=medians.index)
    taken = ["process", "round", "seconds"]
    times = usable(rows, [*by, *taken]).merge(numbered, on=by)[["case", *taken]]
    pairs = DataFrame(measured, columns=["pair", "own", "baseline"], dtype="int64")
    own, baseline = (
        times.merge(pairs[["pair", role]].rename(columns={role: "case"}), on="case") for role in ("own", "baseline")
    )
    # The speed of the baseline relative to the case is the time of the case relative to the baseline.
    ratios = relative_speed(baseline, own, ["pair"], ["pair"]).merge(pairs, on="pair")
    seconds = medians["seconds"].loc[ratios["own"]]
    return zip(ratios["pair"], seconds, ratios["ratio"], ratios["low"], ratios["high"], strict=True)
