"""Classification of a case's times: one mode, two modes, or drift."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.stats.drift import Drift, drift
from aeadlab.stats.interval import Floats
from aeadlab.stats.mixture import Mixture, fit_mixture
from aeadlab.stats.validation import finite, positive, same_length
from aeadlab.stats.valley import FEWEST_VALUES, level_residuals, valley_test

Kind = Literal["one", "two", "drift", "too few"]

SIGNIFICANCE = 0.05
CLEAN_SEPARATION = 2.0
NEGLIGIBLE_RATIO = 1.01
_GOLDEN = (5**0.5 - 1) / 2
_NAN = float("nan")


@dataclass(frozen=True)
class Modes:
    """The modes of one case's times.

    Attributes
    ----------
    kind : {"one", "two", "drift", "too few"}
        ``one``: no second mode was found, which does not show that there is none; see
        `aeadlab.stats.mode_intervals.share_interval`. ``drift``: the times depend on their order in the run, so that a
        second peak is not a mode of the case. ``too few``: fewer than 20 samples, or fewer with neighbours.
    n : int
        Number of samples.
    processes : int
        Number of processes that took them.
    p_value : float
        Of `aeadlab.stats.valley.valley_test` for the samples' distances from the level of their process; NaN for too
        few samples, and for equal ones.
    drift : Drift
        Rank correlation of time with order.
    shares : tuple of float
        Share of samples in the fast and in the slow mode; the remainder is stray. NaN unless ``two``.
    medians : tuple of float
        Median of each mode in seconds. NaN unless ``two``.
    ratio : float
        Slow median over fast median. NaN unless ``two``.
    separation : float
        Ashman's D of the two fitted Gaussians on log time. NaN without a fit.
    """

    kind: Kind
    n: int
    processes: int
    p_value: float
    drift: Drift
    shares: tuple[float, float] = (_NAN, _NAN)
    medians: tuple[float, float] = (_NAN, _NAN)
    ratio: float = _NAN
    separation: float = _NAN

    @property
    def limitation(self) -> str:
        """Why the samples support no conclusion about modes, or ``""``."""
        if self.kind == "too few":
            return f"{self.n} samples given, {FEWEST_VALUES} with neighbours in their process are required for modes"
        if self.p_value != self.p_value:
            return "all samples are equal, so that the resolution of the clock hides any modes"
        if self.processes == 1:
            return "all samples are of one process, which does not show what another process takes"
        return ""


def modes(seconds: ArrayLike, order: ArrayLike, process: ArrayLike | None = None) -> Modes:
    """Classify the times of one case as one mode, two modes or drift.

    A second mode shows in each process: a sample differs from those taken just before and after it in the same process.
    A time that is constant within each process, or changes slowly, is an effect of the process or a trend and not a
    mode of the case. There are two modes if the distances of the log times from this level
    (`aeadlab.stats.valley.level_residuals`) have a significant valley at 5 % (`aeadlab.stats.valley.valley_test`), and
    if two Gaussians that are fitted to either side of it are clearly separated (Ashman's D above 2), the slow median is
    at least 1 % above the fast one, and the mode of a sample does not depend on its place in the run.
    ``docs/METHODOLOGY.md`` has the rate of false positives, and the power for rare modes.

    Equal times are first spread evenly over one tick of the clock, the smallest difference between times, since each
    tick of a coarse clock would be a mode otherwise. Times with only two distinct values are therefore one mode.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Times of one case, above zero; n of at least one.
    order : array_like, shape (n,)
        Position of each in the run.
    process : array_like, shape (n,), optional
        Number of the process that took each; None means a single one.
    """
    times, positions = positive("seconds", seconds), finite("order", order)
    same_length("seconds", times, "order", positions)
    processes = np.zeros(times.size) if process is None else finite("process", process)
    same_length("seconds", times, "process", processes)
    count, trend = np.unique(processes).size, drift(times, positions, processes)
    without: Kind = "drift" if trend.found else "one"
    if times.size < FEWEST_VALUES:
        return Modes("too few", times.size, count, _NAN, trend)
    logs = np.log(_spread_ties(times))
    residuals, index = level_residuals(logs, positions, processes)
    if residuals.size < FEWEST_VALUES:
        return Modes("too few", times.size, count, _NAN, trend)
    if np.ptp(logs) == 0:
        return Modes("one", times.size, count, _NAN, trend)
    valley = valley_test(residuals)
    if valley.p_value > SIGNIFICANCE:
        return Modes(without, times.size, count, valley.p_value, trend)
    beyond = np.abs(residuals - valley.outer) < np.abs(residuals - valley.inner)
    # The middle between the samples beyond the valley and their levels.
    cut = float(np.median(logs[index[beyond]] - residuals[beyond] / 2))
    fit = fit_mixture(logs, 2, cut)
    fast, slow = _members(logs, fit)
    separated = (
        fit.separation > CLEAN_SEPARATION
        and bool(fast.any())
        and bool(slow.any())
        and float(np.median(times[slow]) / np.median(times[fast])) >= NEGLIGIBLE_RATIO
    )
    # With two peaks, drift inside a mode is irrelevant; only the membership must not drift.
    either = fast | slow
    if not separated or drift(slow[either], positions[either], processes[either]).ordered:
        kind = "drift" if separated else without
        return Modes(kind, times.size, count, valley.p_value, trend, separation=fit.separation)
    medians = (float(np.median(times[fast])), float(np.median(times[slow])))
    shares = (float(fast.mean()), float(slow.mean()))
    ratio = medians[1] / medians[0]
    return Modes("two", times.size, count, valley.p_value, trend, shares, medians, ratio, fit.separation)


def _spread_ties(times: Floats) -> Floats:
    """Return the times in their order, equal ones spread evenly over one tick centred on them.

    Successive equal times receive distant places in the tick, as multiples of the golden ratio do, since neighbours in
    time are compared with each other.
    """
    places, place, counts = np.unique(times, return_inverse=True, return_counts=True)
    if places.size in (1, times.size):
        return times
    # At most the least time, so that all spread times are above zero and have a logarithm.
    tick = min(float(np.diff(places).min()), float(places[0]))
    ascending = np.argsort(place, kind="stable")
    rank = np.empty(times.size)
    rank[ascending] = np.arange(times.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return times + tick * (((rank + 0.5) * _GOLDEN) % 1 - 0.5)


def _members(logs: Floats, fit: Mixture) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the members of the lower and of the upper Gaussian, without values that fit the background better."""
    mean, deviation, weight = (np.array(part)[:, np.newaxis] for part in (fit.means, fit.deviations, fit.weights))
    density = weight / (deviation * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((logs - mean) / deviation) ** 2)
    stray = density.max(axis=0) < fit.background / np.ptp(logs)
    # The wider Gaussian is more likely in both far tails, so only a boundary between the means separates the two.
    above = logs > _boundary(fit)
    return ~stray & ~above, ~stray & above


def _boundary(fit: Mixture) -> float:
    """Return the value between the means where both Gaussians are equally likely, or the midpoint without one."""
    (mean_a, mean_b), (dev_a, dev_b), (weight_a, weight_b) = fit.means, fit.deviations, fit.weights
    quadratic = np.array(
        [
            1 / dev_b**2 - 1 / dev_a**2,
            2 * (mean_a / dev_a**2 - mean_b / dev_b**2),
            (mean_b / dev_b) ** 2
            - (mean_a / dev_a) ** 2
            + 2 * (log(weight_a) - log(weight_b) + log(dev_b) - log(dev_a)),
        ]
    )
    roots = np.roots(quadratic)
    between = [float(r.real) for r in roots if abs(r.imag) < 1e-9 and mean_a < r.real < mean_b]
    return between[0] if between else 0.5 * (mean_a + mean_b)
