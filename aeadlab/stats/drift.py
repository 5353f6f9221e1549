"""Drift: the dependence of times on their order in the run.

The process is the unit. Times that are constant within each process and differ between processes show the memory layout
of each, and no drift. The order within processes and the order of the processes are therefore tested apart: the first
by Kendall's score of all pairs of samples of one process, summed over the processes, the second by Kendall's tau of the
processes' mean ranks, which any order of the processes makes equally likely without a drift. The drift is the more
significant of the two, and its p-value counts both (Bonferroni).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.stats.interval import Floats
from aeadlab.stats.processes import FEWEST
from aeadlab.stats.validation import finite, same_length

SIGNIFICANCE = 0.01
NEGLIGIBLE_TAU = 0.1
NEGLIGIBLE_CHANGE = 0.01


@dataclass(frozen=True)
class Drift:
    """Rank correlation of times with the order in which they were taken.

    Attributes
    ----------
    tau : float
        Kendall's tau-b, within processes or of the processes: 1 when every later one is slower, -1 when faster. NaN for
        fewer than three samples or when all are equal.
    p_value : float
        Two-sided, exact for small samples without ties of one process; NaN with `tau`.
    n : int
        Number of samples.
    change : float
        Median of the last third over that of the first, less 1: of the processes' medians, or within processes of the
        samples relative to the median of their process. NaN with `tau`, and where a median is not above zero.
    """

    tau: float
    p_value: float
    n: int
    change: float

    @property
    def ordered(self) -> bool:
        """Whether tau is significant at 1 % and at least 0.1; in a long run a negligible tau is significant too."""
        return self.p_value < SIGNIFICANCE and abs(self.tau) >= NEGLIGIBLE_TAU

    @property
    def found(self) -> bool:
        """Whether the times are ordered and change by 1 % or more."""
        return self.ordered and abs(self.change) >= NEGLIGIBLE_CHANGE


def drift(values: ArrayLike, order: ArrayLike, process: ArrayLike | None = None) -> Drift:
    """Test the times of one case for a trend within processes, and of processes.

    Fewer than three processes have no test of their order.

    Parameters
    ----------
    values : array_like, shape (n,)
        Seconds; for values without a ratio scale use `Drift.ordered` and ignore `Drift.change`.
    order : array_like, shape (n,)
        Position in the run.
    process : array_like, shape (n,), optional
        Number of the process that took each; None means a single one.
    """
    times, positions = finite("values", values), finite("order", order)
    same_length("values", times, "order", positions)
    processes = np.zeros(times.size) if process is None else finite("process", process)
    same_length("values", times, "process", processes)
    nothing = Drift(float("nan"), float("nan"), int(times.size), float("nan"))
    if times.size < 3 or np.ptp(times) == 0 or np.ptp(positions) == 0:
        return nothing
    names, number = np.unique(processes, return_inverse=True)
    if names.size == 1:
        in_order = np.argsort(positions, kind="stable")
        tests = [(*_kendall(positions, times), _change(times[in_order]))]
    else:
        table = _Processes.of(times, positions, number.ravel())
        tests = [_within(table), _across(table)] if names.size >= FEWEST else [_within(table)]
    tests = [test for test in tests if test[1] == test[1]]
    if not tests:
        return nothing
    tau, p_value, change = min(tests, key=lambda test: (test[1], -abs(test[0])))
    return Drift(tau, min(1.0, len(tests) * p_value), int(times.size), change)


_Test = tuple[float, float, float]
"""Tau, p-value and change."""


@dataclass(frozen=True)
class _Processes:
    """Times and their positions in the run, a row for each process in the order of the run, NaN after its last sample.

    Attributes
    ----------
    times, positions : ndarray, shape (processes, most samples of one)
        In the order of the run.
    medians : ndarray, shape (processes,)
    sizes : ndarray of int, shape (processes,)
    """

    times: Floats
    positions: Floats
    medians: Floats
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, times: Floats, positions: Floats, number: NDArray[np.intp]) -> _Processes:
        """Return the table from the number of each sample's process, from 0."""
        sizes = np.bincount(number)
        start = np.full(sizes.size, np.inf)
        np.minimum.at(start, number, positions)
        row_of = np.empty(sizes.size, dtype=np.intp)
        row_of[np.argsort(start, kind="stable")] = np.arange(sizes.size)
        row, sizes = row_of[number], sizes[np.argsort(row_of)]
        order = np.lexsort((positions, row))
        row, column = row[order], np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        tables = np.full((2, sizes.size, int(sizes.max())), np.nan)
        tables[0, row, column], tables[1, row, column] = times[order], positions[order]
        ascending, every = np.sort(tables[0], axis=1), np.arange(sizes.size)
        medians = 0.5 * (ascending[every, (sizes - 1) // 2] + ascending[every, sizes // 2])
        return cls(tables[0], tables[1], medians, sizes)


def _within(table: _Processes) -> _Test:
    """Test the order of the samples within processes."""
    times, positions, n = table.times, table.positions, table.sizes.astype(np.float64)
    score = 0.0
    for lag in range(1, times.shape[1]):
        later = positions[:, lag:] > positions[:, :-lag]
        score += float(np.nansum(np.sign(times[:, lag:] - times[:, :-lag]) * later))
    ascending = np.sort(times, axis=1)
    starts = np.flatnonzero(np.diff(ascending, axis=1, prepend=-np.inf)[~np.isnan(ascending)])
    # Numbers of equal times; the first of each process differs from the infinite one before it.
    ties = np.diff(starts, append=int(n.sum())).astype(np.float64)
    variance = ((n * (n - 1) * (2 * n + 5)).sum() - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    if variance <= 0:
        return float("nan"), float("nan"), float("nan")
    pairs, distinct = (n * (n - 1)).sum() / 2, ((n * (n - 1)).sum() - (ties * (ties - 1)).sum()) / 2
    # Scores differ by 2, hence the correction of the normal approximation by 1.
    p_value = erfc(max(abs(score) - 1, 0.0) / sqrt(2 * variance))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(table.medians > 0, 1 / table.medians, np.nan)[:, np.newaxis] * times
    place = (np.arange(times.shape[1]) + 0.5) / n[:, np.newaxis]
    present = ~np.isnan(times)
    in_order = np.argsort(place[present], kind="stable")
    return score / sqrt(pairs * distinct), p_value, _change(relative[present][in_order])


def _across(table: _Processes) -> _Test:
    """Test the order of the processes."""
    present = ~np.isnan(table.times)
    _, place, counts = np.unique(table.times[present], return_inverse=True, return_counts=True)
    ranks = np.zeros(present.shape)
    ranks[present] = (np.cumsum(counts) - counts / 2)[place.ravel()]
    means = ranks.sum(axis=1) / table.sizes
    if np.ptp(means) == 0:
        return float("nan"), float("nan"), float("nan")
    return *_kendall(np.arange(means.size, dtype=np.float64), means), _change(table.medians)


def _kendall(order: Floats, values: Floats) -> tuple[float, float]:
    # scipy.stats takes longer to import than most commands run.
    from scipy.stats import kendalltau

    test = kendalltau(order, values)
    return float(test.statistic), float(test.pvalue)


def _change(times: Floats) -> float:
    """Return the median of the last third of times in their order over that of the first, less 1."""
    third = -(-times.size // 3)
    first, last = float(np.median(times[:third])), float(np.median(times[-third:]))
    return last / first - 1 if first > 0 else float("nan")
