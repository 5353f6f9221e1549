"""How speed grows with threads: speed-up, efficiency, and the laws of Amdahl and Gunther fitted to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Floats, Interval
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, positive, same_length, usable

Law = Callable[..., Floats]


def speed_up(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> pd.DataFrame:
    """Speed-up of each case over the same case with one thread, paired by round, and its efficiency.

    Parameters
    ----------
    samples : pandas.DataFrame
        Samples of one record, with `selection.CASE_COLUMNS`, ``round``, ``seconds``, ``warmup`` and ``status``.

    Returns
    -------
    pandas.DataFrame
        One row per case: `selection.CASE_COLUMNS`, ``pairs`` (rounds that hold both), ``speed_up``, ``speed_up_low``,
        ``speed_up_high``, and ``efficiency``, ``efficiency_low``, ``efficiency_high``, which are these over the
        threads. NaN without a one-thread case; interval NaN below six pairs. One thread is 1 by definition.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a column is missing, or a time that counts is not finite and positive.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "round", "seconds"])
    on = [column for column in by if column != "threads"]
    table = relative_speed(rows, rows[rows["threads"] == 1], by, on, confidence)
    table = table.rename(columns={"ratio": "speed_up", "low": "speed_up_low", "high": "speed_up_high"})
    for end in ("", "_low", "_high"):
        table[f"efficiency{end}"] = table[f"speed_up{end}"] / table["threads"]
    return table


@dataclass(frozen=True)
class Fit:
    """A scaling law fitted to measured speeds.

    Attributes
    ----------
    parameters : mapping of str to Interval
        Estimates with intervals, clipped to what the law admits. The ends are NaN when there are no more points than
        parameters; everything is NaN when there are fewer distinct thread counts than parameters.
    points : int
        Speeds that were fitted.
    residual : float
        Root mean square of the log residuals, about the relative error; NaN without a fit.
    """

    parameters: Mapping[str, Interval]
    points: int
    residual: float
    _law: Law

    def speed(self, threads: ArrayLike) -> Floats:
        """Speed that the law gives for thread counts, in the unit of the fitted speeds."""
        estimates = [interval.estimate for interval in self.parameters.values()]
        return self._law(positive("threads", threads), *estimates)


def fit_amdahl(threads: ArrayLike, speed: ArrayLike, confidence: float = CONFIDENCE) -> Fit:
    """Fit Amdahl's law [1]_: ``single / (serial + (1 - serial) / threads)``.

    Parameters
    ----------
    threads : array_like, shape (n,)
        At least 1 each; counts may repeat.
    speed : array_like, shape (n,)
        Speeds above zero, in GiB/s or any other unit, or speed-ups.

    Returns
    -------
    Fit
        ``single``: speed of one thread, a parameter and not the measured point, whose noise would else be taken for
        truth; ``serial``: the share of the work that does not divide, 0 to 1.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the lengths differ, or a number is NaN, infinite, zero or negative, or a thread count is below 1.

    References
    ----------
    .. [1] G. M. Amdahl, Validity of the Single Processor Approach to Achieving Large Scale Computing Capabilities,
       AFIPS Spring Joint Computer Conference 1967, 483-485.
    """
    return _fit(_amdahl, {"serial": (0.0, 1.0)}, threads, speed, confidence)


def fit_usl(threads: ArrayLike, speed: ArrayLike, confidence: float = CONFIDENCE) -> Fit:
    """Fit the universal scalability law [1]_: ``single p / (1 + contention (p - 1) + coherence p (p - 1))``.

    Parameters
    ----------
    threads, speed : array_like, shape (n,)
        As for `fit_amdahl`; p stands for threads.

    Returns
    -------
    Fit
        ``single``, ``contention`` (0 to 1, waiting for what is shared) and ``coherence`` (0 or more, keeping copies
        equal; it makes speed fall beyond a peak). Growth above linear is outside the law and gives 0 for both.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As `fit_amdahl`.

    References
    ----------
    .. [1] N. J. Gunther, Guerrilla Capacity Planning, Springer 2007, chapter 4.
    """
    return _fit(_usl, {"contention": (0.0, 1.0), "coherence": (0.0, np.inf)}, threads, speed, confidence)


def _amdahl(threads: Floats, single: float, serial: float) -> Floats:
    return single / (serial + (1 - serial) / threads)


def _usl(threads: Floats, single: float, contention: float, coherence: float) -> Floats:
    return single * threads / (1 + contention * (threads - 1) + coherence * threads * (threads - 1))


def _fit(
    law: Law, shape: dict[str, tuple[float, float]], threads: ArrayLike, speed: ArrayLike, confidence: float
) -> Fit:
    """Least squares on log speed, so that a relative error weighs the same at every thread count."""
    counts, speeds = positive("threads", threads), positive("speed", speed)
    same_length("threads", counts, "speed", speeds)
    if counts.size and counts.min() < 1:
        raise ArgumentError(f"threads go down to {counts.min():g}, 1 or more is wanted")
    names = ["single", *shape]
    unknown = Interval(float("nan"), float("nan"), float("nan"))
    if np.unique(counts).size < len(names):
        return Fit(dict.fromkeys(names, unknown), int(counts.size), float("nan"), law)
    # Here: it takes longer to load than most commands take.
    from scipy.optimize import least_squares

    logs = np.log(speeds)

    def residuals(parameters: Floats) -> Floats:
        difference: Floats = np.log(law(counts, 1.0, *parameters[1:])) + parameters[0] - logs
        return difference

    lower = np.array([-np.inf, *(low for low, _ in shape.values())])
    upper = np.array([np.inf, *(high for _, high in shape.values())])
    start = np.array([float(np.mean(logs - np.log(counts))), *(0.01 for _ in shape)])
    found = least_squares(residuals, start, bounds=(lower, upper), x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12)
    reach = _reach(np.asarray(found.jac, dtype=np.float64), found.fun, confidence)
    low, high = np.maximum(found.x - reach, lower), np.minimum(found.x + reach, upper)
    parameters = {name: Interval(*map(float, ends)) for name, *ends in zip(names, found.x, low, high, strict=True)}
    parameters["single"] = Interval(*(exp(end) for end in parameters["single"]))
    return Fit(parameters, int(counts.size), float(np.sqrt(np.mean(found.fun**2))), law)


def _reach(jacobian: Floats, residual: Floats, confidence: float) -> Floats:
    """Half-widths of the parameters' intervals from the linearised model, NaN where the points leave no freedom."""
    points, parameters = jacobian.shape
    freedom = points - parameters
    scale = np.linalg.norm(jacobian, axis=0)
    if freedom < 1 or scale.min() == 0 or np.linalg.matrix_rank(jacobian / scale) < parameters:
        return np.full(parameters, np.nan)
    scaled = jacobian / scale
    variance = np.diag(np.linalg.inv(scaled.T @ scaled)) * float(residual @ residual) / freedom
    return np.asarray(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance) / scale, dtype=np.float64)
