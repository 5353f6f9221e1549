"""Mixtures of one or two Gaussians and a uniform background, fitted by expectation-maximisation, with their BIC."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from aeadlab.errors import ArgumentError
from aeadlab.stats.interval import Floats
from aeadlab.stats.validation import finite

_ITERATIONS = 500
_TOLERANCE = 1e-7
_LEAST_AMOUNT = 1e-12
_LARGEST_BATCH = 200_000
_BACKGROUND = 0.02
_LEAST_SHARE_OF_DEVIATION = 0.01


@dataclass(frozen=True)
class Mixture:
    """A fitted mixture, in the unit of its values.

    Attributes
    ----------
    means, deviations, weights : tuple of float
        One of each per Gaussian, ascending by mean.
    background : float
        Weight of the uniform density over the range of the values; weights and background sum to 1.
    log_likelihood : float
    bic : float
        Bayesian information criterion [1]_, the lower the better.

    References
    ----------
    .. [1] G. Schwarz, Estimating the Dimension of a Model, Annals of Statistics 6 (1978), 461-464.
    """

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    background: float
    log_likelihood: float
    bic: float

    @property
    def separation(self) -> float:
        """Ashman's D of two Gaussians: above 2 they are clearly separated [1]_; NaN for one.

        References
        ----------
        .. [1] K. M. Ashman, C. M. Bird and S. E. Zepf, Detecting Bimodality in Astronomical Datasets, Astronomical
           Journal 108 (1994), 2348-2361.
        """
        if len(self.means) < 2:
            return float("nan")
        distance = self.means[1] - self.means[0]
        return sqrt(2) * distance / sqrt(self.deviations[0] ** 2 + self.deviations[1] ** 2)


def fit_mixture(values: ArrayLike, components: Literal[1, 2], cut: float | None = None) -> Mixture:
    """Fit the most likely mixture of `components` Gaussians and a uniform background.

    The background models stray values, such as interrupted samples, which the second Gaussian would fit otherwise
    [1]_. The best result of several starting points is returned.

    Parameters
    ----------
    values : array_like, shape (n,)
        At least two distinct values; for times their logarithms.
    components : 1 or 2
    cut : float, optional
        Value between the two Gaussians, the only starting point; ignored if no value is above or none below it.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If all values are equal, there are none, or any is NaN or infinite.

    Notes
    -----
    Deviations are at least a hundredth of the sample's, since the likelihood of a Gaussian at one value is unbounded.

    References
    ----------
    .. [1] J. D. Banfield and A. E. Raftery, Model-Based Gaussian and Non-Gaussian Clustering, Biometrics 49 (1993),
       803-821.
    """
    array = np.sort(finite("values", values))
    if array.size < 2 or array[0] == array[-1]:
        raise ArgumentError(f"{array.size} equal values given, expected at least two distinct values")
    cuts: set[int] = set()
    at = int(np.searchsorted(array, cut)) if cut is not None else 0
    if components == 2 and 0 < at < array.size:
        cuts = {at}
    elif components == 2:
        cuts = {_best_cut(array), *(int(share * array.size) for share in (0.1, 0.3, 0.5, 0.7, 0.9))} - {0}
    starts = [np.split(array, [cut] if cut else []) for cut in sorted(cuts or {0})]
    # Starts are fitted together where they fit in memory: with short arrays, calls of NumPy take most of the time.
    step = max(1, _LARGEST_BATCH // array.size)
    fits = [_maximise(array, starts[first : first + step]) for first in range(0, len(starts), step)]
    return max(fits, key=lambda fit: fit.log_likelihood)


def _best_cut(array: Floats) -> int:
    """Return the position that splits ascending values with the least squared distance to the two means."""
    centred = array - array.mean()
    left = np.arange(1, array.size)
    between = np.cumsum(centred)[:-1] ** 2 * (1 / left + 1 / (array.size - left))
    return int(np.argmax(between)) + 1


def _maximise(array: Floats, starts: list[list[Floats]]) -> Mixture:
    """Return the best fit of several starts, each a partition of the values into the initial Gaussians."""
    n = array.size
    floor = _LEAST_SHARE_OF_DEVIATION * float(array.std())
    means = np.array([[part.mean() for part in parts] for parts in starts])
    deviations = np.maximum([[part.std() for part in parts] for parts in starts], floor)
    sizes = [[_BACKGROUND, *((1 - _BACKGROUND) * part.size / n for part in parts)] for parts in starts]
    weights = np.array(sizes)
    log_uniform = -log(array[-1] - array[0])
    previous = np.full(len(starts), -np.inf)
    for _ in range(_ITERATIONS):
        joint = _log_joint(array, means, deviations, weights, log_uniform)
        highest = joint.max(axis=1, keepdims=True)
        share = np.exp(joint - highest)
        total = share.sum(axis=1, keepdims=True)
        likelihood = (highest + np.log(total)).sum(axis=(1, 2))
        if (likelihood - previous <= _TOLERANCE * n).all():
            break
        previous = likelihood
        share /= total
        amount = np.maximum(share.sum(axis=2), _LEAST_AMOUNT)
        weights = amount / amount.sum(axis=1, keepdims=True)
        means = share[:, 1:] @ array / amount[:, 1:]
        squares = (share[:, 1:] * (array - means[:, :, np.newaxis]) ** 2).sum(axis=2)
        deviations = np.maximum(np.sqrt(squares / amount[:, 1:]), floor)
    best = int(likelihood.argmax())
    order = np.argsort(means[best])
    return Mixture(
        means=tuple(means[best][order].tolist()),
        deviations=tuple(deviations[best][order].tolist()),
        weights=tuple(weights[best][1:][order].tolist()),
        background=float(weights[best][0]),
        log_likelihood=float(likelihood[best]),
        bic=float(3 * order.size * log(n) - 2 * likelihood[best]),
    )


def _log_joint(array: Floats, means: Floats, deviations: Floats, weights: Floats, log_uniform: float) -> Floats:
    """Return the log of weight times density, shape (starts, 1 + components, n), background first."""
    joint = np.empty((*weights.shape, array.size))
    joint[:, 0] = log_uniform
    scaled = (array - means[:, :, np.newaxis]) / deviations[:, :, np.newaxis]
    joint[:, 1:] = -0.5 * scaled**2 - np.log(deviations)[:, :, np.newaxis] - 0.5 * log(2 * pi)
    joint += np.log(weights)[:, :, np.newaxis]
    return joint
