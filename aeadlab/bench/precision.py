"""The stopping rule of a run: it ends once the intervals of its medians are narrow enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.stats.groups import Groups


def is_precise(journal: Journal, cases: Sequence[int]) -> bool:
    """Return whether the medians of these cases have the precision of the profile; False if it has none.

    The rule depends on the width of the intervals and not on their position, so it does not bias comparisons. It is
    evaluated once for each process and not after each sample, because frequent checks make it likely that an interval
    is narrow by chance at one of them.
    """
    precision = journal.plan.profile.precision
    if precision is None or not cases:
        return False
    samples = pd.DataFrame(journal.samples, columns=list(SAMPLE_FIELDS))
    samples = samples[(samples["warmup"] == 0) & samples["case"].isin(cases)]
    times = samples["wall_ns"].to_numpy(dtype=np.float64) / samples["batch"].to_numpy(dtype=np.float64)
    median, low, high = Groups.of(samples, ["case"]).median_intervals(times)
    # Intervals of too few samples are NaN, which compares as False; a case without samples has no group.
    return len(median) == len(cases) and bool(np.all((high - low) / 2 <= precision * median))
