"""The median of samples, and of ratios of paired samples, with an interval whose unit is the process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats.processes import CONFIDENCE, FEWEST, Floats, Samples, check_confidence, smallest_count
from aeadlab.stats.validation import finite, positive, same_length

__all__ = [
    "CONFIDENCE",
    "SEED",
    "Floats",
    "Interval",
    "MedianInterval",
    "median_interval",
    "ratio_interval",
    "smallest_count",
    "sorted_median",
    "sorted_quantile",
]

SEED = 20150817


class Interval(NamedTuple):
    """An estimate with its interval, all in the unit of the values."""

    estimate: float
    low: float
    high: float


class MedianInterval(Interval):
    """A median with its interval, and the numbers of processes and rounds that it comes from."""

    processes: int
    rounds: int

    @property
    def supports_verdict(self) -> bool:
        """Whether the interval is known and contains the differences between processes."""
        return self.processes >= FEWEST and self.low == self.low

    @property
    def unit(self) -> str:
        """What the interval comes from, in words."""
        return unit(self.processes, self.rounds, equal=self.low == self.high)


def _few(processes: int) -> str:
    return "one process" if processes == 1 else f"{processes} processes"


def unit(processes: int, rounds: int, *, equal: bool = False) -> str:
    """Return in words what an interval comes from: ``14 processes, 56 rounds`` or ``within one process, 6 rounds``.

    An interval without width comes from ``equal`` samples, ``6 rounds of equal samples``: the resolution of the clock,
    and not the agreement of the samples, limits what it shows.
    """
    counted = f"{rounds} round{'s' * (rounds != 1)}{' of equal samples' * equal}"
    if processes < FEWEST:
        return f"within {_few(processes)}, {counted}"
    return f"{processes} processes, {counted}"


def within_processes(processes: int) -> str:
    """Return in words that intervals say nothing about other processes, ``""`` from three processes on and for none."""
    if not 0 < processes < FEWEST:
        return ""
    return f"Intervals hold within {_few(processes)}."


def median_interval(
    values: ArrayLike, round: ArrayLike, process: ArrayLike, confidence: float = CONFIDENCE
) -> MedianInterval:
    """Return the median of the samples of one case with its interval; see `aeadlab.stats.processes`.

    Parameters
    ----------
    values : array_like, shape (n,)
        n of at least one, any unit. Several values of one round count as their median.
    round : array_like of int, shape (n,)
        The round of each value.
    process : array_like of int, shape (n,)
        The process of each value; numbers ascend with time. Processes may have different numbers of rounds; each has
        the same weight.
    confidence : float
        Nominal coverage, between 0 and 1.

    Returns
    -------
    MedianInterval
        A tuple of the median, ``low`` and ``high``. With fewer than three processes the interval comes from the rounds
        and holds within these processes only; its ends are NaN below `smallest_count` rounds. Equal ends mean that
        many values are identical, so that the clock's resolution limits the precision.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are no values, the arrays differ in length, a value is NaN or infinite, an index is no whole number,
        or the confidence is not between 0 and 1.
    """
    return _interval(finite("values", values), round, process, confidence)


def ratio_interval(
    numerator: ArrayLike,
    denominator: ArrayLike,
    round: ArrayLike,
    process: ArrayLike,
    confidence: float = CONFIDENCE,
) -> MedianInterval:
    """Return the ratio of two cases' times, paired by round: the exponential of the median log ratio, and its interval.

    Parameters
    ----------
    numerator, denominator : array_like, shape (n,)
        Seconds of both cases in the same rounds, above zero. Leave out rounds that lack one of them.
    round, process, confidence
        As in `median_interval`, whose errors and result apply as well.
    """
    over, under = positive("numerator", numerator), positive("denominator", denominator)
    same_length("numerator", over, "denominator", under)
    logs = _interval(np.log(over) - np.log(under), round, process, confidence)
    return _counted(Interval(*np.exp(logs).tolist()), logs.processes, logs.rounds)


def _interval(values: Floats, round: ArrayLike, process: ArrayLike, confidence: float) -> MedianInterval:
    check_confidence(confidence)
    if values.size == 0:
        raise ArgumentError("there are no values, expected at least one; check the selection")
    rounds, processes = _indices("round", round, values), _indices("process", process, values)
    pairs, at = np.unique(np.stack([processes, rounds]), axis=1, return_inverse=True)
    if pairs.shape[1] < values.size:
        values = np.array([np.median(values[at.ravel() == one]) for one in range(pairs.shape[1])])
    else:
        values = values[np.argsort(at.ravel())]
    numbers = np.unique(pairs[0], return_inverse=True)[1].ravel()
    samples = Samples.of(values[np.newaxis], numbers[np.newaxis])
    low, high = samples.bounds(confidence)
    found = Interval(float(samples.median[0]), float(low[0]), float(high[0]))
    return _counted(found, int(numbers.max()) + 1, int(values.size))


def _indices(name: str, given: ArrayLike, values: Floats) -> NDArray[np.int64]:
    numbers = finite(name, given)
    same_length("values", values, name, numbers)
    if (numbers != np.floor(numbers)).any():
        raise ArgumentError(f"{name} holds numbers that are not whole: pass the index of each value's {name}")
    return numbers.astype(np.int64)


def _counted(interval: Interval, processes: int, rounds: int) -> MedianInterval:
    counted = MedianInterval(*interval)
    counted.processes, counted.rounds = processes, rounds
    return counted


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
