from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor, compare, confidence_of_chosen, noise_floor, ratio, ratio_interval, verdict
from aeadlab.stats.noise_floor import MARGIN
from tests.stats.conftest import PROCESSES


def _run(make_case: Any, rng: np.random.Generator, slowdown: float, rounds: int = 60) -> dict[str, pd.DataFrame]:
    """Simulate an A/A pair and a candidate with noise by sample, by process, and by round for all cases together."""
    shared = np.exp(np.cumsum(rng.normal(0, 0.02, rounds)))
    processes = np.arange(rounds) * PROCESSES // rounds

    def times(factor: float) -> Any:
        return 1e-3 * factor * shared * rng.lognormal(0, 0.01, PROCESSES)[processes] * rng.lognormal(0, 0.02, rounds)

    return {
        "baseline": make_case(times(1.0)),
        "again": make_case(times(1.0), replica=1),
        "candidate": make_case(times(slowdown), implementation="rustcrypto/aes-256-gcm"),
    }


def _judge(run: dict[str, pd.DataFrame]) -> Any:
    noise = noise_floor(pd.concat([run["baseline"], run["again"]], ignore_index=True))
    return compare(run["baseline"], run["candidate"], noise)


def test_equal_cases_show_no_difference_in_95_of_100(make_case: Any, rng: np.random.Generator) -> None:
    found = [_judge(_run(make_case, rng, 1.0)) for _ in range(60)]
    assert [c.verdict for c in found].count("no credible difference") >= 57
    assert np.mean([c.low <= 1 <= c.high for c in found]) >= 0.88
    assert np.mean([c.p_value < 0.1 for c in found]) <= 0.16


@pytest.mark.parametrize(("slowdown", "expected"), [(1.05, "slower"), (1 / 1.05, "faster")])
def test_detects_a_five_percent_difference(
    make_case: Any, rng: np.random.Generator, slowdown: float, expected: str
) -> None:
    found = [_judge(_run(make_case, rng, slowdown)) for _ in range(20)]
    assert [c.verdict for c in found].count(expected) >= 19
    assert np.median([c.ratio for c in found]) == pytest.approx(slowdown, rel=0.005)
    assert np.mean([c.low <= slowdown <= c.high for c in found]) >= 0.85


def test_pairing_cancels_effects_on_a_whole_round(make_case: Any, rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 1.0, 50)
    slower = make_case(shared * 1.01).sample(frac=1, random_state=1)
    found = ratio(make_case(shared), slower)
    assert (found.low, found.ratio, found.high) == pytest.approx((1.01, 1.01, 1.01))
    assert found.pairs == 50


def test_only_common_rounds_are_paired(make_case: Any) -> None:
    times = np.arange(1.0, 21.0)
    candidate = make_case(2 * times)
    candidate.loc[:4, "warmup"] = True
    candidate.loc[18:, "status"] = "failed: signal 9"
    found = ratio(make_case(times), candidate)
    assert found.pairs == 13
    assert found.ratio == pytest.approx(2.0)


@pytest.mark.parametrize("n", [1, 2])
def test_few_rounds_have_neither_interval_nor_p_value(make_case: Any, n: int) -> None:
    found = compare(make_case([1.0] * n), make_case([9.0] * n), NoiseFloor(MARGIN, 1))
    assert found.ratio == pytest.approx(9.0)
    assert np.isnan([found.low, found.high, found.p_value]).all()
    assert found.verdict == "no credible difference"


@pytest.mark.parametrize(
    ("processes", "expected", "unit"),
    [
        (1, "no credible difference", "within one process, 24 rounds"),
        (2, "no credible difference", "within 2 processes, 24 rounds"),
        (3, "slower", "3 processes, 24 rounds"),
        (12, "slower", "12 processes, 24 rounds"),
    ],
)
def test_fewer_than_three_processes_give_no_verdict(
    make_case: Any, rng: np.random.Generator, processes: int, expected: str, unit: str
) -> None:
    process = np.arange(24) * processes // 24
    sides = [make_case(factor * rng.lognormal(0, 0.01, 24), process=process) for factor in (1.0, 2.0)]
    found = compare(*sides, NoiseFloor(MARGIN, 1))
    assert (found.verdict, found.unit, found.processes, found.pairs) == (expected, unit, processes, 24)
    assert 1.9 < found.low < found.ratio < found.high < 2.1
    assert found.p_value < 0.05


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(1.009, "no credible difference"), (1.011, "slower"), (1 / 1.009, "no credible difference")],
)
def test_the_margin_is_one_percent(make_case: Any, factor: float, expected: str) -> None:
    base = np.linspace(1.0, 2.0, 24)
    noise = noise_floor(make_case(base))
    found = compare(make_case(base), make_case(base * factor), noise)
    assert (found.verdict, noise.width) == (expected, MARGIN)
    assert found.p_value == pytest.approx(0.0 if expected == "slower" else 1.0)


def test_interval_is_that_of_the_paired_ratio(make_case: Any, rng: np.random.Generator) -> None:
    times = rng.lognormal(0, 0.1, (2, 36))
    found = ratio(make_case(times[0]), make_case(times[1]))
    expected = ratio_interval(times[1], times[0], range(36), np.arange(36) // 3)
    assert (found.ratio, found.low, found.high) == pytest.approx(tuple(expected))
    assert (found.unit, found.processes) == (expected.unit, 12)


def test_a_difference_requires_the_whole_interval_outside() -> None:
    noise = NoiseFloor(np.log(1.02), 1)
    assert verdict(1.021, 1.05, noise, 3) == "slower"
    assert verdict(1.019, 1.05, noise, 3) == "no credible difference"
    assert verdict(0.95, 0.979, noise, 3) == "faster"
    assert verdict(0.95, 0.985, noise, 3) == "no credible difference"
    assert verdict(float("nan"), float("nan"), noise, 3) == "no credible difference"
    for processes in (1, 2):
        assert verdict(1.021, 1.05, noise, processes) == "no credible difference"
        assert verdict(0.95, 0.979, noise, processes) == "no credible difference"


@pytest.mark.parametrize("invert", [False, True])
def test_p_value_is_that_of_the_nearer_end_of_the_band(make_case: Any, invert: bool) -> None:
    # Nine processes of one round, with ratios of 0.9 in one of them and 1.01 to 1.6 in the others: of the band's end,
    # 1.05, three ratios are below. By t with 8 degrees of freedom: (1/2 - 3/9 - 1/18) / sqrt(2/9 / 8).
    factors = np.array([1.1, 0.9, 1.2, 1.3, 1.01, 1.4, 1.5, 1.02, 1.6])
    base = np.linspace(1.0, 2.0, 9)
    a, b = make_case(base), make_case(base * factors)
    if invert:
        a, b = b, a
    found = compare(a, b, NoiseFloor(np.log(1.05), 1))
    statistic = (1 / 2 - 3 / 9 - 1 / 18) / np.sqrt(2 / 9 / 8)
    assert found.p_value == pytest.approx(2 * scipy.stats.t.sf(statistic, 8))
    # The median ratio, 1.2, lies within a band of 25 %.
    assert compare(a, b, NoiseFloor(np.log(1.25), 1)).p_value == 1.0


def test_p_values_agree_with_the_verdicts(make_case: Any, rng: np.random.Generator) -> None:
    verdicts = set()
    for slowdown in (0.96, 0.98, 1.0, 1.02, 1.025, 1.03, 1.04):
        found = _judge(_run(make_case, rng, slowdown))
        assert (found.p_value < 0.05) == (found.verdict != "no credible difference")
        verdicts.add(found.verdict)
    assert len(verdicts) == 3


def test_rejects_several_cases_none_or_no_common_round(make_case: Any) -> None:
    one = make_case([1.0, 2.0])
    with pytest.raises(ArgumentError, match="candidate holds usable samples of 2 cases"):
        ratio(one, pd.concat([one, make_case([1.0], replica=1)]))
    with pytest.raises(ArgumentError, match="baseline holds usable samples of 0 cases"):
        ratio(one.assign(warmup=True), one)
    with pytest.raises(ArgumentError, match="share no round"):
        ratio(one, one.assign(round=[7, 8]))


def test_the_fastest_of_equal_candidates_is_seldom_credible(make_case: Any, rng: np.random.Generator) -> None:
    """The samples choose the fastest two: at the level of one comparison these would differ far too often."""
    process = np.arange(56) // 4
    found = dict.fromkeys((confidence_of_chosen(2), confidence_of_chosen(12)), 0)
    for _ in range(60):
        cases = [make_case(np.exp(rng.normal(0, 0.01, 56)), process=process) for _ in range(12)]
        cases.sort(key=lambda case: float(case["seconds"].median()))
        for confidence in found:
            found[confidence] += compare(cases[0], cases[-1], NoiseFloor(0.0, 0), confidence).verdict == "slower"
    nominal, joint = found.values()
    assert nominal >= 12 and joint <= 6


def test_two_candidates_have_the_level_of_one_pair() -> None:
    assert confidence_of_chosen(2) == confidence_of_chosen(1) == pytest.approx(0.95)
    assert confidence_of_chosen(5) == pytest.approx(1 - 0.05 / 10)
