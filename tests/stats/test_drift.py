from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import detrend, drift


def test_agrees_with_the_tau_of_scipy(rng: np.random.Generator) -> None:
    order = rng.permutation(50)
    values = rng.lognormal(0, 0.1, 50) + 0.002 * order
    expected = scipy.stats.kendalltau(order, values)
    found = drift(values, order)
    assert (found.tau, found.p_value, found.n) == (expected.statistic, expected.pvalue, 50)


def test_steady_times_are_seldom_called_drift(rng: np.random.Generator) -> None:
    found = [drift(rng.lognormal(0, 0.1, 100), np.arange(100)).found for _ in range(300)]
    assert np.mean(found) <= 0.03


def test_a_planted_drift_is_found_with_its_direction(rng: np.random.Generator) -> None:
    slowing = np.linspace(1, 1.05, 100) * rng.lognormal(0, 0.02, 100)
    assert drift(slowing, np.arange(100)).found
    assert drift(slowing, np.arange(100)).tau > 0
    assert drift(slowing, -np.arange(100)).tau < 0


def test_a_negligible_trend_of_a_long_run_is_not_called_drift(rng: np.random.Generator) -> None:
    n = 20_000
    found = drift(rng.normal(0, 1, n) + np.linspace(0, 0.15, n), np.arange(n))
    assert found.p_value < 0.01
    assert not found.found


def test_a_change_of_less_than_a_percent_is_no_drift_however_steady_the_times(rng: np.random.Generator) -> None:
    """A kernel that spins for 100 us by the clock is steady to 10 ns, and was called drifting in five runs of six."""
    for end, drifts in ((1.005, False), (1.05, True)):
        times = 1e-4 * np.linspace(1, end, 300) * rng.lognormal(0, 0.0003, 300)
        found = drift(times, np.arange(300))
        assert found.ordered and found.found == drifts
        assert found.change == pytest.approx((end - 1) * 2 / 3, rel=0.1)


def test_the_change_follows_the_order_given_and_not_the_place_in_the_array() -> None:
    times = np.linspace(1, 1.3, 30)
    assert drift(times[::-1], np.arange(30)[::-1]).change == drift(times, np.arange(30)).change > 0.15


@pytest.mark.parametrize("n", [0, 1, 2])
def test_two_samples_show_no_trend(n: int) -> None:
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


def test_lengths_must_agree() -> None:
    with pytest.raises(ArgumentError, match="values has 3 values and order has 2"):
        drift([1.0, 2.0, 3.0], [0, 1])


def _drifting(make_case: Any, rng: np.random.Generator, cases: int, rounds: int = 80) -> pd.DataFrame:
    shared = np.exp(np.linspace(0, 0.3, rounds))
    frames = [
        make_case(10.0**-i * shared * rng.lognormal(0, 0.01, rounds), bytes=i, order=np.arange(rounds) * cases + i)
        for i in range(cases)
    ]
    return pd.concat(frames, ignore_index=True).sample(frac=1, random_state=5)


def test_detrending_removes_what_all_cases_share(make_case: Any, rng: np.random.Generator) -> None:
    samples = _drifting(make_case, rng, cases=8)
    steady = detrend(samples)
    assert steady.index.equals(samples.index)
    for case, own in samples.groupby("bytes"):
        assert drift(own["seconds"], own["order"]).found
        assert not drift(steady[own.index], own["order"]).found
        # The level of the case stays, its own noise stays, the drift goes.
        assert np.median(steady[own.index]) == pytest.approx(np.median(own["seconds"]), rel=0.02)
        assert 0.009 < np.log(steady[own.index]).std() < 0.015, case


def test_detrending_never_makes_a_case_look_steadier_than_it_is(make_case: Any, rng: np.random.Generator) -> None:
    noise = 0.05
    frames = [make_case(rng.lognormal(0, noise, 200), bytes=i) for i in range(2)]
    samples = pd.concat(frames, ignore_index=True)
    spread = np.log(detrend(samples)).groupby(samples["bytes"]).std()
    assert (spread > noise).all()


@pytest.mark.parametrize("cases", [2, 3, 4, 5])
def test_each_case_is_corrected_by_the_median_of_the_others(
    make_case: Any, rng: np.random.Generator, cases: int
) -> None:
    rounds = 7
    times = rng.lognormal(0, 0.2, (cases, rounds))
    samples = pd.concat([make_case(row, bytes=i) for i, row in enumerate(times)], ignore_index=True)
    relative = np.log(times) - np.median(np.log(times), axis=1, keepdims=True)
    expected = [
        times[i, r] / np.exp(np.median(np.delete(relative[:, r], i))) for i in range(cases) for r in range(rounds)
    ]
    assert detrend(samples).to_numpy() == pytest.approx(np.array(expected))


def test_samples_that_do_not_count_stay_without_a_value(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0, 1.0, 1.0], bytes=i) for i in range(3)], ignore_index=True)
    samples.loc[0, "warmup"] = True
    samples.loc[4, "status"] = "failed: signal 9"
    assert detrend(samples).isna().tolist() == [i in (0, 4) for i in range(9)]
    assert detrend(samples.assign(warmup=True)).isna().all()


def test_a_round_with_one_case_cannot_be_detrended(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="round 2 holds one case only"):
        detrend(pd.concat([make_case([1.0, 1.0, 1.0]), make_case([1.0, 1.0], bytes=7)]))
