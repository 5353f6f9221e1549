"""Intervals for two modes: the ratio of their medians, and the share of samples in the upper one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Interval, median_interval
from aeadlab.stats.modes import Modes
from aeadlab.stats.validation import positive


def mode_ratio(seconds: ArrayLike, found: Modes, confidence: float = CONFIDENCE) -> Interval:
    """Return the median of the upper mode over that of the lower one, with its interval.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Times in which `aeadlab.stats.modes` detected two modes; a sample belongs to the nearer one, by ratio.
    found : Modes
        Of kind ``two``.

    Returns
    -------
    Interval
        Its ends combine those of both medians, each at half the error.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If `found` does not have two modes.
    """
    times = positive("seconds", seconds)
    slow = times > _middle(found)
    lower, upper = (
        median_interval(part, range(part.size), np.zeros(part.size), 1 - (1 - confidence) / 2)
        for part in (times[~slow], times[slow])
    )
    return Interval(found.ratio, upper.low / lower.high, upper.high / lower.low)


def upper_count(seconds: ArrayLike, found: Modes) -> int:
    """Return the number of samples in the upper mode, 0 without two modes. Parameters as `mode_ratio`."""
    return int((positive("seconds", seconds) > _middle(found)).sum()) if found.kind == "two" else 0


def share_interval(count: int, of: int, confidence: float = CONFIDENCE) -> Interval:
    """Return a share of independent samples with its Clopper-Pearson interval [1]_, of at least nominal coverage.

    Raises
    ------
    aeadlab.errors.ArgumentError
        Unless 0 <= count <= of and of is at least 1.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
       binomial, Biometrika 26 (1934), 404-413.
    """
    if not (0 <= count <= of and of):
        raise ArgumentError(f"{count} of {of} samples given, expected 0 <= count <= samples and at least 1 sample")
    tail = (1 - confidence) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return Interval(count / of, low, high)


def _middle(found: Modes) -> float:
    if found.kind != "two":
        raise ArgumentError(f"times of kind {found.kind!r} given, expected two modes")
    return float(np.sqrt(found.medians[0] * found.medians[1]))
