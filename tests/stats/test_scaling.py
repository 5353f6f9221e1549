from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import fit_amdahl, fit_usl, speed_up

THREADS = np.repeat([1, 2, 4, 8, 16, 32], 5)


def _amdahl(threads: Any, single: float, serial: float) -> Any:
    return single / (serial + (1 - serial) / np.asarray(threads))


def _usl(threads: Any, single: float, contention: float, coherence: float) -> Any:
    p = np.asarray(threads)
    return single * p / (1 + contention * (p - 1) + coherence * p * (p - 1))


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
    covered = []
    for _ in range(100):
        one, two = rng.lognormal(0, 0.05, 30), rng.lognormal(0, 0.05, 30) / 1.8
        row = speed_up(pd.concat([make_case(one), make_case(two, threads=2)])).iloc[1]
        covered.append(row["speed_up_low"] <= 1.8 <= row["speed_up_high"])
    assert np.mean(covered) >= 0.88


def test_without_one_thread_or_with_few_rounds_nothing_is_claimed(make_case: Any) -> None:
    alone = speed_up(make_case([1.0] * 9, threads=4)).iloc[0]
    assert alone["pairs"] == 0 and np.isnan(alone["speed_up"])
    few = speed_up(pd.concat([make_case([1.0, 1.0]), make_case([0.5, 0.5], threads=2)])).iloc[1]
    assert few["speed_up"] == pytest.approx(2.0)
    assert np.isnan(few["speed_up_low"]) and np.isnan(few["efficiency_high"])


def test_planted_amdahl_parameter_is_recovered(rng: np.random.Generator) -> None:
    covered = []
    for _ in range(100):
        fit = fit_amdahl(THREADS, _amdahl(THREADS, 13.6, 0.08) * rng.lognormal(0, 0.03, THREADS.size))
        serial = fit.parameters["serial"]
        assert serial.estimate == pytest.approx(0.08, abs=0.03)
        assert fit.parameters["single"].estimate == pytest.approx(13.6, rel=0.1)
        assert fit.residual == pytest.approx(0.03, rel=0.6)
        covered.append(serial.low <= 0.08 <= serial.high)
    assert np.mean(covered) >= 0.88


def test_planted_usl_parameters_are_recovered(rng: np.random.Generator) -> None:
    covered = []
    for _ in range(100):
        fit = fit_usl(THREADS, _usl(THREADS, 5.0, 0.03, 0.001) * rng.lognormal(0, 0.02, THREADS.size))
        found = fit.parameters["coherence"]
        assert found.estimate == pytest.approx(0.001, abs=0.0005)
        covered.append(found.low <= 0.001 <= found.high)
    assert np.mean(covered) >= 0.88


def test_exact_data_are_reproduced() -> None:
    threads = [1, 2, 3, 4, 8]
    amdahl = fit_amdahl(threads, _amdahl(threads, 2.0, 0.25))
    assert amdahl.parameters["serial"].estimate == pytest.approx(0.25, abs=1e-6)
    assert amdahl.speed([16]) == pytest.approx(_amdahl([16], 2.0, 0.25))
    usl = fit_usl(threads, _usl(threads, 2.0, 0.1, 0.01))
    assert [p.estimate for p in usl.parameters.values()] == pytest.approx([2.0, 0.1, 0.01], rel=1e-3)
    assert usl.speed([16, 64]) == pytest.approx(_usl([16, 64], 2.0, 0.1, 0.01), rel=1e-4)


def test_limits_of_the_laws_hold() -> None:
    linear = fit_amdahl(THREADS, 3.0 * THREADS)
    assert linear.parameters["serial"].estimate == pytest.approx(0.0, abs=1e-6)
    flat = fit_amdahl(THREADS, np.full(THREADS.size, 3.0))
    assert flat.parameters["serial"].estimate == pytest.approx(1.0, abs=1e-6)
    beyond = fit_usl([1, 2, 4, 8], [1, 2.2, 4.9, 10.0])
    for name in ("contention", "coherence"):
        assert beyond.parameters[name].estimate == pytest.approx(0.0, abs=1e-4)
        assert beyond.parameters[name].low >= 0


def test_as_many_points_as_parameters_leave_the_interval_unknown() -> None:
    fit = fit_amdahl([1, 2], [10.0, 18.0])
    assert fit.speed([1, 2]) == pytest.approx([10.0, 18.0], rel=1e-4)
    assert np.isnan([end for p in fit.parameters.values() for end in (p.low, p.high)]).all()


@pytest.mark.parametrize("threads", [[], [1], [2, 2, 2, 2]])
def test_too_few_thread_counts_give_no_fit(threads: list[int]) -> None:
    fit = fit_amdahl(threads, np.ones(len(threads)))
    assert np.isnan([*fit.parameters["serial"], *fit.parameters["single"], fit.residual]).all()
    assert np.isnan(fit_usl([1, 2], [1.0, 1.9]).parameters["coherence"].estimate)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ArgumentError, match="1 or more"):
        fit_amdahl([0.5, 1, 2], [1, 1, 2])
    with pytest.raises(ArgumentError, match="zero or negative"):
        fit_usl([1, 2, 3], [1, 0, 2])
    with pytest.raises(ArgumentError, match="threads has 2 values and speed has 1"):
        fit_amdahl([1, 2], [1])
