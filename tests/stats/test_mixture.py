from __future__ import annotations

import numpy as np
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import fit_mixture
from aeadlab.stats.mixture import _best_cut


def test_recovers_mixture_components(rng: np.random.Generator) -> None:
    values = np.concatenate([rng.normal(0, 0.1, 700), rng.normal(1, 0.2, 300)])
    fit = fit_mixture(rng.permutation(values), 2)
    assert fit.means == pytest.approx((0, 1), abs=0.05)
    assert fit.deviations == pytest.approx((0.1, 0.2), rel=0.2)
    assert fit.weights == pytest.approx((0.7, 0.3), abs=0.03)
    assert sum(fit.weights) + fit.background == pytest.approx(1)
    assert fit.separation == pytest.approx(np.sqrt(2) / np.hypot(0.1, 0.2), rel=0.15)


def test_bic_selects_the_true_number_of_components(rng: np.random.Generator) -> None:
    one = rng.normal(0, 1, 300)
    two = np.concatenate([rng.normal(0, 1, 200), rng.normal(6, 1, 100)])
    assert fit_mixture(one, 1).bic < fit_mixture(one, 2).bic
    assert fit_mixture(two, 2).bic < fit_mixture(two, 1).bic - 50


def test_strays_do_not_become_a_component(rng: np.random.Generator) -> None:
    values = np.concatenate([rng.normal(0, 0.03, 64), rng.normal(0.22, 0.03, 32), rng.uniform(0.6, 2.2, 4)])
    fit = fit_mixture(values, 2)
    assert fit.means == pytest.approx((0, 0.22), abs=0.02)
    assert fit.background == pytest.approx(0.04, abs=0.02)


def test_log_likelihood_agrees_with_the_density(rng: np.random.Generator) -> None:
    values = rng.normal(3, 2, 50)
    fit = fit_mixture(values, 2)
    gaussians = [
        w / (s * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((values - m) / s) ** 2)
        for m, s, w in zip(fit.means, fit.deviations, fit.weights, strict=True)
    ]
    density = sum(gaussians) + fit.background / np.ptp(values)
    assert fit.log_likelihood == pytest.approx(np.log(density).sum(), abs=1e-4)
    assert fit.bic == pytest.approx(6 * np.log(50) - 2 * fit.log_likelihood)
    assert fit_mixture(values, 1).separation != fit_mixture(values, 1).separation


def test_repeated_values_do_not_break_the_fit() -> None:
    fit = fit_mixture([0.0] * 30 + [1.0] * 20 + [1.1], 2)
    assert np.isfinite(fit.bic)
    assert min(fit.deviations) > 0
    two = fit_mixture([0.0, 1.0], 2)
    assert np.isfinite(two.bic)


@pytest.mark.parametrize("values", [[], [1.0], [2.0] * 40])
def test_rejects_equal_values(values: list[float]) -> None:
    with pytest.raises(ArgumentError, match="at least two distinct"):
        fit_mixture(values, 2)


def test_the_best_cut_has_the_least_squared_distances(rng: np.random.Generator) -> None:
    for n in (2, 3, 7, 12):
        values = np.sort(rng.lognormal(0, 1, n))
        within = [values[:k].var() * k + values[k:].var() * (n - k) for k in range(1, n)]
        assert _best_cut(values) == 1 + int(np.argmin(within))


def test_a_cut_is_the_only_start(rng: np.random.Generator) -> None:
    """With three groups the cut decides whether two share a Gaussian or one becomes the background."""
    values = np.concatenate([rng.normal(place, 0.05, 40) for place in (0.0, 3.0, 8.0)])
    below, above = fit_mixture(values, 2, 1.0), fit_mixture(values, 2, 5.0)
    assert below.means == pytest.approx((0.0, 3.0), abs=0.05)
    assert above.means == pytest.approx((1.5, 8.0), abs=0.05)
    free = fit_mixture(values, 2)
    for outside in (-9.0, 99.0):
        assert fit_mixture(values, 2, outside) == free
    assert free.log_likelihood >= max(below.log_likelihood, above.log_likelihood)
    assert fit_mixture(values, 1, 1.0) == fit_mixture(values, 1)


def test_one_gaussian_has_the_moments_of_its_values(rng: np.random.Generator) -> None:
    values = rng.normal(5, 2, 4000)
    fit = fit_mixture(values, 1)
    assert (*fit.means, *fit.deviations) == pytest.approx((values.mean(), values.std()), rel=0.02)
    assert fit.background < 0.02 and fit.weights[0] == pytest.approx(1 - fit.background)
    assert fit.bic == pytest.approx(3 * np.log(4000) - 2 * fit.log_likelihood)


def test_deviations_are_at_least_a_hundredth_of_the_samples() -> None:
    values = np.repeat([0.0, 1.0], 50)
    fit = fit_mixture(values, 2)
    assert fit.deviations == pytest.approx((0.005, 0.005))
    assert fit.means == pytest.approx((0.0, 1.0), abs=1e-6) and fit.weights == pytest.approx((0.5, 0.5), abs=1e-3)
    assert fit.separation == pytest.approx(1 / 0.005)


def test_gaussians_ascend_by_their_means(rng: np.random.Generator) -> None:
    """The means exchange places where the lower start covers the wider group."""
    values = np.concatenate([rng.normal(0, 5, 60), rng.normal(0.5, 0.05, 60)])
    for cut in (-2.0, 0.4, 3.0):
        fit = fit_mixture(values, 2, cut)
        assert fit.means[0] < fit.means[1]
        narrow = int(np.argmin(fit.deviations))
        assert fit.means[narrow] == pytest.approx(0.5, abs=0.1) or min(fit.deviations) > 1
