"""The median and its bias-corrected and accelerated (BCa) bootstrap interval, for many groups at once.

A resample's median depends on the sample only through the *ranks* of the values it takes. Those ranks are order
statistics of uniform numbers, whose distribution is known, so they are drawn directly and once for every group of the
same size: 2,000 resamples of 1,000 values need 4,000 random numbers instead of two million. The drawn medians have
exactly the distribution of the ordinary bootstrap.

For six to nine values the bootstrap interval is too short (in simulation it covers 88 % instead of 95 % for seven), so
the exact interval between two order statistics replaces it; fewer values have no interval.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, ndtr, ndtri

from aeadlab.errors import ArgumentError
from aeadlab.stats.validation import finite

CONFIDENCE = 0.95
BOOTSTRAP_FROM = 10
RESAMPLES = 2000
SEED = 20150817
_CHUNK_ELEMENTS = 2_000_000

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """An estimate with its interval, all in the unit of the values."""

    estimate: float
    low: float
    high: float


def smallest_count(confidence: float = CONFIDENCE) -> int:
    """Return the smallest sample size with a median interval: 6 at 95 %.

    The widest interval that n values can give without assuming a distribution is from their least to their greatest,
    which covers the median with probability 1 - 2**(1 - n) [1]_. Smaller samples reach no such coverage.

    References
    ----------
    .. [1] H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., Wiley 2003, section 7.1.
    """
    _check_confidence(confidence)
    return ceil(1 - log2(1 - confidence))


def median_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Return the median of a sample with its BCa bootstrap interval [1]_; between order statistics below ten values.

    Parameters
    ----------
    values : array_like, shape (n,)
        n of at least one, any unit.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    Interval
        ``low`` and ``high`` are NaN below `smallest_count` values. Equal ends mean that many values are identical,
        so that the clock's resolution limits the precision.

    References
    ----------
    .. [1] B. Efron, Better Bootstrap Confidence Intervals, Journal of the American Statistical Association 82 (1987),
       171-185.
    """
    array = finite("values", values)
    if array.size == 0:
        raise ArgumentError("there are no values, expected at least one; check the selection")
    rows = np.sort(array)[np.newaxis, :]
    low, high = median_bounds(rows, confidence)
    return Interval(float(sorted_median(rows)[0]), float(low[0]), float(high[0]))


def sorted_median(rows: Floats) -> Floats:
    """Return the median of each row of ascending values; shape (groups, n) gives (groups,)."""
    n = rows.shape[1]
    return 0.5 * (rows[:, (n - 1) // 2] + rows[:, n // 2])


def sorted_quantile(rows: Floats, share: Floats | float) -> Floats:
    """Return a quantile of each row of ascending values, linear between neighbours (NumPy's default).

    Parameters
    ----------
    rows : ndarray, shape (groups, n)
        n of at least one.
    share : float, or ndarray of shape (groups,)
        Between 0 and 1; an array gives each row its own.

    Returns
    -------
    ndarray, shape (groups,)
    """
    last = rows.shape[1] - 1
    position = np.broadcast_to(np.asarray(share) * last, rows.shape[:1])
    left = np.floor(position).astype(np.intp)
    index = np.arange(rows.shape[0])
    low, high = rows[index, left], rows[index, np.minimum(left + 1, last)]
    quantile: Floats = low + (position - left) * (high - low)
    return quantile


def median_bounds(rows: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """Return the BCa bounds of the median of each row.

    Parameters
    ----------
    rows : ndarray, shape (groups, n)
        Finite values, ascending within each row.

    Returns
    -------
    low, high : ndarray, shape (groups,)
        NaN throughout when n is below `smallest_count`; order statistics below ten values. Equal rows give
        equal bounds.
    """
    groups, n = rows.shape
    low = np.full(groups, np.nan)
    high = np.full(groups, np.nan)
    if n < smallest_count(confidence):
        return low, high
    if n < BOOTSTRAP_FROM:
        return _rank_bounds(rows, confidence)
    step = max(1, _CHUNK_ELEMENTS // RESAMPLES)
    for start in range(0, groups, step):
        part = slice(start, start + step)
        low[part], high[part] = _bca(rows[part], confidence)
    return low, high


def _rank_bounds(rows: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the innermost pair of symmetric order statistics with at least the nominal coverage; exact."""
    n = rows.shape[1]
    inner = 0
    while 1 - 2 * bdtr(inner + 1, n, 0.5) >= confidence:
        inner += 1
    return rows[:, inner].copy(), rows[:, n - 1 - inner].copy()


def _bca(rows: Floats, confidence: float) -> tuple[Floats, Floats]:
    n = rows.shape[1]
    median = sorted_median(rows)
    lower_rank, upper_rank = _middle_ranks(n)
    medians = 0.5 * (rows[:, lower_rank] + rows[:, upper_rank])
    medians.sort(axis=1)
    below = np.count_nonzero(medians < median[:, np.newaxis], axis=1)
    not_above = np.count_nonzero(medians <= median[:, np.newaxis], axis=1)
    # Ties count half: counted as one side, they would bias data of a coarse clock.
    bias = ndtri((below + not_above) / (2 * RESAMPLES))
    acceleration = _acceleration(rows)
    tail = (1 - confidence) / 2
    bounds = []
    for z in (ndtri(tail), ndtri(1 - tail)):
        shifted = bias + z
        bounds.append(sorted_quantile(medians, ndtr(bias + shifted / (1 - acceleration * shifted))))
    return bounds[0], bounds[1]


@lru_cache(maxsize=1024)
def _middle_ranks(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the zero-based ranks of the two middle values of each resample; they are equal when n is odd."""
    rng = np.random.default_rng((SEED, n))
    lower = (n + 1) // 2
    # The k-th smallest of n uniform numbers is Beta(k, n - k + 1); the next one is the least of the n - k that are
    # uniform above it. Scaling to ranks keeps the order, so ranks follow by rounding down.
    first = rng.beta(lower, n - lower + 1, RESAMPLES)
    lower_rank = np.minimum((first * n).astype(np.intp), n - 1)
    if n % 2:
        return lower_rank, lower_rank
    second = 1 - (1 - first) * rng.random(RESAMPLES) ** (1 / (n - lower))
    return lower_rank, np.minimum((second * n).astype(np.intp), n - 1)


def _acceleration(rows: Floats) -> Floats:
    """Return BCa's acceleration from the jackknife medians; 0 for even n, where two equally frequent values occur."""
    groups, n = rows.shape
    if n % 2 == 0:
        return np.zeros(groups)
    half = n // 2
    before, middle, after = rows[:, half - 1], rows[:, half], rows[:, half + 1]
    left_out = np.stack([0.5 * (middle + after), 0.5 * (before + after), 0.5 * (before + middle)])
    times = np.array([half, 1, half])[:, np.newaxis]
    deviation = (times * left_out).sum(axis=0) / n - left_out
    # Scaled to unit size first, since the cube of a time in seconds can underflow.
    size = np.abs(deviation).max(axis=0)
    deviation = deviation / np.where(size > 0, size, 1.0)
    squares: Floats = (times * deviation**2).sum(axis=0)
    cubes: Floats = (times * deviation**3).sum(axis=0)
    return cubes / (6 * np.where(size > 0, squares, 1.0) ** 1.5)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence is {confidence}, expected a number between 0 and 1, such as {CONFIDENCE}")
