"""The median of samples that several processes took, with an interval from the differences between the processes.

The samples of one process share its memory layout and its minutes of the run; they are not independent. The process is
therefore the unit. The interval inverts a test: a value is inside unless the shares of each process's samples below it
differ from one half on average, by Student's t over the processes (Woodruff's interval [1]_ for samples in clusters).
It needs no distribution of the times and no density, and keeps its coverage for two modes and for stray samples. Where
each process has a single sample it ends at order statistics, as that of the sign test does. The variance of the average
counts the correlation of successive processes where it is positive, since drifts of a case last longer than one
process.

The test has no power beyond 1 - 2**(1 - n) for n processes. Higher levels, and three to five processes, have the t
interval of the processes' medians, which assumes that these are normal; for six and more it is widened to the interval
of the shares at that greatest level, so that a higher level never has a shorter interval. Fewer than three processes
say nothing about the differences between processes: the interval then comes from single samples, holds *within one
process* only, and supports no verdict.

References
----------
.. [1] R. S. Woodruff, Confidence Intervals for Medians and Other Position Measures, Journal of the American
   Statistical Association 47 (1952), 635-646.
.. [2] T. Kalibera and R. Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013: the process as the unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, log2
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from aeadlab.errors import ArgumentError

CONFIDENCE: Final = 0.95

FEWEST: Final = 3
"""Smallest number of processes whose differences support a verdict."""

_LARGEST_CORRELATION: Final = 0.6

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def smallest_count(confidence: float = CONFIDENCE) -> int:
    """Return the smallest number of independent values with a median interval free of distributions: 6 at 95 %.

    The widest such interval is from the least to the greatest of n values, which covers the median with probability
    1 - 2**(1 - n) [1]_.

    References
    ----------
    .. [1] H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., Wiley 2003, section 7.1.
    """
    check_confidence(confidence)
    return ceil(1 - log2(1 - confidence))


def check_confidence(confidence: float) -> None:
    """Raise `ArgumentError` unless the level lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise ArgumentError(f"confidence is {confidence}, expected a number between 0 and 1, such as {CONFIDENCE}")


def joint_level(number: int, confidence: float = CONFIDENCE) -> float:
    """Return the level of one of several intervals that keeps a confidence for all of them at once (Bonferroni)."""
    return 1 - (1 - confidence) / max(1, number)


@dataclass(frozen=True)
class Samples:
    """Groups of samples of equal size, each from the same number of units.

    Attributes
    ----------
    values : ndarray, shape (groups, n)
        Ascending in each row.
    in_time, unit : ndarray, shape (groups, n)
        The values in the order given, and the unit of each. Units are numbered in the order of time.
    medians : ndarray, shape (groups, units)
        Median of each unit.
    mean, error : ndarray, shape (groups, n + 1)
        Mean of the units' shares among the first k values, for k from 0 to n, and its standard error. The share of a
        unit is that of its samples.
    independent : bool
        Whether the units are processes; otherwise they are single samples.
    """

    values: Floats
    in_time: Floats
    unit: Indices
    medians: Floats
    mean: Floats
    error: Floats
    independent: bool

    @classmethod
    def of(cls, values: Floats, process: Indices) -> Samples:
        """Return groups from values and the number of each value's process, both of shape (groups, n) and in order.

        Every row has the same number of different processes, numbered from 0 in the order of time.
        """
        n = values.shape[1]
        units = int(process.max()) + 1
        independent = units >= FEWEST
        if not independent:
            units, process = n, np.broadcast_to(np.arange(n), values.shape)
        order = np.argsort(values, axis=1, kind="stable")
        ascending = np.take_along_axis(values, order, axis=1)
        unit = np.take_along_axis(process, order, axis=1)
        of_units = _of_single_values if units == n else _of_several_values
        return cls(ascending, values, process, *of_units(ascending, unit), independent)

    @cached_property
    def median(self) -> Floats:
        """The median of each group, in which every unit has the same weight; shape (groups,)."""
        # Sums of shares such as 1/3 miss one half by rounding.
        first = (self.mean >= 0.5 - 1e-9).argmax(axis=1)
        following = (self.mean > 0.5 + 1e-9).argmax(axis=1)
        return 0.5 * (_at(self.values, first - 1) + _at(self.values, following - 1))

    def bounds(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the ends of the interval of each group's median; NaN where there is none."""
        groups, units = self.medians.shape
        if units >= smallest_count(confidence):
            return self._by_shares(confidence)
        if not self.independent:
            return np.full(groups, np.nan), np.full(groups, np.nan)
        reach = stdtrit(units - 1, (1 + confidence) / 2) * standard_error(self.medians)
        centre, median = self.medians.mean(axis=1), self.median
        low, high = np.minimum(centre - reach, median), np.maximum(centre + reach, median)
        # The mean of equal numbers differs from them by rounding.
        equal = np.ptp(self.medians, axis=1) == 0
        low, high = np.where(equal, median, low), np.where(equal, median, high)
        if units < smallest_count():
            return low, high
        of_shares = self._by_shares(1 - 2.0 ** (1 - units))
        return np.minimum(low, of_shares[0]), np.maximum(high, of_shares[1])

    def _by_shares(self, confidence: float) -> tuple[Floats, Floats]:
        n = self.values.shape[1]
        distance = np.abs(self.mean - 0.5) - self._continuity
        limit = stdtrit(self.medians.shape[1] - 1, (1 + confidence) / 2) * self.error
        inside = distance <= limit + 1e-12
        # A median of k values below and n - k above lies between the k-th value and the next.
        first, last = inside.argmax(axis=1), n - inside[:, ::-1].argmax(axis=1)
        return _at(self.values, np.maximum(first - 1, 0)), _at(self.values, np.minimum(last, n - 1))

    @property
    def _continuity(self) -> float:
        """Correction of the average share for its steps, half of one, if each unit has one sample; else 0.

        Without it the interval of seven values is from the second to the sixth, which covers in 88 % of cases.
        """
        units = self.medians.shape[1]
        return 0.5 / units if self.values.shape[1] == units else 0.0

    def p_values(self, at: Floats) -> Floats:
        """Return two-sided p-values of "the median of the group is `at`", shape (groups,); NaN without an interval."""
        groups, units = self.medians.shape
        if units < smallest_count() and not self.independent:
            return np.full(groups, np.nan)
        by_medians = _two_sided(self.medians.mean(axis=1) - at, standard_error(self.medians), units - 1)
        if units < smallest_count():
            return by_medians
        # Values equal to `at` count half below it.
        below = 0.5 * (self.in_time < at[:, np.newaxis]) + 0.5 * (self.in_time <= at[:, np.newaxis])
        place = (np.arange(groups)[:, np.newaxis] * units + self.unit).ravel()
        shares = (np.bincount(place, below.ravel()) / np.bincount(place)).reshape(groups, units)
        distance = np.maximum(np.abs(shares.mean(axis=1) - 0.5) - self._continuity, 0.0)
        by_shares = _two_sided(distance, standard_error(shares), units - 1)
        least = 2.0 ** (1 - units)
        return np.where(by_shares >= least, by_shares, np.minimum(by_medians, least))


def _of_several_values(ascending: Floats, unit: Indices) -> tuple[Floats, Floats, Floats]:
    """Return the units' medians, and mean and standard error of their shares; see `Samples`."""
    groups, n = ascending.shape
    steps = np.zeros((groups, n, int(unit.max()) + 1))
    np.put_along_axis(steps, unit[..., np.newaxis], 1.0, axis=2)
    counts = np.zeros((groups, n + 1, steps.shape[2]))
    np.cumsum(steps, axis=1, out=counts[:, 1:])
    shares = counts / counts[:, -1:]
    return _unit_medians(ascending, counts), shares.mean(axis=2), standard_error(shares)


def _of_single_values(ascending: Floats, unit: Indices) -> tuple[Floats, Floats, Floats]:
    """Return `_of_several_values` for units of one value each, without an array of n shares for each of n + 1 places.

    A share is 0 or 1. Both of two successive units are below the k-th place if the later of their places is.
    """
    groups, n = ascending.shape
    place, medians = np.empty((groups, n), dtype=np.intp), np.empty((groups, n))
    np.put_along_axis(place, unit, np.broadcast_to(np.arange(n), unit.shape), axis=1)
    np.put_along_axis(medians, unit, ascending, axis=1)
    later = np.maximum(place[:, 1:], place[:, :-1]) + np.arange(groups)[:, np.newaxis] * (n + 1) + 1
    both = np.bincount(later.ravel(), minlength=groups * (n + 1)).reshape(groups, n + 1).cumsum(axis=1)
    k = np.arange(n + 1)
    mean = k / n
    ends = (place[:, :1] < k).astype(np.float64) + (place[:, -1:] < k)
    products = both - mean * (2 * k - ends) + (n - 1) * mean**2
    error = error_of_mean(k * (1 - mean), products, n) if n > 1 else np.full(products.shape, np.nan)
    return medians, np.broadcast_to(mean, products.shape), error


def _unit_medians(ascending: Floats, counts: Floats) -> Floats:
    """Return the median of each unit's values: those at which its count passes the middle."""
    total = counts[:, -1:]
    lower = (counts >= (total + 1) // 2).argmax(axis=1) - 1
    upper = (counts >= total // 2 + 1).argmax(axis=1) - 1
    return 0.5 * (np.take_along_axis(ascending, lower, axis=1) + np.take_along_axis(ascending, upper, axis=1))


def standard_error(values: Floats) -> Floats:
    """Return the standard error of the mean over the last axis, the processes in order of time.

    A positive correlation of successive units, as of the first order, makes it larger; a negative one is ignored.

    References
    ----------
    .. [1] M. G. Kendall, Note on Bias in the Estimation of Autocorrelation, Biometrika 41 (1954), 403-404.
    """
    centred = values - values.mean(axis=-1, keepdims=True)
    squares = (centred**2).sum(axis=-1)
    return error_of_mean(squares, (centred[..., 1:] * centred[..., :-1]).sum(axis=-1), values.shape[-1])


def error_of_mean(squares: Floats, products: Floats, units: ArrayLike) -> Floats:
    """Return `standard_error` from the sums of squares and of products of successive distances from the mean."""
    units = np.asarray(units, dtype=np.float64)
    correlation = np.clip(successive_correlation(squares, products, units), 0.0, _LARGEST_CORRELATION)
    return np.asarray(np.sqrt(squares / (units - 1) / units * (1 + correlation) / (1 - correlation)), dtype=np.float64)


def successive_correlation(squares: ArrayLike, products: ArrayLike, units: ArrayLike) -> Floats:
    """Return the correlation of successive units from the sums of `error_of_mean`, corrected for its bias.

    The estimate is too low by (1 + 3 correlation) / units on average (Kendall; see `standard_error`).
    """
    sums, number = np.asarray(squares, dtype=np.float64), np.asarray(units, dtype=np.float64)
    estimate = np.asarray(products, dtype=np.float64) / np.where(sums > 0, sums, 1.0)
    return np.asarray((estimate + 1 / number) / np.maximum(1 - 3 / number, 0.2), dtype=np.float64)


def _two_sided(distance: Floats, error: Floats, freedom: int) -> Floats:
    exact = np.where(np.asarray(distance) != 0, np.inf, 0.0)
    statistic = np.where(error > 0, np.abs(distance) / np.where(error > 0, error, 1.0), exact)
    return np.asarray(2 * stdtr(freedom, -statistic), dtype=np.float64)


def _at(rows: Floats, index: Indices) -> Floats:
    chosen: Floats = np.take_along_axis(rows, index[:, np.newaxis], axis=1)[:, 0]
    return chosen
