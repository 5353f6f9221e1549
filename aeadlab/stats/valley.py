"""Test for a valley: a density that increases again at some distance from its mode.

The intervals and their local tests are those of L. Dümbgen and G. Walther, Multiscale Inference about a Density, Annals
of Statistics 36 (2008), 1758-1785, with R. A. Fisher's combination of p-values as the local statistic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import Floats
from aeadlab.stats.validation import finite, same_length

NEIGHBOURS: Final = 7
"""Number of samples of the same process from which the level of a sample is taken."""

FEWEST_VALUES: Final = 20

_ALL_SIZES_UP_TO: Final = 32
_SIZE_FACTOR, _BEYOND_FACTOR = 1.1, 1.6
_TESTS, _UNUSED, _GROWTH = 4.0, 10, 1.3
"""The number of independent tests that n values amount to is 4 (n - 10)**1.3.

Fitted to the smallest product in at least 500 simulated samples of each size from 20 to 400 of three distributions:
uniform, and half or 60 % of the values at one place and the others uniform on both sides or on one. It is exact within
a fifth for the worst of these, at levels from 1 to 10 %; `tools.calibrate.modes` simulates the result.
"""


@dataclass(frozen=True)
class ValleyTest:
    """The most significant increase of the density away from the mode.

    Attributes
    ----------
    p_value : float
        Probability of so significant an increase on any interval in a sample of the least favourable unimodal
        distribution; at most 1.
    inner, outer : float
        The interval of this increase; `inner` is nearer to the mode. NaN if no value lies beyond the densest half.
    """

    p_value: float
    inner: float
    outer: float


def level_residuals(values: ArrayLike, order: ArrayLike, process: ArrayLike) -> tuple[Floats, NDArray[np.intp]]:
    """Return the distance of each value from the level at its place in its process.

    The level is the median of up to `NEIGHBOURS` values that were taken just before and after it in the same process,
    an odd number of them. A level that is constant within a process, or changes slowly, therefore has no effect.

    Parameters
    ----------
    values : array_like, shape (n,)
    order : array_like, shape (n,)
        Position of each in the run.
    process : array_like, shape (n,)
        Number of the process that took it.

    Returns
    -------
    residuals : ndarray, shape (m,)
    index : ndarray of int, shape (m,)
        Which value each belongs to: the only value of a process has no level.
    """
    array, positions, processes = finite("values", values), finite("order", order), finite("process", process)
    same_length("values", array, "order", positions)
    same_length("values", array, "process", processes)
    in_order = np.lexsort((positions, processes))
    starts = np.flatnonzero(np.diff(processes[in_order], prepend=np.nan) != 0)
    residuals, index = [np.empty(0)], [np.empty(0, dtype=np.intp)]
    for own in np.split(in_order, starts[1:]):
        count = min(NEIGHBOURS, (own.size - 2) // 2 * 2 + 1)
        if count < 1:
            continue
        place = np.arange(own.size)
        first = np.clip(place - count // 2, 0, own.size - count - 1)
        window = np.lib.stride_tricks.sliding_window_view(array[own], count + 1)[first]
        others = window[np.arange(count + 1) != (place - first)[:, np.newaxis]].reshape(own.size, count)
        residuals.append(array[own] - np.median(others, axis=1))
        index.append(own)
    return np.concatenate(residuals), np.concatenate(index)


def valley_test(values: ArrayLike) -> ValleyTest:
    """Test whether the density of independent values increases anywhere beyond their densest half.

    The shortest interval with half of the values is taken to hold the mode. Beyond it, a unimodal density does not
    increase away from the mode: given the ends of any interval, the values inside then are at most as far out as
    uniform ones. For many intervals on either side, Fisher's combination of the uniform values' distances has an exact
    p-value, which is multiplied by the share of values beyond the interval's inner end, so that a few values far out
    count as much as many. The smallest product is compared with its distribution for uniform samples.

    Parameters
    ----------
    values : array_like, shape (n,)
        n of at least `FEWEST_VALUES`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        For fewer values, and for NaN or infinite ones.
    """
    array = np.sort(finite("values", values))
    if array.size < FEWEST_VALUES:
        raise ArgumentError(f"{array.size} values given, at least {FEWEST_VALUES} are required for a test of modes")
    low, high = _densest_half(array)
    upper, lower = _increase(array[high:], array.size), _increase(-array[low::-1], array.size)
    chance, inner, outer = min(upper, (lower[0], -lower[1], -lower[2]))
    return ValleyTest(min(1.0, _TESTS * (array.size - _UNUSED) ** _GROWTH * chance), inner, outer)


def _densest_half(ascending: Floats) -> tuple[int, int]:
    """Return the first and last position of the shortest interval with half of the values, the middle one of equals."""
    distance = (ascending.size + 1) // 2 - 1
    widths = ascending[distance:] - ascending[: ascending.size - distance]
    shortest = np.flatnonzero(widths <= widths.min() * (1 + 1e-12))
    first = int(shortest[shortest.size // 2])
    return first, first + distance


def _increase(tail: Floats, n: int) -> tuple[float, float, float]:
    """Return the smallest weighted p-value of an increase of the density in a tail, and the ends of its interval.

    Parameters
    ----------
    tail : ndarray
        Ascending values, the first of which ends the densest half.
    n : int
        Number of all values.
    """
    best = (1.0, float("nan"), float("nan"))
    for inside, last in _intervals(tail.size):
        first = last - inside - 1
        start = tail[first][:, np.newaxis]
        width = np.maximum(tail[last][:, np.newaxis] - start, np.finfo(np.float64).tiny)
        place = (tail[first[:, np.newaxis] + np.arange(1, inside + 1)] - start) / width
        # A value at the start of its interval is as far in as possible: its logarithm is infinite.
        with np.errstate(divide="ignore"):
            chance = gammainc(inside, -np.log(place).sum(axis=1)) * (tail.size - 1 - first) / n
        least = int(chance.argmin())
        best = min(best, (float(chance[least]), float(tail[first[least]]), float(tail[last[least]])))
    return best


@lru_cache(maxsize=256)
def _intervals(size: int) -> tuple[tuple[int, NDArray[np.intp]], ...]:
    """Return numbers of values inside an interval, each with the positions of the ends of such intervals.

    Positions are counted from the inner end. Few or no values lie beyond most ends, since a second mode usually is the
    outermost one; beyond the others strays may lie.
    """
    beyond = np.array([0, 1, *_growing(2, _BEYOND_FACTOR, max(2 * size // 3, 2))])
    sizes = [*range(2, min(size - 1, _ALL_SIZES_UP_TO + 1)), *_growing(_ALL_SIZES_UP_TO + 1, _SIZE_FACTOR, size - 2)]
    ends = [(inside, (size - 1 - beyond)[size - 1 - beyond > inside]) for inside in sizes]
    return tuple((inside, last) for inside, last in ends if last.size)


def _growing(first: int, factor: float, limit: int) -> list[int]:
    numbers, number = [], float(first)
    while number <= limit:
        numbers.append(int(number))
        number = max(number + 1, number * factor)
    return numbers
