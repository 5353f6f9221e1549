from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats import modes
from aeadlab.stats.mixture import Mixture
from aeadlab.stats.modes import _boundary, _members, _spread_ties
from tools.calibrate.modes import false_positives, power

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
    assert found.p_value < 1e-6


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
    assert found.p_value < 0.01
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
    assert np.isnan([*found.shares, *found.medians, found.ratio, found.separation, found.p_value]).all()
    assert found.limitation.startswith(f"{n} samples given, 20 with neighbours")


def test_medians_and_shares_exist_for_two_modes_only(rng: np.random.Generator) -> None:
    found = modes(rng.lognormal(0, 0.02, 100), np.arange(100))
    assert found.kind == "one"
    assert np.isnan([*found.shares, *found.medians, found.ratio]).all()
    assert 0.05 < found.p_value <= 1


def test_equal_times_are_one_mode() -> None:
    found = modes([0.5] * 40, np.arange(40))
    assert found.kind == "one"
    assert found.limitation.startswith("all samples are equal")


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


def test_rejects_different_lengths_of_processes() -> None:
    with pytest.raises(ArgumentError, match="seconds has 2 values and process has 1"):
        modes([1.0, 2.0], [0, 1], [0])


def test_a_level_of_each_process_is_no_mode(rng: np.random.Generator) -> None:
    process = np.repeat(np.arange(10), 20)
    level = np.tile([1.0, 1.25], 5)[process]
    times = level * rng.lognormal(0, 0.01, 200)
    assert modes(times, np.arange(200), process).kind == "one"
    # The same times in random order alternate within each process.
    assert modes(rng.permutation(times), np.arange(200), process).kind == "two"


def test_modes_are_found_beside_levels_of_processes(rng: np.random.Generator) -> None:
    process = np.repeat(np.arange(10), 20)
    slow = rng.random(200) < 0.12
    times = np.linspace(0.95, 1.05, 10)[rng.permutation(10)][process] * np.where(slow, 1.25, 1.0)
    found = modes(times * rng.lognormal(0, 0.01, 200), np.arange(200), process)
    assert (found.kind, found.processes, found.limitation) == ("two", 10, "")
    assert found.shares[1] == pytest.approx(slow.mean(), abs=0.01)
    assert found.ratio == pytest.approx(1.25, abs=0.03)


@pytest.mark.parametrize("ratio", [1.125, 1.5, 1.75])
@pytest.mark.parametrize("slow", [9, 15, 40])
def test_detects_a_rare_mode_beside_disturbed_samples(rng: np.random.Generator, ratio: float, slow: int) -> None:
    times = rng.lognormal(0, 0.004, 150)
    times[: slow + 8] *= np.r_[np.full(slow, ratio), rng.uniform(1, 1.04, 8)]
    found = modes(rng.permutation(times), np.arange(150))
    assert (found.kind, found.ratio) == ("two", pytest.approx(ratio, rel=0.01))
    assert found.shares[1] == pytest.approx(slow / 150, abs=0.01)


def test_modes_that_alternate_strictly_are_found() -> None:
    times = np.where(np.arange(60) % 2, 2.0, 1.0) * (1 + 1e-4 * np.sin(np.arange(60)))
    found = modes(times, np.arange(60))
    assert (found.kind, found.shares) == ("two", (0.5, 0.5))


def test_one_process_limits_conclusions(rng: np.random.Generator) -> None:
    times = rng.lognormal(0, 0.01, 60)
    assert modes(times, np.arange(60)).limitation.startswith("all samples are of one process")
    assert modes(times, np.arange(60), np.arange(60) % 3).limitation == ""
    alone = modes(times, np.arange(60), np.arange(60))
    assert (alone.kind, alone.processes) == ("too few", 60)
    assert alone.limitation.startswith("60 samples given, 20 with neighbours in their process")


def test_false_positives_are_at_most_5_percent() -> None:
    """A short form of `tools.calibrate.modes`; docs/METHODOLOGY.md has the rates of 1,000 runs."""
    rates = false_positives(sizes=(100,), runs=150)
    assert rates["rate"].max() <= 0.05, rates
    trends = false_positives((100,), 150, ("linear trend of 30 %", "random walk, steps of 1 %"), processes=1)
    assert trends["rate"].max() <= 0.05, trends


def test_rare_modes_are_found() -> None:
    found = power(sizes=(100,), shares=(0.06, 0.12), runs=100)["power"]
    assert found[0] >= 0.7
    assert found[1] >= 0.97


def _mixture(means: tuple[float, float], deviations: tuple[float, float], weights: tuple[float, float]) -> Mixture:
    return Mixture(means, deviations, weights, 1 - sum(weights), 0.0, 0.0)


def test_the_boundary_of_equal_gaussians_is_halfway() -> None:
    assert _boundary(_mixture((1.0, 3.0), (0.5, 0.5), (0.4, 0.4))) == pytest.approx(2.0)


def test_the_boundary_is_further_from_the_heavier_gaussian() -> None:
    # With equal deviations s it lies s**2 log(w1 / w2) / (m2 - m1) above the middle.
    assert _boundary(_mixture((1.0, 3.0), (0.5, 0.5), (0.8, 0.1))) == pytest.approx(2 + 0.25 * log(8) / 2)
    assert _boundary(_mixture((1.0, 3.0), (0.5, 0.5), (0.1, 0.8))) == pytest.approx(2 - 0.25 * log(8) / 2)


@pytest.mark.parametrize("deviations", [(0.2, 0.6), (0.6, 0.2), (0.05, 0.9)])
@pytest.mark.parametrize("weights", [(0.6, 0.3), (0.3, 0.6)])
def test_both_gaussians_are_equally_likely_at_the_boundary(
    deviations: tuple[float, float], weights: tuple[float, float]
) -> None:
    means = (1.0, 3.0)
    boundary = _boundary(_mixture(means, deviations, weights))
    assert means[0] < boundary < means[1]
    first, second = (
        weight / deviation * exp(-0.5 * ((boundary - mean) / deviation) ** 2)
        for mean, deviation, weight in zip(means, deviations, weights, strict=True)
    )
    assert first == pytest.approx(second)


def test_without_an_equally_likely_value_the_boundary_is_halfway() -> None:
    # Even at its own mean the second Gaussian is less likely than the first.
    assert _boundary(_mixture((1.0, 1.4), (1.0, 1.0), (0.9, 0.05))) == pytest.approx(1.2)


def test_members_are_separated_at_the_boundary_and_without_strays() -> None:
    fit = _mixture((1.0, 2.0), (0.2, 0.3), (0.5, 0.4))
    boundary = _boundary(fit)
    fast, slow = _members(np.array([0.9, boundary - 1e-9, boundary + 1e-9, 2.1, 0.0, 9.0]), fit)
    assert fast.tolist() == [True, True, False, False, False, False]
    assert slow.tolist() == [False, False, True, True, False, False]


def test_equal_times_are_spread_over_one_tick() -> None:
    """Successive equal times are at multiples of the golden ratio, 0.618, of the tick."""
    golden = (5**0.5 - 1) / 2
    places = [(golden * (rank + 0.5)) % 1 - 0.5 for rank in range(3)]
    assert places == pytest.approx([-0.191, 0.427, 0.045], abs=1e-3)
    found = _spread_ties(np.array([7.0, 5.0, 7.0, 8.5, 7.0]))
    expected = [7 + 1.5 * places[0], 5 + 1.5 * places[0], 7 + 1.5 * places[1], 8.5 + 1.5 * places[0]]
    assert found.tolist() == pytest.approx([*expected, 7 + 1.5 * places[2]])
    # A tick is at most the least time, so that no time is negative.
    assert _spread_ties(np.array([1.0, 9.0, 9.0])).tolist() == pytest.approx(
        [1 + places[0], 9 + places[0], 9 + places[1]]
    )
    for untied in ([3.0, 1.0, 2.0], [4.0, 4.0]):
        assert _spread_ties(np.array(untied)).tolist() == untied


@pytest.mark.parametrize(("n", "kind"), [(19, "too few"), (20, "one")])
def test_twenty_samples_are_enough(n: int, kind: str, rng: np.random.Generator) -> None:
    assert modes(rng.lognormal(0, 0.01, n), np.arange(n)).kind == kind
    # The single sample of another process has no neighbours.
    with_another = np.r_[np.zeros(n), 1]
    assert modes(rng.lognormal(0, 0.01, n + 1), np.arange(n + 1), with_another).kind == kind


@pytest.mark.parametrize(("ratio", "kind"), [(1.0095, "one"), (1.0105, "two")])
def test_a_ratio_of_one_percent_separates_two_modes(ratio: float, kind: str) -> None:
    times = np.where(np.arange(60) % 2, ratio, 1.0) * (1 + 1e-5 * np.sin(np.arange(60)))
    found = modes(times, np.arange(60))
    assert found.kind == kind and found.p_value < 1e-6
    assert found.separation > 2
    assert np.isnan(found.ratio) if kind == "one" else found.ratio == pytest.approx(ratio, abs=1e-4)
