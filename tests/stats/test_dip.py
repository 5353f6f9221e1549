from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from aeadlab.errors import ArgumentError
from aeadlab.stats import dip, dip_test


def _dip_by_definition(values: NDArray[np.float64]) -> float:
    """Return the dip: the distance of the empirical distribution function to the nearest unimodal one.

    A unimodal function is convex up to its mode and concave from it. One linear programme for each value as the mode;
    its unknowns are the function at the values, twice at the mode, where it may jump, and the distance d.
    """
    places, counts = np.unique(values, return_counts=True)
    after = np.cumsum(counts) / len(values)
    before = after - counts / len(values)
    last = places.size - 1
    return min(_distance(places, before, after, mode, last) for mode in range(last + 1))


def _distance(
    places: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64], mode: int, last: int
) -> float:
    unknowns = last + 3
    rows: list[NDArray[np.float64]] = []
    bounds: list[float] = []

    def at_most(bound: float, **terms: float) -> None:
        row = np.zeros(unknowns)
        for name, factor in terms.items():
            side, _, index = name.partition("_")
            row[{"up": int(index or 0), "down": int(index or 0) + 1, "d": unknowns - 1}[side]] += factor
        rows.append(row)
        bounds.append(bound)

    for i in range(last + 1):
        names = [f"up_{i}"] * (i <= mode) + [f"down_{i}"] * (i >= mode)
        at_most(before[i], **{names[0]: 1.0, "d": -1.0})
        at_most(-after[i], **{names[-1]: -1.0, "d": -1.0})
        at_most(-before[i], **{names[0]: -1.0, "d": -1.0})
        at_most(after[i], **{names[-1]: 1.0, "d": -1.0})
    at_most(0, **{f"up_{mode}": 1.0, f"down_{mode}": -1.0})
    for side, begin, end, sign in (("up", 0, mode, 1.0), ("down", mode, last, -1.0)):
        for i in range(begin, end):
            at_most(0, **{f"{side}_{i}": 1.0, f"{side}_{i + 1}": -1.0})
        for i in range(begin + 1, end):
            left, right = 1 / (places[i] - places[i - 1]), 1 / (places[i + 1] - places[i])
            at_most(
                0,
                **{
                    f"{side}_{i}": sign * (left + right),
                    f"{side}_{i - 1}": -sign * left,
                    f"{side}_{i + 1}": -sign * right,
                },
            )
    cost = np.zeros(unknowns)
    cost[-1] = 1
    return float(linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=[(0, 1)] * unknowns).fun)


@pytest.mark.parametrize("n", range(1, 11))
def test_agrees_with_the_definition(n: int, rng: np.random.Generator) -> None:
    two_modes = np.concatenate([rng.normal(0, 0.1, n // 2), rng.normal(1, 0.1, n - n // 2)])
    samples = [rng.random(n), rng.lognormal(0, 1, n), two_modes, rng.integers(0, 6, n), rng.integers(0, 3, n)]
    for values in (s.astype(np.float64) for s in samples for _ in range(3)):
        assert dip(rng.permutation(values)) == pytest.approx(_dip_by_definition(values), abs=1e-7), values


@pytest.mark.parametrize("n", range(5, 10))
def test_agrees_with_the_definition_for_ambiguous_modes(n: int, rng: np.random.Generator) -> None:
    for _ in range(30):
        values = rng.choice(rng.random(3), n) + rng.normal(0, 0.05, n) * rng.random()
        assert dip(values) == pytest.approx(_dip_by_definition(values), abs=1e-7), values


def test_agrees_with_the_definition_for_more_values(rng: np.random.Generator) -> None:
    for centres in ([0.0, 1.0], [0.0, 0.4, 1.0], [0.0, 0.1, 0.7, 1.0]):
        values = rng.choice(centres, 30) + rng.normal(0, 0.08, 30)
        assert dip(values) == pytest.approx(_dip_by_definition(values), abs=1e-6)
    values = np.concatenate([rng.normal(0, 0.3, 50), rng.normal(1, 0.1, 40)])
    assert dip(values) == pytest.approx(_dip_by_definition(values), abs=1e-6)


def test_known_values() -> None:
    assert dip([5.0]) == 0.0
    assert dip([5.0] * 9) == 0.0
    assert dip([1.0, 2.0]) == pytest.approx(1 / 4)
    assert dip(np.arange(50)) == pytest.approx(1 / 100)
    # Two equal, distant clusters have the largest possible dip, less one step.
    clusters = np.concatenate([np.linspace(0, 1e-6, 200), np.linspace(1, 1 + 1e-6, 200)])
    assert dip(clusters) == pytest.approx(0.25, abs=0.005)


def test_is_invariant_to_scale_shift_and_mirror(rng: np.random.Generator) -> None:
    values = np.concatenate([rng.normal(0, 0.2, 40), rng.normal(1, 0.2, 30)])
    for same in (values * 1e-6, values + 100, -values):
        assert dip(same) == pytest.approx(dip(values), rel=1e-6)


def test_p_values_of_uniform_samples_are_conservative(rng: np.random.Generator) -> None:
    p = np.array([dip_test(rng.random(60)).p_value for _ in range(300)])
    assert np.mean(p < 0.05) <= 0.09
    assert np.mean(p < 0.5) == pytest.approx(0.5, abs=0.1)


def test_rejects_unimodality_for_two_peaks_only(rng: np.random.Generator) -> None:
    assert dip_test(rng.normal(0, 1, 400)).p_value > 0.1
    two = np.concatenate([rng.normal(0, 0.3, 270), rng.normal(2, 0.3, 130)])
    assert dip_test(two).p_value == pytest.approx(1 / 1001)


@pytest.mark.parametrize("n", [120, 1500])
def test_interpolated_sizes_keep_their_significance_level(n: int, rng: np.random.Generator) -> None:
    p = np.array([dip_test(rng.random(n)).p_value for _ in range(100)])
    assert np.mean(p < 0.05) <= 0.12
    assert np.mean(p < 0.5) == pytest.approx(0.5, abs=0.17)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_three_values_carry_no_information(n: int) -> None:
    assert np.isnan(dip_test(np.arange(n)).p_value)


def test_p_values_are_repeatable(rng: np.random.Generator) -> None:
    values = rng.random(33)
    assert dip_test(values) == dip_test(values[::-1])


def test_rejects_empty_values() -> None:
    with pytest.raises(ArgumentError, match="no values"):
        dip([])


def test_agrees_with_the_diptest_package(rng: np.random.Generator) -> None:
    diptest = pytest.importorskip("diptest")
    for n in (10, 57, 400):
        for values in (rng.random(n), rng.lognormal(0, 1, n), rng.choice([0.0, 1.0], n) + rng.normal(0, 0.1, n)):
            assert dip(values) == pytest.approx(diptest.dipstat(values), abs=1e-9)
