"""Hartigan's dip: the distance of a sample from the nearest distribution with a single mode.

Written from J. A. Hartigan and P. M. Hartigan, The Dip Test of Unimodality, Annals of Statistics 13 (1985), 70-84,
section 4; see also P. M. Hartigan, Algorithm AS 217, Applied Statistics 34 (1985), 320-325.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import SEED, Floats
from aeadlab.stats.validation import finite

SIMULATIONS = 1000
_LARGEST_SIMULATED = 1000
_LOOP_SIZE = 64


@dataclass(frozen=True)
class DipTest:
    """The dip with its p-value.

    Attributes
    ----------
    dip : float
        Greatest distance between the empirical distribution and the nearest unimodal one, 0 to 0.25.
    p_value : float
        Probability of a dip at least this large in a uniform sample of the same size, by simulation; at least 1 / 1001.
        NaN below four values, whose dip carries no information.
    """

    dip: float
    p_value: float


def dip(values: ArrayLike) -> float:
    """Return the dip of a sample, 0 to 0.25.

    Parameters
    ----------
    values : array_like, shape (n,)
        n of at least one. Equal values are one step of the distribution: a sample with few distinct values has a large
        dip, since it does not come from a continuous distribution.

    Notes
    -----
    At the mode the nearest unimodal distribution may jump, so identical values have dip 0. Samples of two or more
    distinct values, none of them repeated, have a dip of at least 1 / (2 n).
    """
    array = finite("values", values)
    if array.size == 0:
        raise ArgumentError("there are no values, expected at least one; check the selection")
    places, counts = np.unique(array, return_counts=True)
    return _dip_of_steps(places, counts)


def dip_test(values: ArrayLike) -> DipTest:
    """Test the dip of a sample against the uniform distribution, the least favourable unimodal one.

    Notes
    -----
    The null distribution is simulated once per size, with a fixed seed. Since sqrt(n) times the dip converges, sizes
    above 100 use the next multiple of 50 and sizes above 1,000 use 1,000, on that scale.
    """
    array = finite("values", values)
    statistic = dip(array)
    if array.size < 4:
        return DipTest(statistic, float("nan"))
    null = _null_distribution(_simulated_size(array.size))
    # The tolerance keeps equal dips equal despite rounding: the least possible dip is common in small samples.
    at_least = np.count_nonzero(null >= statistic * np.sqrt(array.size) * (1 - 1e-12))
    return DipTest(statistic, float((1 + at_least) / (1 + SIMULATIONS)))


def _dip_of_steps(places: Floats, counts: NDArray[np.intp]) -> float:
    """Return the dip of a step function with rises `counts` at ascending, distinct `places`."""
    after = np.cumsum(counts).astype(np.float64)
    before = after - counts
    x = (places - places[0]) / max(places[-1] - places[0], np.finfo(np.float64).tiny)
    low, high = 0, x.size - 1
    gap = 0.0
    # [low, high] is the interval that contains the mode, gap twice the dip outside it, in counts.
    while low < high:
        part = slice(low, high + 1)
        minorant = low + _lower_hull(x[part], before[part])
        majorant = low + _lower_hull(x[part], -after[part])
        convex = np.interp(x[part], x[minorant], before[minorant])
        concave = np.interp(x[part], x[majorant], after[majorant])
        height = concave - convex
        at_minorant, at_majorant = height[minorant - low], height[majorant - low]
        if at_minorant.max() > at_majorant.max():
            new_low = int(minorant[at_minorant.argmax()])
            new_high = int(majorant[np.searchsorted(majorant, new_low)])
        else:
            new_high = int(majorant[at_majorant.argmax()])
            new_low = int(minorant[np.searchsorted(minorant, new_high, side="right") - 1])
        if height.max() <= gap:
            break
        left = after[low:new_low] - convex[: new_low - low]
        right = concave[new_high + 1 - low :] - before[new_high + 1 : high + 1]
        gap = max(gap, left.max(initial=0.0), right.max(initial=0.0))
        low, high = new_low, new_high
    return float(gap / (2 * after[-1]))


def _lower_hull(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Return the vertices of the greatest convex function below the points (x, y), x strictly ascending."""
    kept = np.arange(x.size)
    # A point on or above the line between its neighbours is never a vertex, so that all such points can be removed at
    # once. This shortens long inputs quickly; the loop below handles the rest, which would take many sweeps.
    while kept.size > _LOOP_SIZE:
        dx, dy = np.diff(x[kept]), np.diff(y[kept])
        convex = np.concatenate([[True], dy[:-1] * dx[1:] < dy[1:] * dx[:-1], [True]])
        before = kept.size
        kept = kept[convex]
        if kept.size > 0.9 * before:
            break
    px, py = x[kept].tolist(), y[kept].tolist()
    hull = [0]
    for i in range(1, len(px)):
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (py[b] - py[a]) * (px[i] - px[b]) < (py[i] - py[b]) * (px[b] - px[a]):
                break
            hull.pop()
        hull.append(i)
    return kept[hull]


def _simulated_size(n: int) -> int:
    if n <= 100:
        return n
    return min(-(-n // 50) * 50, _LARGEST_SIMULATED)


@lru_cache(maxsize=256)
def _null_distribution(n: int) -> Floats:
    """Return the square root of n times the dips of uniform samples of n values."""
    rng = np.random.default_rng((SEED, n))
    ones = np.ones(n, dtype=np.intp)
    dips: Floats = np.array([_dip_of_steps(np.sort(rng.random(n)), ones) for _ in range(SIMULATIONS)])
    return dips * float(np.sqrt(n))
