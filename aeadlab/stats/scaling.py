"""Speed against threads: speed-up, efficiency, and Amdahl's law fitted to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Floats, Interval
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.stats.validation import positive, same_length


def speed_up(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> pd.DataFrame:
    """Return the speed-up of each case over the same case with one thread, paired by round, and its efficiency.

    Returns
    -------
    pandas.DataFrame
        One row per case: `selection.CASE_COLUMNS`, ``pairs`` (rounds that hold both), ``speed_up``, ``speed_up_low``,
        ``speed_up_high``, and ``efficiency``, ``efficiency_low``, ``efficiency_high``, the speed-up divided by the
        thread count. All are NaN without a case with one thread, the intervals also below six pairs.
    """
    by = list(CASE_COLUMNS)
    rows = usable(samples, [*by, "process", "round", "seconds"])
    on = [column for column in by if column != "threads"]
    table = relative_speed(rows, rows[rows["threads"] == 1], by, on, confidence)
    table = table.rename(columns={"ratio": "speed_up", "low": "speed_up_low", "high": "speed_up_high"})
    for end in ("", "_low", "_high"):
        table[f"efficiency{end}"] = table[f"speed_up{end}"] / table["threads"]
    return table


@dataclass(frozen=True)
class AmdahlFit:
    """Amdahl's law fitted to measured speeds.

    Attributes
    ----------
    single : Interval
        Speed of one thread, in the unit of the speeds: a parameter of the fit and not the measured point, whose noise
        would enter every other point.
    serial : Interval
        Share of the work that cannot be divided between threads, 0 to 1.
    residual : float
        Root mean square of the log residuals, about the relative error; NaN without a fit.

    Notes
    -----
    The ends of the intervals are NaN for two points, as many as there are parameters; everything is NaN for a single
    thread count.
    """

    single: Interval
    serial: Interval
    residual: float


def fit_amdahl(threads: ArrayLike, speed: ArrayLike, confidence: float = CONFIDENCE) -> AmdahlFit:
    """Fit Amdahl's law [1]_, ``single / (serial + (1 - serial) / threads)``, by least squares on log speed.

    Logarithms give a relative error the same weight at every thread count.

    Parameters
    ----------
    threads : array_like, shape (n,)
        At least 1 each; counts may repeat.
    speed : array_like, shape (n,)
        Speeds above zero, in GiB/s or any other unit, or speed-ups.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the arrays have different lengths, a number is not finite and positive, or a thread count is below 1.

    References
    ----------
    .. [1] G. M. Amdahl, Validity of the Single Processor Approach to Achieving Large Scale Computing Capabilities,
       AFIPS Spring Joint Computer Conference 1967, 483-485.
    """
    counts, speeds = positive("threads", threads), positive("speed", speed)
    same_length("threads", counts, "speed", speeds)
    if counts.size and counts.min() < 1:
        raise ArgumentError(f"threads go down to {counts.min():g}, expected 1 or more")
    if np.unique(counts).size < 2:
        unknown = Interval(float("nan"), float("nan"), float("nan"))
        return AmdahlFit(unknown, unknown, float("nan"))
    # scipy.optimize takes longer to import than most commands run.
    from scipy.optimize import least_squares

    logs = np.log(speeds)

    def residuals(parameters: Floats) -> Floats:
        log_single, serial = parameters
        difference: Floats = np.log(1.0 / (serial + (1 - serial) / counts)) + log_single - logs
        return difference

    lower, upper = np.array([-np.inf, 0.0]), np.array([np.inf, 1.0])
    start = np.array([float(np.mean(logs - np.log(counts))), 0.01])
    fit = least_squares(residuals, start, bounds=(lower, upper), x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12)
    reach = _half_widths(np.asarray(fit.jac, dtype=np.float64), fit.fun, confidence)
    low, high = np.maximum(fit.x - reach, lower), np.minimum(fit.x + reach, upper)
    single, serial = (Interval(*map(float, ends)) for ends in zip(fit.x, low, high, strict=True))
    return AmdahlFit(Interval(*map(exp, single)), serial, float(np.sqrt(np.mean(fit.fun**2))))


def _half_widths(jacobian: Floats, residual: Floats, confidence: float) -> Floats:
    """Return half-widths of the parameters' intervals from the linearised model; NaN without degrees of freedom."""
    points, parameters = jacobian.shape
    freedom = points - parameters
    scale = np.linalg.norm(jacobian, axis=0)
    if freedom < 1 or scale.min() == 0 or np.linalg.matrix_rank(jacobian / scale) < parameters:
        return np.full(parameters, np.nan)
    scaled = jacobian / scale
    variance = np.diag(np.linalg.inv(scaled.T @ scaled)) * float(residual @ residual) / freedom
    return np.asarray(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance) / scale, dtype=np.float64)
