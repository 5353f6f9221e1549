from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import drift
from aeadlab.stats.drift import Drift


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


def test_one_pair_of_samples_in_a_process_has_a_trend_and_no_evidence() -> None:
    # The variance of its score is 1, the least there is.
    found = drift([2.0, 1.0, 5.0], [0, 1, 2], [0, 0, 1])
    assert (found.tau, found.p_value, found.change) == (-1.0, 1.0, -0.5)


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


def in_processes(processes: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the order and the process of samples whose processes run one after the other."""
    return np.arange(processes * rounds), np.repeat(np.arange(processes), rounds)


@pytest.mark.parametrize(("processes", "rounds"), [(3, 20), (14, 4), (20, 5)])
def test_offsets_of_processes_are_no_drift(rng: np.random.Generator, processes: int, rounds: int) -> None:
    order, process = in_processes(processes, rounds)
    found = pooled = 0
    for _ in range(400):
        times = np.exp(rng.uniform(-0.05, 0.05, processes)[process] + rng.normal(0, 0.01, order.size))
        found += drift(times, order, process).ordered
        pooled += drift(times, order).ordered
    assert found <= 10, "1 % of 400 and two standard errors"
    assert pooled > 40, "the offsets are taken for a drift if the samples count as independent"


def test_a_drift_across_processes_is_found(rng: np.random.Generator) -> None:
    order, process = in_processes(14, 4)
    offsets = np.exp(rng.uniform(-0.01, 0.01, 14)[process])
    found = drift(np.linspace(1, 1.1, 56) * offsets * rng.lognormal(0, 0.01, 56), order, process)
    assert found.found and found.tau > 0.5
    assert found.change == pytest.approx(0.065, abs=0.02)
    # The numbers of processes do not matter, only their places in the run.
    assert drift(np.linspace(1, 1.1, 56), order, -process).tau == 1


def test_a_drift_within_each_process_is_found(rng: np.random.Generator) -> None:
    order, process = in_processes(3, 20)
    times = np.tile(np.linspace(1, 1.06, 20), 3) * np.array([1, 1.3, 0.9])[process] * rng.lognormal(0, 0.005, 60)
    found = drift(times, order, process)
    assert found.found and found.tau > 0.5
    assert found.change == pytest.approx(0.04, abs=0.015)


def test_the_score_within_processes_is_the_sum_over_them(rng: np.random.Generator) -> None:
    order, process = in_processes(2, 8)
    times = np.round(rng.lognormal(0, 0.3, 16), 1)
    shuffled = rng.permutation(16)
    parts = [scipy.stats.kendalltau(order[process == one], times[process == one]) for one in (0, 1)]
    ties = [np.unique(times[process == one], return_counts=True)[1] for one in (0, 1)]
    distinct = [28 - (t * (t - 1)).sum() / 2 for t in ties]
    score = sum(part.statistic * np.sqrt(28 * pairs) for part, pairs in zip(parts, distinct, strict=True))
    found = drift(times[shuffled], order[shuffled], process[shuffled])
    assert found.tau == pytest.approx(score / np.sqrt(56 * sum(distinct)))


def test_two_processes_have_no_order() -> None:
    found = drift(np.r_[np.ones(20), np.full(20, 2.0)], np.arange(40), np.repeat([0, 1], 20))
    assert np.isnan(found.tau) and not found.found


def within(times: np.ndarray, process: np.ndarray) -> tuple[float, float]:
    """Return tau and its p-value of samples in order: scores and variances of the processes, with ties, add up."""
    score = variance = pairs = distinct = 0.0
    for one in np.unique(process):
        own = times[process == one]
        n, ties = own.size, np.unique(own, return_counts=True)[1]
        score += sum(np.sign(later - earlier) for i, earlier in enumerate(own) for later in own[i + 1 :])
        variance += (n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
        pairs, distinct = pairs + n * (n - 1) / 2, distinct + n * (n - 1) / 2 - (ties * (ties - 1)).sum() / 2
    p_value = 2 * scipy.stats.norm.sf(max(abs(score) - 1, 0) / np.sqrt(variance))
    return score / np.sqrt(pairs * distinct), p_value


def across(times: np.ndarray, process: np.ndarray) -> tuple[float, float]:
    """Return tau of the mean ranks of the processes, and its p-value."""
    ranks = scipy.stats.rankdata(times)
    means = [ranks[process == one].mean() for one in np.unique(process)]
    test = scipy.stats.kendalltau(np.arange(len(means)), means)
    return test.statistic, test.pvalue


@pytest.mark.parametrize("sizes", [(6, 9), (7, 3, 5, 8), (1, 4, 4, 2, 6), (5, 5, 5, 5)], ids=str)
def test_the_more_significant_order_counts_with_both_tests(rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    process = np.repeat(np.arange(len(sizes)), sizes)
    of_processes = 0
    for trend in (0.0, 0.1, 0.4):
        times = np.round(rng.lognormal(0, 0.3, process.size) * np.exp(trend * process), 1)
        tests = [within(times, process), across(times, process)][: 1 if len(sizes) < 3 else 2]
        tau, p_value = min(tests, key=lambda test: test[1])
        found = drift(times, np.arange(times.size), process)
        assert (found.tau, found.p_value) == pytest.approx((tau, min(1.0, len(tests) * p_value)))
        of_processes += tau != tests[0][0]
    assert of_processes > 0 or len(sizes) < 3


def test_samples_of_unequal_processes_are_in_the_order_of_their_places() -> None:
    # Relative to the medians, 5 and 4, the last third is 1.8 of the first process, at 3/4, and 1.5 and 1.75 of the
    # other, at 11/14 and 13/14; the first third is 0.2 at 1/4, and 0.25 and 0.5 at 1/14 and 3/14.
    found = drift([1.0, 9.0, *range(1, 8)], range(9), [0, 0, *[1] * 7])
    assert found.change == pytest.approx(1.75 / 0.25 - 1)
    # The first of three processes runs last.
    assert drift([9.0, 9.5, 1.0, 2.0, 3.0, 4.0], [4, 5, 0, 1, 2, 3], [0, 0, 1, 1, 2, 2]).tau == 1.0


def test_a_change_from_times_of_zero_is_unknown() -> None:
    assert np.isnan(drift([0.0, 0.0, 1.0, 2.0, 3.0, 4.0], range(6)).change)
    within_processes = drift([0.0, 0.0, 1.0, 0.0, 0.0, 2.0], range(6), [0, 0, 0, 1, 1, 1])
    assert np.isnan(within_processes.change) and within_processes.tau > 0


@pytest.mark.parametrize(
    ("tau", "p_value", "change", "ordered", "found"),
    [
        (0.1, 0.0099, 0.01, True, True),
        (-0.1, 0.0099, -0.01, True, True),
        (0.1, 0.01, 0.01, False, False),
        (0.099, 0.0099, 0.01, False, False),
        (0.1, 0.0099, 0.0099, True, False),
        (np.nan, np.nan, np.nan, False, False),
    ],
)
def test_limits_of_a_drift(tau: float, p_value: float, change: float, ordered: bool, found: bool) -> None:
    drift = Drift(tau, p_value, 50, change)
    assert (drift.ordered, drift.found) == (ordered, found)


def test_samples_of_one_position_have_no_trend() -> None:
    times = np.arange(1.0, 21.0)
    for process in (None, np.arange(20) // 5):
        found = drift(times, np.full(20, 3.0), process)
        assert np.isnan(found.tau) and np.isnan(found.p_value) and not found.ordered
