from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats.valley import _densest_half, _intervals, level_residuals, valley_test

Floats = NDArray[np.float64]


def test_residuals_are_distances_from_the_median_of_seven_neighbours() -> None:
    values = np.array([0.0, 10, 20, 30, 40, 50, 60, 70, 80, 90])
    residuals, index = level_residuals(values, np.arange(10), np.zeros(10))
    assert index.tolist() == list(range(10))
    # The neighbours of the first value are the seven after it; those of the fifth are the second to the ninth.
    assert residuals[0] == 0 - 40
    assert residuals[4] == 40 - 50
    assert residuals[9] == 90 - 50


def test_residuals_follow_the_order_of_the_run(rng: np.random.Generator) -> None:
    values, order, mixed = rng.random(30), np.arange(30), rng.permutation(30)
    expected, index = level_residuals(values, order, np.zeros(30))
    found, place = level_residuals(values[mixed], order[mixed], np.zeros(30))
    assert dict(zip(mixed[place].tolist(), found.tolist(), strict=True)) == dict(
        zip(index.tolist(), expected.tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("sizes", "residuals", "index"),
    [
        ((1, 2, 1), [-1.0, 1.0], [1, 2]),
        ((3, 1), [-1.0, -1.0, 1.0], [0, 1, 2]),
        ((1, 1, 1, 1), [], []),
    ],
)
def test_neighbours_are_of_the_same_process(sizes: tuple[int, ...], residuals: list[float], index: list[int]) -> None:
    process = np.repeat(np.arange(len(sizes)), sizes)
    found, place = level_residuals(np.arange(4.0), np.arange(4), process)
    assert (found.tolist(), place.tolist()) == (residuals, index)


def test_an_effect_of_the_process_leaves_no_residual(rng: np.random.Generator) -> None:
    values, process = rng.random(40), np.repeat(np.arange(4), 10)
    plain, _ = level_residuals(values, np.arange(40), process)
    shifted, _ = level_residuals(values + 100.0 * process, np.arange(40), process)
    assert shifted == pytest.approx(plain)


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.random(n),
        lambda rng, n: rng.exponential(1, n),
        lambda rng, n: rng.standard_t(1, n),
        lambda rng, n: np.where(rng.random(n) < 0.6, 0.001 * rng.random(n), rng.random(n)),
    ],
    ids=["uniform", "exponential", "Cauchy", "spike-in-uniform"],
)
@pytest.mark.parametrize("n", [24, 90])
def test_unimodal_samples_seldom_have_a_valley(
    rng: np.random.Generator, draw: Callable[[np.random.Generator, int], Floats], n: int
) -> None:
    p = np.array([valley_test(draw(rng, n)).p_value for _ in range(200)])
    assert np.mean(p < 0.05) <= 0.08


def test_the_level_of_uniform_samples_is_nearly_nominal(rng: np.random.Generator) -> None:
    p = np.array([valley_test(rng.random(60)).p_value for _ in range(500)])
    assert np.mean(p < 0.1) == pytest.approx(0.09, abs=0.05)
    assert np.mean(p < 0.1) > 0.04, "a test that never rejects finds nothing"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_valley_is_between_the_modes(rng: np.random.Generator, sign: int) -> None:
    values = sign * np.r_[rng.normal(0, 0.01, 90), rng.normal(0.5, 0.01, 10)]
    found = valley_test(rng.permutation(values))
    assert found.p_value < 1e-4
    assert abs(found.inner) < 0.05
    assert 0.48 < sign * found.outer < 0.53


def test_does_not_depend_on_scale_and_shift(rng: np.random.Generator) -> None:
    values = np.r_[rng.normal(0, 0.01, 90), rng.normal(0.5, 0.01, 6)]
    expected = valley_test(values).p_value
    for same in (1e-6 * values, values + 3, -values):
        assert valley_test(same).p_value == pytest.approx(expected, rel=1e-6)


def test_equal_values_have_no_valley() -> None:
    assert valley_test(np.zeros(30)).p_value == 1


def test_rejects_fewer_than_twenty_values() -> None:
    with pytest.raises(ArgumentError, match="19 values given, at least 20"):
        valley_test(np.arange(19.0))
    with pytest.raises(ArgumentError, match="NaN"):
        valley_test([float("nan")] * 20)


def smallest_chance(ascending: Floats, first: int, n: int) -> tuple[float, float, float]:
    """Return the smallest weighted p-value beyond a position of ascending values, with the ends of its interval."""
    found, tail = [(1.0, nan, nan)], len(ascending) - first
    for beyond in (number for number in (0, 1, 2, 3, 5, 8) if number <= max(2, 2 * tail // 3)):
        last = len(ascending) - 1 - beyond
        for inner in range(first, last - 2):
            inside = ascending[inner + 1 : last]
            place = (inside - ascending[inner]) / (ascending[last] - ascending[inner])
            chance = scipy.stats.gamma.cdf(-np.log(place).sum(), inside.size)
            found.append((float(chance) * (len(ascending) - 1 - inner) / n, ascending[inner], ascending[last]))
    return min(found)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("strays", [0, 1, 2])
def test_the_smallest_chance_of_all_intervals_counts(rng: np.random.Generator, sign: int, strays: int) -> None:
    """Compare with Fisher's combination for each interval, by the description of `valley_test`."""
    values = np.sort(np.r_[rng.normal(0, 1, 18), rng.normal(6, 0.3, 6 - strays), 9 + np.arange(strays)])
    # Half of the values are twelve, from the first of them to eleven positions after it.
    start = int(np.argmin(values[11:] - values[:-11]))
    upper, lower = smallest_chance(values, start + 11, 24), smallest_chance(-values[::-1], 23 - start, 24)
    chance, inner, outer = min(upper, (lower[0], -lower[1], -lower[2]))
    found = valley_test(sign * rng.permutation(values))
    assert found.p_value == pytest.approx(min(1.0, 4 * 14**1.3 * chance))
    assert (found.inner, found.outer) == pytest.approx((sign * inner, sign * outer))
    assert found.p_value < 0.5 and inner < 3 < outer


def test_intervals_of_a_long_tail_have_fewer_sizes_and_ends() -> None:
    intervals = dict(_intervals(60))
    assert list(intervals) == [*range(2, 33), 33, 36, 39, 43, 48, 53]
    # Beyond the outer end are 0, 1 or 2 values, and then 1.6 times as many, up to two thirds of the tail.
    assert (59 - intervals[2]).tolist() == [0, 1, 2, 3, 5, 8, 13, 20, 33]
    assert intervals[53].tolist() == [59, 58, 57, 56, 54]
    assert dict(_intervals(4)).keys() == {2} and _intervals(3) == ()


def test_the_densest_half_is_the_middle_one_of_equals() -> None:
    assert _densest_half(np.array([0.0, 3, 4, 5, 9, 14])) == (1, 3)
    # Five of nine equally distant values: the third of five such intervals.
    assert _densest_half(np.arange(9.0)) == (2, 6)
    assert _densest_half(np.arange(10.0)) == (3, 7)
