"""When a run knows its medians well enough to end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.stats.groups import Groups


def narrow(journal: Journal, cases: Sequence[int]) -> bool:
    """Whether the median of each of these cases is known as well as the profile wants; never where it wants nothing.

    It looks at how wide the intervals are and not at where they lie, so that ending here favours no side of a
    comparison. It is asked after each process's share, not after each sample: an interval that is asked often is narrow
    by luck once.
    """
    precision = journal.plan.profile.precision
    if precision is None or not cases:
        return False
    samples = pd.DataFrame(journal.samples, columns=list(SAMPLE_FIELDS))
    samples = samples[(samples["warmup"] == 0) & samples["case"].isin(cases)]
    times = samples["wall_ns"].to_numpy(dtype=np.float64) / samples["batch"].to_numpy(dtype=np.float64)
    median, low, high = Groups.of(samples, ["case"]).median_intervals(times)
    # Too few samples have no interval, which is not narrow; no sample is no group.
    return len(median) == len(cases) and bool(np.all((high - low) / 2 <= precision * median))
