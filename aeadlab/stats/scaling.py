"""Speed against threads: speed-up, efficiency, and Amdahl's law fitted to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import CONFIDENCE, Floats, Interval
from aeadlab.stats.pairing import relative_speed
from aeadlab.stats.processes import FEWEST, standard_error
from aeadlab.stats.selection import CASE_COLUMNS, usable
from aeadlab.stats.validation import finite, positive, same_length

_GOLDEN: Final = (5**0.5 - 1) / 2
_GOLDEN_STEPS: Final = 40
"""Steps after which the serial share is known to 1e-8."""


def speed_up(samples: pd.DataFrame, confidence: float = CONFIDENCE) -> pd.DataFrame:
    """Return the speed-up of each case over the same case with one thread, paired by round, and its efficiency.

    Returns
    -------
    pandas.DataFrame
        One row per case: `selection.CASE_COLUMNS`, ``pairs`` (rounds that hold both), ``speed_up``, ``speed_up_low``,
        ``speed_up_high``, and ``efficiency``, ``efficiency_low``, ``efficiency_high``, the speed-up divided by the
        thread count. All are NaN without a case with one thread, the intervals also with fewer than six pairs from
        one or two processes.
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
    With processes the ends are those of Student's t over the fits of the single processes, and NaN for fewer than three
    processes. Otherwise the points count as independent, and the ends are NaN for two points, as many as there are
    parameters. Everything is NaN for a single thread count.
    """

    single: Interval
    serial: Interval
    residual: float


def fit_amdahl(
    threads: ArrayLike, speed: ArrayLike, confidence: float = CONFIDENCE, process: ArrayLike | None = None
) -> AmdahlFit:
    """Fit Amdahl's law [1]_, ``single / (serial + (1 - serial) / threads)``, by least squares on log speed.

    Logarithms give a relative error the same weight at every thread count.

    Parameters
    ----------
    threads : array_like, shape (n,)
        At least 1 each; counts may repeat.
    speed : array_like, shape (n,)
        Speeds above zero, in GiB/s or any other unit, or speed-ups.
    process : array_like of int, shape (n,), optional
        The process of each speed. Speeds of one process have its effect in common, so that they are not independent.

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
    if process is None:
        reach = _half_widths(np.asarray(fit.jac, dtype=np.float64), fit.fun, confidence)
        low, high = np.maximum(fit.x - reach, lower), np.minimum(fit.x + reach, upper)
    else:
        low, high = _over_processes(counts, speeds, finite("process", process), confidence)
        low, high = np.maximum(np.minimum(fit.x, low), lower), np.minimum(np.maximum(fit.x, high), upper)
    single, serial = (Interval(*map(float, ends)) for ends in zip(fit.x, low, high, strict=True))
    return AmdahlFit(Interval(*map(exp, single)), serial, float(np.sqrt(np.mean(fit.fun**2))))


def _over_processes(counts: Floats, speeds: Floats, process: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the ends of t intervals of both parameters over the fits of the processes with two thread counts."""
    same_length("threads", counts, "process", process)
    pairs = np.unique(np.stack([process, counts]), axis=1)
    several = np.unique(pairs[0])[np.unique(pairs[0], return_counts=True)[1] > 1]
    if several.size < FEWEST:
        return np.full(2, np.nan), np.full(2, np.nan)
    kept = np.isin(process, several)
    parameters = _fits(counts[kept], np.log(speeds[kept]), np.searchsorted(several, process[kept]))
    reach = stdtrit(several.size - 1, (1 + confidence) / 2) * standard_error(parameters)
    centre = parameters.mean(axis=1)
    return centre - reach, centre + reach


def _fits(counts: Floats, logs: Floats, process: NDArray[np.intp]) -> Floats:
    """Return log single speed and serial share of each process by least squares, shape (2, processes).

    For a serial share the best single speed is known, which leaves one parameter; a golden section finds those of all
    processes at once, because a general solver takes milliseconds for each.
    """
    sizes = np.bincount(process)

    def solve(serial: Floats) -> tuple[Floats, Any]:
        """Return the best log single speed of each process for a serial share, and the sum of squares."""
        share = serial[process]
        rest = logs + np.log(share + (1 - share) / counts)
        single = np.bincount(process, rest) / sizes
        return single, np.bincount(process, (rest - single[process]) ** 2)

    low, high = np.zeros(sizes.size), np.ones(sizes.size)
    for _ in range(_GOLDEN_STEPS):
        inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        left = solve(inner)[1] <= solve(outer)[1]
        low, high = np.where(left, low, inner), np.where(left, outer, high)
    serial = (low + high) / 2
    return np.stack([solve(serial)[0], serial])


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
