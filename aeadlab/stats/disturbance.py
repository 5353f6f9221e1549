"""When something else than a case itself made it slow: what ran just before and after was slow as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view

from aeadlab.stats.selection import CASE_COLUMNS, usable

NEIGHBOURS: Final = 8
"""Samples on either side that are asked."""

LIMIT: Final = 0.03
"""Distance in log time from the median of its case at which a sample counts as slow, or fast."""

UNSTEADY: Final = 0.05
"""A case has a say if no more than this share of its samples is slow or fast beyond what a quarter of the cases has."""

SHARE: Final = 0.75
"""A sample is disturbed if less than this share of its neighbours is as usual."""


def disturbed(samples: pd.DataFrame, by: Sequence[str] = CASE_COLUMNS) -> pd.Series:
    """Whether the samples around a sample, which are of other cases, were not as these usually are.

    Neighbours of the sample's own case have no say, nor those of cases that are unsteady by themselves. Nor has the
    sample itself, so that what is left when disturbed ones are set aside has not been chosen by its time. It takes
    cases in random order, as rounds have them, and asks for samples of about one duration: one that takes a second is
    rarely disturbed by what lasts a millisecond.

    Parameters
    ----------
    samples
        One record's, with `by`, ``order`` and ``seconds``.
    by
        Columns that tell the cases apart.

    Returns
    -------
    Series of bool
        With the index of those samples that count (`aeadlab.stats.selection.usable`), in their order.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or a time that counts is not finite and positive.
    """
    rows = usable(samples, [*by, "order", "seconds"])
    if rows.empty:
        return pd.Series([], index=rows.index, dtype=bool)
    logs = np.log(rows["seconds"].to_numpy(dtype=np.float64))
    place = np.argsort(rows["order"].to_numpy(), kind="stable")
    case = rows.groupby(list(by), observed=True, dropna=False).ngroup().to_numpy()[place]
    usual = pd.Series(logs[place]).groupby(case).transform("median").to_numpy()
    far = np.abs(logs[place] - usual) > LIMIT
    shares = pd.Series(far).groupby(case).mean()
    steady = shares.le(shares.quantile(0.25) + UNSTEADY).to_numpy()[case]
    # Beyond both ends there is nobody.
    voters = np.where(steady, case, -1)
    cases, fars = (np.pad(each, NEIGHBOURS, constant_values=-1) for each in (voters, far.astype(np.int64)))
    theirs, around = (sliding_window_view(each, 2 * NEIGHBOURS + 1) for each in (cases, fars))
    heard = (theirs != case[:, np.newaxis]) & (theirs >= 0)
    share = (around * heard).sum(axis=1) / np.maximum(heard.sum(axis=1), 1)
    found = np.empty(len(rows), dtype=np.bool_)
    found[place] = share > 1 - SHARE
    return pd.Series(found, index=rows.index)
