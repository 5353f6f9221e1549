from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

from aeadlab.errors import ArgumentError
from aeadlab.stats import median_interval, smallest_count
from aeadlab.stats.interval import _acceleration, _middle_ranks, median_bounds, sorted_quantile


@pytest.mark.parametrize("n", [6, 7, 9, 10, 11, 15, 20, 31, 100, 101, 500])
def test_median_interval_has_its_nominal_coverage(n: int, rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.3, (3000, n)), axis=1)
    low, high = median_bounds(rows)
    assert 0.90 <= np.mean((low <= 1) & (high >= 1)) <= 0.995


def test_higher_confidence_gives_a_wider_interval(rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.3, (2000, 40)), axis=1)
    covered = [np.mean((low <= 1) & (high >= 1)) for low, high in (median_bounds(rows, c) for c in (0.5, 0.8, 0.99))]
    assert covered == pytest.approx([0.5, 0.8, 0.99], abs=0.05)


@pytest.mark.parametrize("n", [10, 31, 64, 101])
def test_agrees_with_the_bca_of_scipy(n: int, rng: np.random.Generator) -> None:
    values = rng.lognormal(0, 0.2, n)
    theirs = scipy.stats.bootstrap((values,), np.median, method="BCa", n_resamples=20_000, rng=rng).confidence_interval
    ours = median_interval(values)
    assert ours.estimate == np.median(values)
    # Both use the same bootstrap distribution; random resamples change an end by about one rank.
    ordered = np.sort(values)
    for mine, other in ((ours.low, theirs.low), (ours.high, theirs.high)):
        assert abs(np.interp(mine, ordered, np.arange(n)) - np.interp(other, ordered, np.arange(n))) <= 1.1


@pytest.mark.parametrize("n", [10, 11, 24, 75])
def test_drawn_ranks_follow_the_bootstrap_distribution(n: int, rng: np.random.Generator) -> None:
    resamples = np.sort(rng.integers(0, n, (40_000, n)), axis=1)
    real_low, real_high = resamples[:, (n - 1) // 2], resamples[:, n // 2]
    low, high = _middle_ranks(n)
    for real, drawn in ((real_low, low), (real_high, high), (real_high - real_low, high - low)):
        # For discrete ranks the p-value of the test is conservative.
        assert scipy.stats.ks_2samp(real, drawn).pvalue > 0.001


@pytest.mark.parametrize("n", [10, 11, 37])
def test_acceleration_agrees_with_the_jackknife(n: int, rng: np.random.Generator) -> None:
    values = np.sort(rng.lognormal(0, 2, n))
    left_out = np.array([np.median(np.delete(values, i)) for i in range(n)])
    deviation = left_out.mean() - left_out
    expected = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    assert _acceleration(values[np.newaxis, :])[0] == pytest.approx(expected, abs=1e-12)
    assert _acceleration(1e-140 * values[np.newaxis, :])[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_values_have_an_unknown_interval(n: int) -> None:
    found = median_interval([3.0] * n)
    assert found.estimate == 3.0
    assert np.isnan(found.low) and np.isnan(found.high)


def test_smallest_count_follows_from_the_confidence() -> None:
    assert [smallest_count(c) for c in (0.5, 0.9, 0.95, 0.99)] == [2, 5, 6, 8]
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        smallest_count(95)


def test_identical_values_give_a_zero_width_interval() -> None:
    assert median_interval([0.25] * 50) == (0.25, 0.25, 0.25)
    assert median_interval([1e-9] * 51) == (1e-9, 1e-9, 1e-9)


def test_rejects_empty_values() -> None:
    with pytest.raises(ArgumentError, match="no values"):
        median_interval([])


@settings(deadline=None)
@given(st.lists(st.floats(1e-9, 1e3), min_size=6, max_size=60), st.randoms(use_true_random=False))
def test_interval_contains_the_median_in_any_order(values: list[float], random: object) -> None:
    found = median_interval(values)
    assert min(values) <= found.low <= found.high <= max(values)
    slack = 1e-12 * found.estimate
    assert found.low - slack <= found.estimate <= found.high + slack
    random.shuffle(values)  # type: ignore[attr-defined]
    assert median_interval(values) == found


@settings(deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_agree_with_numpy(values: list[float], share: float) -> None:
    rows = np.sort(np.array([values]), axis=1)
    assert sorted_quantile(rows, share)[0] == pytest.approx(np.quantile(values, share), rel=1e-9, abs=1e-9)


def test_many_groups_equal_single_groups(rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.1, (2500, 11)), axis=1)
    low, high = median_bounds(rows)
    for i in (0, 999, 1000, 1001, 2499):
        assert median_interval(rows[i])[1:] == (low[i], high[i])
