"""Drift: the dependence of times on their order in the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aeadlab.stats.interval import Floats
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
        Kendall's tau-b: 1 when every later sample is slower, -1 when faster. NaN for fewer than three samples or when
        all are equal.
    p_value : float
        Two-sided, exact for small samples without ties; NaN with `tau`.
    n : int
        Number of samples.
    change : float
        Median of the last third of the samples over that of the first, less 1. NaN with `tau`, and where the first
        third's median is not above zero.
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


def drift(values: ArrayLike, order: ArrayLike) -> Drift:
    """Test the times of one case for a trend, by Kendall's tau, whose null distribution is exact for few samples.

    Parameters
    ----------
    values : array_like, shape (n,)
        Seconds; for values without a ratio scale use `Drift.ordered` and ignore `Drift.change`.
    order : array_like, shape (n,)
        Position in the run.
    """
    times, positions = finite("values", values), finite("order", order)
    same_length("values", times, "order", positions)
    if times.size < 3 or np.ptp(times) == 0 or np.ptp(positions) == 0:
        return Drift(float("nan"), float("nan"), int(times.size), float("nan"))
    # scipy.stats takes longer to import than most commands run.
    from scipy.stats import kendalltau

    test = kendalltau(positions, times)
    return Drift(float(test.statistic), float(test.pvalue), int(times.size), _change(times, positions))


def _change(times: Floats, positions: Floats) -> float:
    in_order = times[np.argsort(positions, kind="stable")]
    third = -(-times.size // 3)
    first, last = float(np.median(in_order[:third])), float(np.median(in_order[-third:]))
    return last / first - 1 if first > 0 else float("nan")
