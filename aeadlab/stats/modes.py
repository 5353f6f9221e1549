"""Whether a case runs at one speed, switches between two, or merely drifts."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter1d

from aeadlab.stats.dip import DipTest, dip_test
from aeadlab.stats.drift import Drift, drift
from aeadlab.stats.interval import Floats
from aeadlab.stats.mixture import Mixture, fit_mixture
from aeadlab.stats.rare_mode import slow_cluster
from aeadlab.stats.selection import finite, positive, same_length

Kind = Literal["one", "two", "drift", "too few"]

FEWEST_SAMPLES = 20
DIP_SIGNIFICANCE = 0.05
STRONG_EVIDENCE = 10.0
CLEAN_SEPARATION = 2.0
NEGLIGIBLE_RATIO = 1.01
_SMALLEST_BUMP = 0.05
_GRID_STEPS_PER_BANDWIDTH = 4
_LARGEST_GRID = 1 << 18
_NAN_PAIR = (float("nan"), float("nan"))


@dataclass(frozen=True)
class Modes:
    """What the distribution of one case's times looks like.

    Attributes
    ----------
    kind : {"one", "two", "drift", "too few"}
        ``drift``: the times follow their order in the run, so a second peak, if any, is no mode of the case.
        ``too few``: under 20 samples nothing is concluded.
    n : int
        Samples.
    shares : tuple of float
        Share of samples in the fast and in the slow mode; what is missing to 1 is stray. NaN unless ``two``.
    medians : tuple of float
        Median of each mode in seconds. NaN unless ``two``.
    ratio : float
        Slow median over fast median. NaN unless ``two``.
    separation : float
        Ashman's D of the two fitted Gaussians on log time. NaN without a fit.
    evidence : float
        BIC of one component less BIC of two; above 10 is very strong for two. NaN without a fit.
    kde_modes : int
        Peaks of the kernel density; a second opinion that the verdict does not use.
    dip : DipTest
        Hartigan's dip of log time.
    drift : Drift
        Rank correlation of time with order.
    """

    kind: Kind
    n: int
    shares: tuple[float, float]
    medians: tuple[float, float]
    ratio: float
    separation: float
    evidence: float
    kde_modes: int
    dip: DipTest
    drift: Drift


def modes(seconds: ArrayLike, order: ArrayLike, *, rare: bool = False, brief: bool = False) -> Modes:
    """Tell one mode, two modes and drift apart.

    Two modes are called when all agree: BIC prefers two Gaussians by more than 10 [1]_, these are cleanly apart
    (Ashman's D above 2), and the dip rejects one mode at 5 %; when the slow median is a percent or more above the
    fast one, since a kernel that takes 100 us by the clock has modes of 20 ns; and when which mode a sample is in does
    not depend on its place in the run. The dip needs a rarer mode to hold about a sixth of 100 samples, a tenth of 300,
    a twentieth of 1,000.

    Equal times are first spread evenly over one tick of the clock, the least difference between times: on a coarse
    clock each tick would look like a mode otherwise. Times with only two distinct values are therefore one mode.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Times of one case, above zero; n of at least one.
    order : array_like, shape (n,)
        Position of each in the run.
    rare : bool
        Whether a slow mode is expected that may be too rare for the dip: see `aeadlab.stats.rare_mode.slow_cluster`.
    brief : bool
        Whether nothing is fitted where it cannot change the verdict, which takes most of the time; ``separation`` and
        ``evidence`` are NaN there.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the lengths differ, or a number is NaN, infinite, or a time is not positive.

    References
    ----------
    .. [1] R. E. Kass and A. E. Raftery, Bayes Factors, Journal of the American Statistical Association 90 (1995),
       773-795: a difference above 10 is very strong evidence.
    """
    times, positions = positive("seconds", seconds), finite("order", order)
    same_length("seconds", times, "order", positions)
    logs = np.log(_spread_ties(times))
    dip, trend = dip_test(logs), drift(times, positions)
    peaks = kde_mode_count(logs)
    nan = float("nan")
    if times.size < FEWEST_SAMPLES:
        return Modes("too few", times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, peaks, dip, trend)
    if np.ptp(logs) == 0:
        return Modes("one", times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, peaks, dip, trend)
    cluster = slow_cluster(logs) if rare else None
    if brief and cluster is None and dip.p_value >= DIP_SIGNIFICANCE:
        kind: Kind = "drift" if trend.found else "one"
        return Modes(kind, times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, peaks, dip, trend)
    one, two = fit_mixture(logs, 1), fit_mixture(logs, 2)
    evidence = one.bic - two.bic
    fast, slow = _members(logs, two) if cluster is None else (~cluster, cluster)
    bimodal = cluster is not None or (
        evidence > STRONG_EVIDENCE
        and two.separation > CLEAN_SEPARATION
        and dip.p_value < DIP_SIGNIFICANCE
        and bool(fast.any())
        and bool(slow.any())
        and float(np.median(times[slow]) / np.median(times[fast])) >= NEGLIGIBLE_RATIO
    )
    # Where two peaks exist, drift inside a mode is beside the point: what matters is whether membership drifts.
    either = fast | slow
    drifts = drift(slow[either], positions[either]).ordered if bimodal else trend.found
    if drifts or not bimodal:
        kind = "drift" if drifts else "one"
        return Modes(kind, times.size, _NAN_PAIR, _NAN_PAIR, nan, two.separation, evidence, peaks, dip, trend)
    medians = (float(np.median(times[fast])), float(np.median(times[slow])))
    shares = (float(fast.mean()), float(slow.mean()))
    ratio = medians[1] / medians[0]
    return Modes("two", times.size, shares, medians, ratio, two.separation, evidence, peaks, dip, trend)


def _spread_ties(times: Floats) -> Floats:
    """Times in their order, equal ones spread evenly over one tick centred on them."""
    places, place, counts = np.unique(times, return_inverse=True, return_counts=True)
    if places.size in (1, times.size):
        return times
    # Never more than the least time, or half of the spread times would reach zero and have no logarithm.
    tick = min(float(np.diff(places).min()), float(places[0]))
    ascending = np.argsort(place, kind="stable")
    rank = np.empty(times.size)
    rank[ascending] = np.arange(times.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return times + tick * ((rank + 0.5) / counts[place] - 0.5)


def kde_mode_count(values: ArrayLike) -> int:
    """Peaks of a Gaussian kernel density with Silverman's bandwidth, 0.9 min(s, IQR / 1.34) n**(-1/5) [1]_.

    Peaks below a twentieth of the highest are not counted: they are single stray values.

    Parameters
    ----------
    values : array_like, shape (n,)
        For times, their logarithms.

    Returns
    -------
    int
        At least 1, unless there are no values.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a value is NaN or infinite.

    References
    ----------
    .. [1] B. W. Silverman, Density Estimation for Statistics and Data Analysis, Chapman and Hall 1986, section 3.4.2.
    """
    array = finite("values", values)
    span = float(np.ptp(array)) if array.size else 0.0
    if span == 0:
        return min(array.size, 1)
    first, third = np.quantile(array, [0.25, 0.75])
    spreads = [s for s in (float(array.std(ddof=1)), float(third - first) / 1.34) if s > 0]
    bandwidth = 0.9 * min(spreads) * array.size**-0.2
    step = max(bandwidth / _GRID_STEPS_PER_BANDWIDTH, span / _LARGEST_GRID)
    # Four bandwidths of margin on both sides, so that every peak has lower ground beside it.
    margin = 4 * bandwidth + step
    cells = int(np.ceil((span + 2 * margin) / step))
    counts, _ = np.histogram(array, bins=cells, range=(array.min() - margin, array.min() - margin + cells * step))
    density = gaussian_filter1d(counts.astype(np.float64), bandwidth / step, mode="constant", truncate=6.0)
    # A plateau counts once: equal neighbours are merged before looking for peaks.
    levels = density[np.concatenate([[True], np.diff(density) != 0])]
    inner = levels[1:-1]
    peaks = (inner > levels[:-2]) & (inner > levels[2:]) & (inner >= _SMALLEST_BUMP * density.max())
    return int(np.count_nonzero(peaks))


def _members(logs: Floats, fit: Mixture) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which values belong to the lower and to the upper Gaussian; what fits the background better is in neither."""
    mean, deviation, weight = (np.array(part)[:, np.newaxis] for part in (fit.means, fit.deviations, fit.weights))
    density = weight / (deviation * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((logs - mean) / deviation) ** 2)
    stray = density.max(axis=0) < fit.background / np.ptp(logs)
    # Of two Gaussians the wider one wins in both far tails, so the line is drawn between the means only.
    above = logs > _boundary(fit)
    return ~stray & ~above, ~stray & above


def _boundary(fit: Mixture) -> float:
    """The value between the two means where both Gaussians are equally likely, or the midpoint if there is none."""
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
