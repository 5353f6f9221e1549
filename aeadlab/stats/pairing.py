"""Pairs the times of two cases by round, so that what slows a whole round cancels in their ratio."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import CONFIDENCE


def round_times(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """One time per case and round: the median of what the case took in that round.

    Parameters
    ----------
    rows : pandas.DataFrame
        Rows that count (see `selection.usable`), with `by`, ``round`` and ``seconds``.

    Returns
    -------
    pandas.DataFrame
        The columns `by`, ``round`` and ``seconds``.
    """
    return rows.groupby([*by, "round"], observed=True, dropna=False)["seconds"].median().reset_index()


def relative_speed(
    cases: pd.DataFrame, reference: pd.DataFrame, by: list[str], on: list[str], confidence: float = CONFIDENCE
) -> pd.DataFrame:
    """Speed of each case as a multiple of its reference's in the same round: reference time over case time.

    Parameters
    ----------
    cases : pandas.DataFrame
        Rows that count, with `by`, ``round`` and ``seconds``.
    reference : pandas.DataFrame
        Rows that count of exactly one case for each value of `on`.
    by : list of str
        What makes a case.
    on : list of str
        Those columns of `by` that a case shares with its reference.

    Returns
    -------
    pandas.DataFrame
        One row per case: `by`, ``pairs`` (rounds that hold both), ``ratio`` (exponential of the median log ratio),
        ``low`` and ``high``. A case without a common round has 0 pairs and NaN; below six pairs the interval is NaN.
    """
    times = round_times(cases, by)
    reference_times = round_times(reference, on).rename(columns={"seconds": "reference_seconds"})
    pairs = times.merge(reference_times, on=[*on, "round"], how="inner")
    groups = Groups.of(pairs, by)
    centre, low, high = groups.median_intervals(
        np.log(pairs["reference_seconds"].to_numpy(dtype=np.float64))
        - np.log(pairs["seconds"].to_numpy(dtype=np.float64)),
        confidence,
    )
    found = groups.keys.assign(pairs=groups.sizes, ratio=np.exp(centre), low=np.exp(low), high=np.exp(high))
    table = Groups.of(times, by).keys.merge(found, on=by, how="left")
    table["pairs"] = table["pairs"].fillna(0).astype(np.int64)
    return table
