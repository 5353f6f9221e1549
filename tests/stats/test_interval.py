from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from aeadlab.errors import ArgumentError
from aeadlab.stats import median_interval, smallest_count
from aeadlab.stats.interval import median_bounds, sorted_quantile


@pytest.mark.parametrize("n", [6, 7, 9, 10, 11, 15, 20, 31, 100, 101, 500])
def test_the_interval_covers_the_median_as_often_as_it_says(n: int, rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.3, (3000, n)), axis=1)
    low, high = median_bounds(rows)
    assert 0.90 <= np.mean((low <= 1) & (high >= 1)) <= 0.995


def test_a_wider_confidence_covers_more(rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.3, (2000, 40)), axis=1)
    covered = [np.mean((low <= 1) & (high >= 1)) for low, high in (median_bounds(rows, c) for c in (0.5, 0.8, 0.99))]
    assert covered == pytest.approx([0.5, 0.8, 0.99], abs=0.05)


@pytest.mark.parametrize("n", [10, 31, 64, 101])
def test_agrees_with_the_bca_of_scipy(n: int, rng: np.random.Generator) -> None:
    values = rng.lognormal(0, 0.2, n)
    theirs = scipy.stats.bootstrap((values,), np.median, method="BCa", n_resamples=20_000, rng=rng).confidence_interval
    ours = median_interval(values)
    assert ours.estimate == np.median(values)
    # Both take their ends from the same bootstrap distribution; random resamples move an end by a rank at most or so.
    ordered = np.sort(values)
    for mine, other in ((ours.low, theirs.low), (ours.high, theirs.high)):
        assert abs(np.interp(mine, ordered, np.arange(n)) - np.interp(other, ordered, np.arange(n))) <= 1.1


def test_resampled_medians_have_the_distribution_of_real_resampling(rng: np.random.Generator) -> None:
    values = np.sort(rng.lognormal(0, 0.2, (1, 24)), axis=1)
    real = np.median(values[0][rng.integers(0, 24, (20_000, 24))], axis=1)
    # Percentiles of resampled medians are read off through an interval of unskewed data, where BCa adds little.
    symmetric = np.sort(np.concatenate([values[0], -values[0]]))
    ours = median_interval(symmetric, 0.8)
    plain = np.quantile(np.median(rng.choice(symmetric, (20_000, 48)), axis=1), [0.1, 0.9])
    assert ours.low == pytest.approx(plain[0], rel=0.1)
    assert ours.high == pytest.approx(plain[1], rel=0.1)
    assert real.std() > 0


@pytest.mark.parametrize("n", [1, 2, 5])
def test_too_few_values_give_an_unknown_interval_not_a_narrow_one(n: int) -> None:
    found = median_interval([3.0] * n)
    assert found.estimate == 3.0
    assert np.isnan(found.low) and np.isnan(found.high)


def test_fewest_values_follow_from_the_confidence() -> None:
    assert [smallest_count(c) for c in (0.5, 0.9, 0.95, 0.99)] == [2, 5, 6, 8]
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        smallest_count(95)


def test_identical_values_have_an_interval_of_that_value() -> None:
    assert median_interval([0.25] * 50) == (0.25, 0.25, 0.25)
    assert median_interval([1e-9] * 51) == (1e-9, 1e-9, 1e-9)


def test_no_values_are_refused() -> None:
    with pytest.raises(ArgumentError, match="no values"):
        median_interval([])


@given(st.lists(st.floats(1e-9, 1e3), min_size=6, max_size=60), st.randoms(use_true_random=False))
def test_interval_holds_the_median_and_ignores_order(values: list[float], random: object) -> None:
    found = median_interval(values)
    assert min(values) <= found.low <= found.high <= max(values)
    slack = 1e-12 * found.estimate
    assert found.low - slack <= found.estimate <= found.high + slack
    random.shuffle(values)  # type: ignore[attr-defined]
    assert median_interval(values) == found


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values: list[float], share: float) -> None:
    rows = np.sort(np.array([values]), axis=1)
    assert sorted_quantile(rows, share)[0] == pytest.approx(np.quantile(values, share), rel=1e-9, abs=1e-9)


def test_many_groups_at_once_are_as_one_at_a_time(rng: np.random.Generator) -> None:
    rows = np.sort(rng.lognormal(0, 0.1, (2500, 11)), axis=1)
    low, high = median_bounds(rows)
    for i in (0, 999, 1000, 1001, 2499):
        assert median_interval(rows[i])[1:] == (low[i], high[i])
