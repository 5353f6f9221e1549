"""Samples disturbed from outside their case: neighbouring samples of other cases were slow or fast too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view

from aeadlab.stats.selection import CASE_COLUMNS, usable

NEIGHBOURS: Final = 8
"""Number of neighbouring samples on either side."""

LIMIT: Final = 0.03
"""A sample deviates if its log time differs from the median of its case by more than this."""

UNSTEADY: Final = 0.05
"""A case is unsteady if its share of deviating samples exceeds the lower quartile over all cases by more than this."""

DEVIATING_SHARE: Final = 0.25
"""A sample is disturbed if more than this share of its neighbours deviate."""


def disturbed(samples: pd.DataFrame, by: Sequence[str] = CASE_COLUMNS) -> pd.Series:
    """Return which samples have neighbours in the run that deviate from the medians of their cases.

    Neighbours are samples of other cases that are steady. The time of a sample itself does not decide, so that removing
    disturbed samples does not select by time. The method requires cases in random order, as in interleaved rounds, and
    samples of similar duration: a disturbance of a millisecond has little effect on a sample of a second.

    Parameters
    ----------
    samples
        One record's, with `by`, ``order`` and ``seconds``.
    by
        Columns that identify a case.

    Returns
    -------
    Series of bool
        With the index of the counted samples (`aeadlab.stats.selection.usable`), in their order.
    """
    rows = usable(samples, [*by, "order", "seconds"])
    if rows.empty:
        return pd.Series([], index=rows.index, dtype=bool)
    logs = np.log(rows["seconds"].to_numpy(dtype=np.float64))
    place = np.argsort(rows["order"].to_numpy(), kind="stable")
    case = rows.groupby(list(by), observed=True, dropna=False).ngroup().to_numpy()[place]
    medians = pd.Series(logs[place]).groupby(case).transform("median").to_numpy()
    deviates = np.abs(logs[place] - medians) > LIMIT
    shares = pd.Series(deviates).groupby(case).mean()
    steady = shares.le(shares.quantile(0.25) + UNSTEADY).to_numpy()[case]
    # -1 marks positions beyond the ends of the run and samples of unsteady cases; neither is a neighbour.
    steady_case = np.where(steady, case, -1)
    cases, deviating = (
        np.pad(values, NEIGHBOURS, constant_values=-1) for values in (steady_case, deviates.astype(np.int64))
    )
    near_cases, near_deviating = (sliding_window_view(values, 2 * NEIGHBOURS + 1) for values in (cases, deviating))
    counts = (near_cases != case[:, np.newaxis]) & (near_cases >= 0)
    share = (near_deviating * counts).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    result = np.empty(len(rows), dtype=np.bool_)
    result[place] = share > DEVIATING_SHARE
    return pd.Series(result, index=rows.index)
