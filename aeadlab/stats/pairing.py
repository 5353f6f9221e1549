"""Pairing of two cases by round, which cancels effects on a whole round in the ratio of their times."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aeadlab.stats.groups import Groups
from aeadlab.stats.interval import CONFIDENCE


def round_times(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return one time per case, process and round: the median of its samples in that round.

    Parameters
    ----------
    rows : pandas.DataFrame
        Counted samples (see `selection.usable`), with `by`, ``process``, ``round`` and ``seconds``.

    Returns
    -------
    pandas.DataFrame
        The columns `by`, ``process``, ``round`` and ``seconds``.
    """
    return rows.groupby([*by, "process", "round"], observed=True, dropna=False)["seconds"].median().reset_index()


def relative_speed(
    cases: pd.DataFrame, reference: pd.DataFrame, by: list[str], on: list[str], confidence: float = CONFIDENCE
) -> pd.DataFrame:
    """Return the speed of each case relative to its reference in the same round: reference time over case time.

    Parameters
    ----------
    cases : pandas.DataFrame
        Counted samples, with `by`, ``process``, ``round`` and ``seconds``.
    reference : pandas.DataFrame
        Counted samples of exactly one case for each value of `on`.
    by : list of str
        Columns that identify a case.
    on : list of str
        The columns of `by` in which a case and its reference agree.

    Returns
    -------
    pandas.DataFrame
        One row per case: `by`, ``pairs`` (rounds that hold both), ``processes`` (of these), ``ratio`` (exponential of
        the median log ratio), ``low`` and ``high`` (see `aeadlab.stats.interval.ratio_interval`). A case without a
        common round has 0 pairs and NaN.
    """
    times = round_times(cases, by)
    reference_times = round_times(reference, on).rename(columns={"seconds": "reference_seconds"})
    pairs = times.merge(reference_times, on=[*on, "process", "round"], how="inner")
    groups = Groups.of(pairs, by)
    process = pairs["process"].to_numpy(dtype=np.int64)
    centre, low, high = groups.median_intervals(
        np.log(pairs["reference_seconds"].to_numpy(dtype=np.float64))
        - np.log(pairs["seconds"].to_numpy(dtype=np.float64)),
        process,
        confidence,
    )
    counts = {"pairs": groups.sizes, "processes": groups.process_numbers(process)[1]}
    ratios = groups.keys.assign(**counts, ratio=np.exp(centre), low=np.exp(low), high=np.exp(high))
    table = Groups.of(times, by).keys.merge(ratios, on=by, how="left")
    for name in counts:
        table[name] = table[name].fillna(0).astype(np.int64)
    return table
