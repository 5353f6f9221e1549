"""Classification of a case's times: one mode, two modes, or drift."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aeadlab.stats.dip import DipTest, dip_test
from aeadlab.stats.drift import Drift, drift
from aeadlab.stats.interval import Floats
from aeadlab.stats.mixture import Mixture, fit_mixture
from aeadlab.stats.rare_mode import slow_cluster
from aeadlab.stats.validation import finite, positive, same_length

Kind = Literal["one", "two", "drift", "too few"]

FEWEST_SAMPLES = 20
DIP_SIGNIFICANCE = 0.05
STRONG_EVIDENCE = 10.0
CLEAN_SEPARATION = 2.0
NEGLIGIBLE_RATIO = 1.01
_NAN_PAIR = (float("nan"), float("nan"))


@dataclass(frozen=True)
class Modes:
    """The modes of one case's times.

    Attributes
    ----------
    kind : {"one", "two", "drift", "too few"}
        ``drift``: the times depend on their order in the run, so that a second peak is not a mode of the case.
        ``too few``: fewer than 20 samples.
    n : int
        Number of samples.
    shares : tuple of float
        Share of samples in the fast and in the slow mode; the remainder is stray. NaN unless ``two``.
    medians : tuple of float
        Median of each mode in seconds. NaN unless ``two``.
    ratio : float
        Slow median over fast median. NaN unless ``two``.
    separation : float
        Ashman's D of the two fitted Gaussians on log time. NaN without a fit.
    evidence : float
        BIC of one component less BIC of two; above 10 is very strong for two. NaN without a fit.
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
    dip: DipTest
    drift: Drift


def modes(seconds: ArrayLike, order: ArrayLike, *, rare: bool = False, brief: bool = False) -> Modes:
    """Classify the times of one case as one mode, two modes or drift.

    There are two modes if BIC prefers two Gaussians by more than 10 [1]_, these are clearly separated (Ashman's D above
    2), the dip rejects one mode at 5 %, the slow median is at least 1 % above the fast one, and the mode of a sample
    does not depend on its place in the run. For the dip, the rarer mode must hold about a sixth of 100 samples, a tenth
    of 300, or a twentieth of 1,000.

    Equal times are first spread evenly over one tick of the clock, the smallest difference between times, since each
    tick of a coarse clock would be a mode otherwise. Times with only two distinct values are therefore one mode.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        Times of one case, above zero; n of at least one.
    order : array_like, shape (n,)
        Position of each in the run.
    rare : bool
        Whether to look for an expected slow mode that is too rare for the dip; see
        `aeadlab.stats.rare_mode.slow_cluster`.
    brief : bool
        Whether to skip the fit, which takes most of the time, where it cannot change `kind`; ``separation`` and
        ``evidence`` are NaN then.

    References
    ----------
    .. [1] R. E. Kass and A. E. Raftery, Bayes Factors, Journal of the American Statistical Association 90 (1995),
       773-795: a difference above 10 is very strong evidence.
    """
    times, positions = positive("seconds", seconds), finite("order", order)
    same_length("seconds", times, "order", positions)
    logs = np.log(_spread_ties(times))
    dip, trend = dip_test(logs), drift(times, positions)
    nan = float("nan")
    if times.size < FEWEST_SAMPLES:
        return Modes("too few", times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, dip, trend)
    if np.ptp(logs) == 0:
        return Modes("one", times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, dip, trend)
    cluster = slow_cluster(logs) if rare else None
    if brief and cluster is None and dip.p_value >= DIP_SIGNIFICANCE:
        kind: Kind = "drift" if trend.found else "one"
        return Modes(kind, times.size, _NAN_PAIR, _NAN_PAIR, nan, nan, nan, dip, trend)
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
    # With two peaks, drift inside a mode is irrelevant; only the membership must not drift.
    either = fast | slow
    drifts = drift(slow[either], positions[either]).ordered if bimodal else trend.found
    if drifts or not bimodal:
        kind = "drift" if drifts else "one"
        return Modes(kind, times.size, _NAN_PAIR, _NAN_PAIR, nan, two.separation, evidence, dip, trend)
    medians = (float(np.median(times[fast])), float(np.median(times[slow])))
    shares = (float(fast.mean()), float(slow.mean()))
    ratio = medians[1] / medians[0]
    return Modes("two", times.size, shares, medians, ratio, two.separation, evidence, dip, trend)


def _spread_ties(times: Floats) -> Floats:
    """Return the times in their order, equal ones spread evenly over one tick centred on them."""
    places, place, counts = np.unique(times, return_inverse=True, return_counts=True)
    if places.size in (1, times.size):
        return times
    # At most the least time, so that all spread times are above zero and have a logarithm.
    tick = min(float(np.diff(places).min()), float(places[0]))
    ascending = np.argsort(place, kind="stable")
    rank = np.empty(times.size)
    rank[ascending] = np.arange(times.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return times + tick * ((rank + 0.5) / counts[place] - 0.5)


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
