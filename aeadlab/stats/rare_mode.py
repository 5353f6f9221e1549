"""A rare slow mode that is expected: a cluster in the upper tail with a valley before it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc

from aeadlab.stats.selection import finite

WIDTH: Final = 0.03
"""Of a cluster, in log time."""

APART: Final = 0.05
"""Distance in log time from the middle of the main cluster at which another may begin."""

FEWEST: Final = 7
SIGNIFICANCE: Final = 0.01


def slow_cluster(logs: ArrayLike) -> NDArray[np.bool_] | None:
    """Which values belong to a cluster above the main one, or None where there is none.

    Slow stray samples get rarer with their distance from the main cluster. So of two neighbouring stretches of the tail
    the upper one holds no more of them: a cluster is a stretch of `WIDTH` that holds more than the one below it, by a
    sign test at 1 %, and `FEWEST` values at least. It is for a mode that is expected; the best of many stretches is
    looked for, so that by chance one in some dozen long tails has one.

    Parameters
    ----------
    logs : array_like, shape (n,)
        Logarithms of times.

    Returns
    -------
    ndarray of bool, shape (n,), or None
        True from the middle between the two clusters on.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a value is NaN or infinite.
    """
    values = finite("logs", logs)
    ordered = np.sort(values)
    within = np.searchsorted(ordered, ordered + WIDTH, side="right") - np.arange(ordered.size)
    if not ordered.size:
        return None
    densest = int(within.argmax())
    middle = float(np.median(ordered[densest : densest + within[densest]]))
    starts = np.flatnonzero(ordered > middle + APART)
    below = starts - np.searchsorted(ordered, ordered[starts] - WIDTH, side="left")
    count = within[starts]
    # Of `count + below` values the upper stretch would hold half at most.
    chance = bdtrc(count - 1, count + below, 0.5)
    good = (count >= FEWEST) & (chance < SIGNIFICANCE)
    if not good.any():
        return None
    best = int(np.lexsort((-count, np.where(good, chance, 2.0)))[0])
    cluster = ordered[starts[best] : starts[best] + count[best]]
    found: NDArray[np.bool_] = values > (middle + float(np.median(cluster))) / 2
    return found
