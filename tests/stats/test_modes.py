from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats import modes

Floats = NDArray[np.float64]


def _kinds(make: Callable[[], Floats], times: int = 40) -> list[str]:
    samples = [make() for _ in range(times)]
    return [modes(sample, np.arange(sample.size)).kind for sample in samples]


def test_recovers_shares_and_ratio_of_two_modes(rng: np.random.Generator) -> None:
    fast, slow = 0.310 * rng.lognormal(0, 0.005, 67), 0.310 * 1.243 * rng.lognormal(0, 0.005, 32)
    seconds = rng.permutation(np.concatenate([fast, slow, [2.5]]))
    found = modes(seconds, np.arange(100))
    assert found.kind == "two"
    assert found.shares == pytest.approx((0.67, 0.32), abs=0.001)
    assert found.ratio == pytest.approx(1.243, rel=0.005)
    assert found.medians == pytest.approx((np.median(fast), np.median(slow)), rel=0.001)
    assert found.separation > 10
    assert found.evidence > 100


@pytest.mark.parametrize("deviation", [0.002, 0.02])
def test_detects_two_modes_in_nearly_all_runs(rng: np.random.Generator, deviation: float) -> None:
    kinds = _kinds(lambda: np.where(rng.random(100) < 0.67, 1.0, 1.243) * rng.lognormal(0, deviation, 100))
    assert kinds.count("two") >= 37


def test_detects_a_rare_mode_in_a_long_run(rng: np.random.Generator) -> None:
    found = modes(np.where(rng.random(1000) < 0.93, 1.0, 1.5) * rng.lognormal(0, 0.02, 1000), np.arange(1000))
    assert found.kind == "two"
    assert found.shares[1] == pytest.approx(0.07, abs=0.02)


@pytest.mark.parametrize(
    "shape",
    [
        lambda rng: rng.lognormal(0, 0.02, 100),
        lambda rng: np.exp(0.02 * rng.standard_t(2, 100)),
        lambda rng: 1 + rng.exponential(0.1, 100),
        lambda rng: rng.uniform(1, 1.2, 100),
        lambda rng: np.round(rng.lognormal(0, 0.02, 100) * 50),
    ],
    ids=["lognormal", "heavy-tailed", "skewed", "uniform", "coarse-clock"],
)
def test_one_mode_is_not_reported_as_two(rng: np.random.Generator, shape: Callable[..., Floats]) -> None:
    kinds = _kinds(lambda: shape(rng), 60)
    assert kinds.count("two") <= 3
    assert kinds.count("one") >= 55


@pytest.mark.parametrize(
    "trend",
    [
        np.linspace(1, 1.3, 100),
        np.where(np.arange(100) < 40, 1.0, 1.243),
        np.where(np.arange(100) < 67, 1.243, 1.0),
        np.repeat([1.0, 1.1, 1.2, 1.3], 25),
    ],
    ids=["ramp", "step-up", "step-down", "stairs"],
)
def test_drift_is_not_reported_as_modes(rng: np.random.Generator, trend: Floats) -> None:
    assert _kinds(lambda: trend * rng.lognormal(0, 0.01, 100)) == ["drift"] * 40


def test_drifting_times_in_random_order_are_modes(rng: np.random.Generator) -> None:
    stepped = np.where(np.arange(100) < 40, 1.0, 1.243) * rng.lognormal(0, 0.01, 100)
    assert modes(stepped, np.arange(100)).kind == "drift"
    assert modes(stepped, rng.permutation(100)).kind == "two"


@pytest.mark.parametrize(("ratio", "kind"), [(1.0005, "one"), (1.005, "one"), (1.02, "two")])
def test_modes_within_one_percent_are_one(rng: np.random.Generator, ratio: float, kind: str) -> None:
    times = 1e-4 * np.where(rng.random(300) < 0.6, 1.0, ratio) * rng.lognormal(0, (ratio - 1) / 20, 300)
    found = modes(times, np.arange(300))
    assert found.evidence > 100 and found.dip.p_value < 0.01
    assert found.kind == kind


def test_drift_below_clock_resolution_is_one_mode(rng: np.random.Generator) -> None:
    times = 1e-4 * np.linspace(1, 1.002, 300) * rng.lognormal(0, 0.0003, 300)
    found = modes(times, np.arange(300))
    assert found.drift.ordered
    assert found.kind == "one"


def test_slight_drift_does_not_hide_two_modes(rng: np.random.Generator) -> None:
    seconds = np.where(rng.random(200) < 0.6, 1.0, 1.243) * np.linspace(1, 1.03, 200) * rng.lognormal(0, 0.004, 200)
    found = modes(seconds, np.arange(200))
    assert found.drift.found
    assert found.kind == "two"


@pytest.mark.parametrize("n", [1, 2, 19])
def test_few_samples_give_too_few(rng: np.random.Generator, n: int) -> None:
    found = modes(np.where(np.arange(n) % 2, 1.0, 2.0) * rng.lognormal(0, 0.001, n), np.arange(n))
    assert found.kind == "too few"
    assert np.isnan([*found.shares, *found.medians, found.ratio, found.separation, found.evidence]).all()


def test_medians_and_shares_exist_for_two_modes_only(rng: np.random.Generator) -> None:
    found = modes(rng.lognormal(0, 0.02, 100), np.arange(100))
    assert found.kind == "one"
    assert np.isnan([*found.shares, *found.medians, found.ratio]).all()
    assert np.isfinite([found.evidence, found.separation]).all()


def test_equal_times_are_one_mode() -> None:
    found = modes([0.5] * 40, np.arange(40))
    assert (found.kind, found.dip.dip) == ("one", 0.0)


def test_clock_ticks_are_not_modes(rng: np.random.Generator) -> None:
    ticks = np.round(rng.lognormal(0, 0.02, 300) * 40)
    assert np.unique(ticks).size < 10
    assert modes(ticks * 1e-9, np.arange(300)).kind == "one"
    two = np.round(np.where(rng.random(300) < 0.67, 1.0, 1.243) * rng.lognormal(0, 0.02, 300) * 40)
    assert modes(two * 1e-9, np.arange(300)).kind == "two"
    assert modes([1e-9] * 20 + [5e-6] * 20, np.arange(40)).n == 40


def test_rejects_different_lengths() -> None:
    with pytest.raises(ArgumentError, match="seconds has 2 values and order has 3"):
        modes([1.0, 2.0], [0, 1, 2])
