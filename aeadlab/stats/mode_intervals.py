"""Intervals for two modes: the ratio of their medians, the share of samples in the upper one, and a quantile.

The process is the unit of all of them. A share has the interval of Clopper and Pearson [1]_ at the effective sample
size of Korn and Graubard [2]_: the number of samples, divided by the factor by which the shares of the processes vary
more than those of independent samples would, and reduced for the few processes from which this factor is estimated. In
simulation it covers where the plain interval does not, because processes differ, and where Student's t over the shares
of the processes does not, because a share is small (`docs/METHODOLOGY.md`).

References
----------
.. [1] C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
   binomial, Biometrika 26 (1934), 404-413.
.. [2] E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected number of positive counts
   estimated from survey data, Survey Methodology 24 (1998), 193-201.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Interval, median_interval
from aeadlab.stats.modes import Modes
from aeadlab.stats.processes import FEWEST, Floats, check_confidence, joint_level
from aeadlab.stats.validation import finite, positive, same_length


def mode_ratio(seconds: ArrayLike, found: Modes, process: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Return the median of the upper mode over that of the lower one, with its interval.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Times in which `aeadlab.stats.modes` detected two modes; a sample belongs to the nearer one, by ratio.
    found : Modes
        Of kind ``two``.
    process : array_like of int, shape (n,)
        The process of each time; numbers ascend with time.

    Returns
    -------
    Interval
        Its ends combine those of both medians (`aeadlab.stats.median_interval`), each at half the error. They are NaN
        where a mode has too few samples or processes, and hold within these processes if there are fewer than three.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If `found` does not have two modes.
    """
    times = positive("seconds", seconds)
    processes = _processes(times, process)
    slow = times > _middle(found)
    lower, upper = (
        median_interval(times[part], np.flatnonzero(part), processes[part], joint_level(2, confidence))
        for part in (~slow, slow)
    )
    return Interval(upper.estimate / lower.estimate, upper.low / lower.high, upper.high / lower.low)


def in_upper_mode(seconds: ArrayLike, found: Modes) -> NDArray[np.bool_]:
    """Return which samples are in the upper mode, shape (n,): none without two modes. Parameters as `mode_ratio`."""
    times = positive("seconds", seconds)
    return times > _middle(found) if found.kind == "two" else np.zeros(times.size, dtype=np.bool_)


def share_interval(inside: ArrayLike, process: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Return the share of samples that are inside, with its interval; see the module.

    Parameters
    ----------
    inside : array_like of bool, shape (n,)
        n of at least one.
    process : array_like of int, shape (n,)
        The process of each sample. With fewer than three processes the samples count as independent, and the interval
        holds within these processes only.
    confidence : float
        Nominal coverage, between 0 and 1.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are no samples, the arrays differ in length, or the confidence is not between 0 and 1.
    """
    flags = finite("inside", inside)
    processes = _processes(flags, process)
    share, low, high = _shares((flags != 0)[np.newaxis], processes, confidence)
    return Interval(float(share[0]), float(low[0]), float(high[0]))


def quantile_interval(values: ArrayLike, share: float, process: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Return a quantile of the values, linear between neighbours, with its interval.

    The interval contains each value unless the share of samples above it, or that of samples not below it, differs from
    ``1 - share`` by `share_interval`.

    Parameters
    ----------
    values : array_like, shape (n,)
        n of at least one, any unit.
    share : float
        Share of the values below the quantile, between 0 and 1.
    process, confidence
        As of `share_interval`, whose errors apply as well.

    Returns
    -------
    Interval
        Its ends are infinite where there are too few samples or processes for them.
    """
    array = finite("values", values)
    processes = _processes(array, process)
    if not 0 < share < 1:
        raise ArgumentError(f"a quantile of {share} given, expected a number between 0 and 1")
    ascending = np.unique(array)
    _, _, above = _shares(array > ascending[:, np.newaxis], processes, confidence)
    _, reached, _ = _shares(array >= ascending[:, np.newaxis], processes, confidence)
    # The quantile is at most a value if the share above it is at most 1 - share, and likewise for the lower end.
    bounded, reaches = above <= 1 - share, reached >= 1 - share
    low = float(ascending[int((~reaches).argmax()) - 1]) if (~reaches).any() else float(ascending[-1])
    last_open = int(np.flatnonzero(~bounded)[-1]) + 1 if (~bounded).any() else 0
    return Interval(
        float(np.quantile(array, share)),
        low if reaches[0] else -inf,
        float(ascending[last_open]) if last_open < ascending.size else inf,
    )


def _shares(inside: NDArray[np.bool_], process: NDArray[np.int64], confidence: float) -> tuple[Floats, Floats, Floats]:
    """Return the share of each row, shape (rows,), with the ends of its interval, from flags of shape (rows, n)."""
    check_confidence(confidence)
    units, samples = int(process.max()) + 1, inside.shape[1]
    of = np.bincount(process, minlength=units).astype(np.float64)
    counts = np.stack([inside[:, process == unit].sum(axis=1) for unit in range(units)], axis=1)
    share = counts.sum(axis=1) / samples
    effective = np.full(share.shape, float(samples))
    if units >= FEWEST:
        distance = counts - share[:, np.newaxis] * of
        variance = units / (units - 1) * (distance**2).sum(axis=1) / samples**2
        independent = share * (1 - share) / samples
        effect = np.divide(variance, independent, out=np.ones_like(share), where=independent > 0)
        tail = (1 + confidence) / 2
        # The effect is estimated with as many degrees of freedom as there are processes, less one.
        fewer = (stdtrit(samples - 1, tail) / stdtrit(units - 1, tail)) ** 2 if samples > units else 1.0
        effective *= fewer / np.maximum(effect, 1.0)
    return share, *_clopper_pearson(share * effective, effective, confidence)


def _clopper_pearson(count: Floats, of: Floats, confidence: float) -> tuple[Floats, Floats]:
    tail, others = (1 - confidence) / 2, of - count
    none, every = count <= 0, others <= of * 1e-12
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, count), others + 1, tail))
    high = np.where(every, 1.0, betaincinv(count + 1, np.where(every, 1.0, others), 1 - tail))
    return low, high


def _processes(values: Floats, process: ArrayLike) -> NDArray[np.int64]:
    """Return the number of the process of each value, from 0 in ascending order; raise `ArgumentError` without any."""
    numbers = finite("process", process)
    same_length("values", values, "process", numbers)
    if values.size == 0:
        raise ArgumentError("there are no values, expected at least one; check the selection")
    return np.unique(numbers, return_inverse=True)[1].ravel().astype(np.int64)


def _middle(found: Modes) -> float:
    if found.kind != "two":
        raise ArgumentError(f"times of kind {found.kind!r} given, expected two modes")
    return float(np.sqrt(found.medians[0] * found.medians[1]))
