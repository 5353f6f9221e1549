"""Detection of an expected rare slow mode: a cluster in the upper tail behind a valley."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc

from aeadlab.stats.validation import finite

WIDTH: Final = 0.03
"""Width of a cluster in log time."""

MIN_DISTANCE: Final = 0.05
"""Smallest distance in log time of a cluster from the middle of the main cluster."""

MIN_COUNT: Final = 7
SIGNIFICANCE: Final = 0.01


def slow_cluster(logs: ArrayLike) -> NDArray[np.bool_] | None:
    """Return which values belong to a cluster above the main one, or None without such a cluster.

    Stray slow samples become rarer with their distance from the main cluster, so that of two adjacent intervals of the
    tail the upper one holds fewer of them. A cluster is an interval of `WIDTH`, more than `MIN_DISTANCE` above the
    median of the main one, that holds more values than the interval below it, by a sign test at 1 %, and at least
    `MIN_COUNT`. Since the best of many intervals is selected, a few percent of long tails have one by chance: the test
    is for a mode that is expected.

    Parameters
    ----------
    logs : array_like, shape (n,)
        Logarithms of times.

    Returns
    -------
    ndarray of bool, shape (n,), or None
        True above the middle between the two clusters.
    """
    values = finite("logs", logs)
    ordered = np.sort(values)
    within = np.searchsorted(ordered, ordered + WIDTH, side="right") - np.arange(ordered.size)
    if not ordered.size:
        return None
    densest = int(within.argmax())
    middle = float(np.median(ordered[densest : densest + within[densest]]))
    starts = np.flatnonzero(ordered > middle + MIN_DISTANCE)
    below = starts - np.searchsorted(ordered, ordered[starts] - WIDTH, side="left")
    count = within[starts]
    # Of `count + below` values the upper interval holds at most half if there is no cluster.
    chance = bdtrc(count - 1, count + below, 0.5)
    good = (count >= MIN_COUNT) & (chance < SIGNIFICANCE)
    if not good.any():
        return None
    best = int(np.lexsort((-count, np.where(good, chance, 2.0)))[0])
    cluster = ordered[starts[best] : starts[best] + count[best]]
    members: NDArray[np.bool_] = values > (middle + float(np.median(cluster))) / 2
    return members
