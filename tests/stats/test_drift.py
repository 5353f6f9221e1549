from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import drift


def test_agrees_with_the_tau_of_scipy(rng: np.random.Generator) -> None:
    order = rng.permutation(50)
    values = rng.lognormal(0, 0.1, 50) + 0.002 * order
    expected = scipy.stats.kendalltau(order, values)
    found = drift(values, order)
    assert (found.tau, found.p_value, found.n) == (expected.statistic, expected.pvalue, 50)


def test_steady_times_are_rarely_drift(rng: np.random.Generator) -> None:
    found = [drift(rng.lognormal(0, 0.1, 100), np.arange(100)).found for _ in range(300)]
    assert np.mean(found) <= 0.03


def test_detects_drift_with_its_direction(rng: np.random.Generator) -> None:
    slowing = np.linspace(1, 1.05, 100) * rng.lognormal(0, 0.02, 100)
    assert drift(slowing, np.arange(100)).found
    assert drift(slowing, np.arange(100)).tau > 0
    assert drift(slowing, -np.arange(100)).tau < 0


def test_a_negligible_trend_in_a_long_run_is_not_drift(rng: np.random.Generator) -> None:
    n = 20_000
    found = drift(rng.normal(0, 1, n) + np.linspace(0, 0.15, n), np.arange(n))
    assert found.p_value < 0.01
    assert not found.found


def test_a_change_under_one_percent_is_not_drift(rng: np.random.Generator) -> None:
    """Times of a loop of 100 us that vary by 20 ns were reported as drift in two of three runs."""
    for end, drifts in ((1.005, False), (1.05, True)):
        times = 1e-4 * np.linspace(1, end, 300) * rng.lognormal(0, 0.0003, 300)
        found = drift(times, np.arange(300))
        assert found.ordered and found.found == drifts
        assert found.change == pytest.approx((end - 1) * 2 / 3, rel=0.1)


def test_change_follows_the_given_order() -> None:
    times = np.linspace(1, 1.3, 30)
    assert drift(times[::-1], np.arange(30)[::-1]).change == drift(times, np.arange(30)).change > 0.15


@pytest.mark.parametrize("n", [0, 1, 2])
def test_two_samples_have_no_trend(n: int) -> None:
    found = drift(np.arange(n), np.arange(n))
    assert np.isnan(found.tau) and np.isnan(found.p_value)
    assert not found.found


def test_three_rising_times_are_no_evidence() -> None:
    found = drift([1.0, 2.0, 3.0], [0, 1, 2])
    assert found.tau == pytest.approx(1.0)
    assert found.p_value == pytest.approx(1 / 3)


def test_equal_times_have_no_correlation() -> None:
    assert not drift([1.0] * 50, np.arange(50)).found
    assert not drift(np.arange(50), [3] * 50).found


def test_rejects_different_lengths() -> None:
    with pytest.raises(ArgumentError, match="values has 3 values and order has 2"):
        drift([1.0, 2.0, 3.0], [0, 1])
