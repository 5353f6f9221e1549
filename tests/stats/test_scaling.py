from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import fit_amdahl, speed_up
from aeadlab.stats.scaling import _fits, _half_widths

THREADS = np.repeat([1, 2, 4, 8, 16, 32], 5)


def _amdahl(threads: Any, single: float, serial: float) -> Any:
    return single / (serial + (1 - serial) / np.asarray(threads))


def test_speed_up_is_paired_with_one_thread_of_the_same_case(make_case: Any, rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 0.5, 30)
    frames = [
        make_case(shared * cost / gain, threads=threads, bytes=size)
        for size, cost in ((1 << 10, 1.0), (1 << 20, 700.0))
        for threads, gain in ((1, 1.0), (2, 1.9), (4, 3.0))
    ]
    table = speed_up(pd.concat(frames, ignore_index=True))
    assert table["threads"].tolist() == [1, 2, 4] * 2
    assert table["speed_up"].to_numpy() == pytest.approx([1.0, 1.9, 3.0] * 2)
    assert table["speed_up_high"].to_numpy() == pytest.approx([1.0, 1.9, 3.0] * 2)
    assert table["efficiency"].to_numpy() == pytest.approx([1.0, 0.95, 0.75] * 2)
    assert table["efficiency_low"].to_numpy() == pytest.approx([1.0, 0.95, 0.75] * 2)
    assert table["pairs"].tolist() == [30] * 6


def test_speed_up_interval_covers_the_truth(make_case: Any, rng: np.random.Generator) -> None:
    runs: list[pd.DataFrame] = []
    for size in range(1, 51):
        one, two = rng.lognormal(0, 0.05, 30), rng.lognormal(0, 0.05, 30) / 1.8
        runs += [make_case(one, bytes=size), make_case(two, bytes=size, threads=2)]
    table = speed_up(pd.concat(runs, ignore_index=True))
    two_threads = table[table["threads"] == 2]
    assert len(two_threads) == 50
    assert np.mean((two_threads["speed_up_low"] <= 1.8) & (two_threads["speed_up_high"] >= 1.8)) >= 0.88


def test_no_single_thread_or_few_rounds_give_nan(make_case: Any) -> None:
    alone = speed_up(make_case([1.0] * 9, threads=4)).iloc[0]
    assert alone["pairs"] == 0 and np.isnan(alone["speed_up"])
    few = speed_up(pd.concat([make_case([1.0, 1.0]), make_case([0.5, 0.5], threads=2)])).iloc[1]
    assert few["speed_up"] == pytest.approx(2.0)
    assert np.isnan(few["speed_up_low"]) and np.isnan(few["efficiency_high"])


def test_recovers_amdahl_parameters(rng: np.random.Generator) -> None:
    covered = []
    for _ in range(100):
        fit = fit_amdahl(THREADS, _amdahl(THREADS, 13.6, 0.08) * rng.lognormal(0, 0.03, THREADS.size))
        serial = fit.serial
        assert serial.estimate == pytest.approx(0.08, abs=0.03)
        assert fit.single.estimate == pytest.approx(13.6, rel=0.1)
        assert fit.residual == pytest.approx(0.03, rel=0.6)
        covered.append(serial.low <= 0.08 <= serial.high)
    assert np.mean(covered) >= 0.88


def test_the_interval_of_a_fit_is_that_of_its_processes(rng: np.random.Generator) -> None:
    # Ten rounds of a process have its serial share in common; independent points would cover one time in three.
    process = np.repeat(np.arange(6), 60)
    threads = np.tile(np.repeat([1, 2, 4, 8, 16, 32], 10), 6)
    covered = []
    for _ in range(40):
        serial = np.repeat(rng.normal(0.08, 0.01, 6), 60)
        speed = _amdahl(threads, 13.6, serial) * rng.lognormal(0, 0.005, threads.size)
        found = fit_amdahl(threads, speed, process=process).serial
        assert found.low <= found.estimate <= found.high
        covered.append(found.low <= 0.08 <= found.high)
    assert np.mean(covered) >= 0.85


def test_the_fits_of_processes_are_those_of_the_solver(rng: np.random.Generator) -> None:
    serial = np.array([0.0, 0.002, 0.08, 0.5, 1.0])
    process = np.repeat(np.arange(5), THREADS.size)
    threads = np.tile(THREADS, 5)
    speed = _amdahl(threads, 3.0, serial[process]) * rng.lognormal(0, 0.01, threads.size)
    found = _fits(threads.astype(float), np.log(speed), process)
    for number in range(5):
        alone = fit_amdahl(threads[process == number], speed[process == number])
        assert found[:, number] == pytest.approx([np.log(alone.single.estimate), alone.serial.estimate], abs=1e-4)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_fit_of_fewer_than_three_processes_has_no_interval(processes: int) -> None:
    threads = [1, 2, 4, 8, 16, 32]
    process = np.arange(6) * processes // 6
    fit = fit_amdahl(threads, _amdahl(threads, 2.0, 0.25), process=process)
    assert fit.serial.estimate == pytest.approx(0.25, abs=1e-6)
    assert np.isnan([fit.serial.low, fit.serial.high, fit.single.low, fit.single.high]).all()
    with pytest.raises(ArgumentError, match="threads has 6 values and process has 2"):
        fit_amdahl(threads, threads, process=[0, 1])


def test_exact_data_are_reproduced() -> None:
    threads = [1, 2, 3, 4, 8]
    fit = fit_amdahl(threads, _amdahl(threads, 2.0, 0.25))
    assert fit.serial.estimate == pytest.approx(0.25, abs=1e-6)
    assert fit.single.estimate == pytest.approx(2.0)


def test_limits_of_the_law_hold() -> None:
    assert fit_amdahl(THREADS, 3.0 * THREADS).serial.estimate == pytest.approx(0.0, abs=1e-6)
    assert fit_amdahl(THREADS, np.full(THREADS.size, 3.0)).serial.estimate == pytest.approx(1.0, abs=1e-6)
    superlinear = fit_amdahl([1, 2, 4, 8], [1, 2.2, 4.9, 10.0]).serial
    assert superlinear.estimate == pytest.approx(0.0, abs=1e-4)
    assert superlinear.low >= 0


def test_as_many_points_as_parameters_have_no_interval() -> None:
    fit = fit_amdahl([1, 2], [10.0, 18.0])
    assert _amdahl([1, 2], fit.single.estimate, fit.serial.estimate) == pytest.approx([10.0, 18.0], rel=1e-4)
    assert np.isnan([end for interval in (fit.single, fit.serial) for end in (interval.low, interval.high)]).all()


@pytest.mark.parametrize("threads", [[], [1], [2, 2, 2, 2]])
def test_too_few_thread_counts_give_no_fit(threads: list[int]) -> None:
    fit = fit_amdahl(threads, np.ones(len(threads)))
    assert np.isnan([*fit.serial, *fit.single, fit.residual]).all()


def test_rejects_invalid_arguments() -> None:
    with pytest.raises(ArgumentError, match="1 or more"):
        fit_amdahl([0.5, 1, 2], [1, 1, 2])
    with pytest.raises(ArgumentError, match="zero or negative"):
        fit_amdahl([1, 2, 3], [1, 0, 2])
    with pytest.raises(ArgumentError, match="threads has 2 values and speed has 1"):
        fit_amdahl([1, 2], [1])


def test_half_widths_are_those_of_linear_least_squares(rng: np.random.Generator) -> None:
    jacobian, residual = rng.normal(0, 1, (10, 2)) * [1.0, 1e6], rng.normal(0, 1, 10)
    variance = np.diag(np.linalg.inv(jacobian.T @ jacobian)) * (residual**2).sum() / 8
    for confidence in (0.9, 0.95):
        expected = scipy.stats.t.ppf((1 + confidence) / 2, 8) * np.sqrt(variance)
        assert _half_widths(jacobian, residual, confidence) == pytest.approx(expected)
    one = _half_widths(jacobian[:3], residual[:3], 0.95)
    assert np.isfinite(one).all(), "one degree of freedom is enough"
    constant = jacobian * [1.0, 0.0]
    for unknown in (jacobian[:2], constant, jacobian[:, [0, 0]]):
        assert np.isnan(_half_widths(unknown, residual[: len(unknown)], 0.95)).all()


def test_intervals_end_at_the_limits_of_the_law(rng: np.random.Generator) -> None:
    noise = rng.lognormal(0, 0.1, THREADS.size)
    for speeds, end in ((3.0 * THREADS * noise, 0), (3.0 * noise, 1)):
        fit = fit_amdahl(THREADS, speeds)
        assert 0 <= fit.serial.low <= fit.serial.estimate <= fit.serial.high <= 1
        assert end in (fit.serial.low, fit.serial.high)
        assert fit.single.low < fit.single.estimate < fit.single.high


def test_a_fit_states_its_residual() -> None:
    fit = fit_amdahl([1, 1, 2, 2], [1.0, 1.1**2, 1.8, 1.8 * 1.1**2])
    assert fit.residual == pytest.approx(np.log(1.1))
    assert fit_amdahl([1, 2], [10.0, 18.0]).residual == pytest.approx(0.0, abs=1e-6)
