"""When a run knows its medians well enough to end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.stats.interval import median_bounds, sorted_median

_CASE, _WARM_UP, _BATCH, _WALL = (SAMPLE_FIELDS.index(name) for name in ("case", "warmup", "batch", "wall_ns"))


def narrow(journal: Journal, cases: Sequence[int]) -> bool:
    """Whether the median of each of these cases is known as well as the profile wants; never where it wants nothing.

    It looks at how wide the intervals are and not at where they lie, so that ending here favours no side of a
    comparison. It is asked after each process's share, not after each sample: an interval that is asked often is narrow
    by luck once.
    """
    profile = journal.plan.profile
    if profile.precision is None or not cases:
        return False
    rows = np.array(journal.samples, dtype=np.float64)
    rows = rows[rows[:, _WARM_UP] == 0]
    times = rows[:, _WALL] / rows[:, _BATCH]
    for case in cases:
        values = np.sort(times[rows[:, _CASE] == case])[np.newaxis]
        low, high = median_bounds(values)
        # Too few samples have no interval, which is not narrow.
        if not (high - low) / 2 <= profile.precision * sorted_median(values):
            return False
    return True
