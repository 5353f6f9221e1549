"""How far two modes are apart, and how often a sample is in the upper one, with intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Interval, median_interval
from aeadlab.stats.modes import Modes
from aeadlab.stats.selection import positive


def mode_ratio(seconds: ArrayLike, found: Modes, confidence: float = CONFIDENCE) -> Interval:
    """Median of the upper mode over that of the lower one.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        The times of which `aeadlab.stats.modes` found two modes; samples belong to the nearer one, by ratio.
    found : Modes
        Of kind ``two``.

    Returns
    -------
    Interval
        Its ends are those of both medians, each with half the error.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are no two modes.
    """
    times = positive("seconds", seconds)
    slow = times > _middle(found)
    lower, upper = (median_interval(part, 1 - (1 - confidence) / 2) for part in (times[~slow], times[slow]))
    return Interval(found.ratio, upper.low / lower.high, upper.high / lower.low)


def upper_count(seconds: ArrayLike, found: Modes) -> int:
    """Samples in the upper mode; 0 where there are no two modes. Parameters as `mode_ratio`."""
    return int((positive("seconds", seconds) > _middle(found)).sum()) if found.kind == "two" else 0


def share_interval(count: int, of: int, confidence: float = CONFIDENCE) -> Interval:
    """A share of independent samples with its Clopper-Pearson interval [1]_, which covers at least `confidence`.

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
        raise ArgumentError(f"{count} of {of} given, 0 to all of at least 1 wanted")
    tail = (1 - confidence) / 2
    low = float(betaincinv(count, of - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, of - count, 1 - tail)) if count < of else 1.0
    return Interval(count / of, low, high)


def _middle(found: Modes) -> float:
    if found.kind != "two":
        raise ArgumentError(f"times with {found.kind} given, two modes wanted")
    return float(np.sqrt(found.medians[0] * found.medians[1]))
