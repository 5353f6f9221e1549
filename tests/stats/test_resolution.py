"""The announced resolution, compared with runs of `ratio_interval` on simulated samples."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from aeadlab.stats import ratio_interval
from aeadlab.stats.noise_floor import MARGIN
from aeadlab.stats.resolution import NOISE, PROCESS_NOISE, SAMPLE_NOISE, Resolution, resolution


def intervals(processes: int, rounds: int, factor: float, rng: np.random.Generator, runs: int = 400) -> np.ndarray:
    """Return low and high of the ratios of two cases, the second `factor` times as slow; shape (runs, 2)."""
    process = np.repeat(np.arange(processes), rounds)
    found = []
    for _ in range(runs):
        times = np.exp(
            rng.uniform(-PROCESS_NOISE, PROCESS_NOISE, (2, processes))[:, process]
            + rng.normal(0, SAMPLE_NOISE, (2, process.size))
        )
        interval = ratio_interval(factor * times[1], times[0], np.arange(process.size), process)
        found.append((interval.low, interval.high))
    return np.array(found)


@pytest.mark.parametrize(("processes", "rounds"), [(20, 5), (12, 4), (12, 2), (12, 1), (6, 1), (4, 9)])
def test_agrees_with_the_intervals_of_simulated_runs(processes: int, rounds: int) -> None:
    announced = resolution(processes, rounds)
    found = intervals(processes, rounds, 1 + announced.difference, np.random.default_rng(5))
    width = np.median(found[:, 1] / found[:, 0]) - 1
    assert announced.width == pytest.approx(width, rel=0.06)
    # Binomial with n = 400 and p = 0.8, and the error of the announced quantile: 4 standard deviations.
    assert np.mean(found[:, 0] > np.exp(MARGIN)) == pytest.approx(0.8, abs=0.1)


def test_processes_show_more_than_rounds() -> None:
    assert resolution(12, 4).width < 0.8 * resolution(6, 8).width
    assert resolution(12, 4).width > 0.75 * resolution(12, 16).width
    assert resolution(12, 4).difference < 0.0305, "the difference that profile quick has to find"


@pytest.mark.parametrize("processes", [1, 2])
def test_few_processes_show_nothing(processes: int) -> None:
    assert all(map(isnan, resolution(processes, 50)))
    assert str(resolution(processes, 50)) == "no verdicts with fewer than 3 processes"


def test_text_has_both_numbers() -> None:
    assert str(Resolution(0.0279, 0.03)) == "95 % intervals about 2.8 % wide, differences from 3.0 % on are found"
    assert NOISE == "samples vary by 1 % and processes by up to ±2 %"
