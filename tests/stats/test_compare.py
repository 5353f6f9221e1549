from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor, compare, noise_floor, ratio, verdict


def _run(make_case: Any, rng: np.random.Generator, slowdown: float, rounds: int = 60) -> dict[str, pd.DataFrame]:
    """Simulate an A/A pair and a candidate with noise by sample, and by round for all cases together."""
    shared = np.exp(np.cumsum(rng.normal(0, 0.02, rounds)))

    def times(factor: float) -> Any:
        return 1e-3 * factor * shared * rng.lognormal(0, 0.02, rounds)

    return {
        "baseline": make_case(times(1.0)),
        "again": make_case(times(1.0), replica=1),
        "candidate": make_case(times(slowdown), implementation="rustcrypto/aes-256-gcm"),
    }


def _judge(run: dict[str, pd.DataFrame]) -> Any:
    noise = noise_floor(pd.concat([run["baseline"], run["again"]], ignore_index=True))
    return compare(run["baseline"], run["candidate"], noise)


def test_equal_cases_show_no_difference_in_95_of_100(make_case: Any, rng: np.random.Generator) -> None:
    verdicts = [_judge(_run(make_case, rng, 1.0)).verdict for _ in range(100)]
    assert verdicts.count("no credible difference") >= 95


def test_ratio_interval_has_its_nominal_coverage(make_case: Any, rng: np.random.Generator) -> None:
    found = [ratio(run["baseline"], run["candidate"]) for run in (_run(make_case, rng, 1.0) for _ in range(200))]
    assert np.mean([r.low <= 1 <= r.high for r in found]) >= 0.90


@pytest.mark.parametrize(("slowdown", "expected"), [(1.05, "slower"), (1 / 1.05, "faster")])
def test_detects_a_five_percent_difference(
    make_case: Any, rng: np.random.Generator, slowdown: float, expected: str
) -> None:
    found = [_judge(_run(make_case, rng, slowdown)) for _ in range(40)]
    assert [c.verdict for c in found].count(expected) >= 38
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


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_rounds_give_no_difference(make_case: Any, n: int) -> None:
    baseline, candidate = make_case([1.0] * n), make_case([9.0] * n)
    found = compare(baseline, candidate, NoiseFloor(0.01, 1))
    assert found.ratio == pytest.approx(9.0)
    assert np.isnan([found.low, found.high]).all()
    assert found.verdict == "no credible difference"
    assert found.p_value == pytest.approx(min(1.0, 2 * 0.5**n))


def test_an_unknown_noise_floor_gives_no_difference(make_case: Any) -> None:
    pair = pd.concat([make_case([1.0, 1.1]), make_case([1.0, 1.2], replica=1)])
    noise = noise_floor(pair)
    assert np.isnan(noise.width) and noise.pairs == 1
    found = compare(make_case([1.0] * 20), make_case([9.0] * 20), noise)
    assert found.verdict == "no credible difference"
    assert found.p_value == 1.0


def test_a_difference_requires_the_whole_interval_outside() -> None:
    noise = NoiseFloor(np.log(1.02), 1)
    assert verdict(1.021, 1.05, noise) == "slower"
    assert verdict(1.019, 1.05, noise) == "no credible difference"
    assert verdict(0.95, 0.979, noise) == "faster"
    assert verdict(0.95, 0.985, noise) == "no credible difference"
    assert verdict(float("nan"), float("nan"), noise) == "no credible difference"


def test_p_value_is_the_sign_test_against_the_band(make_case: Any, rng: np.random.Generator) -> None:
    base = rng.lognormal(0, 0.1, 30)
    factor = np.array([1.1] * 21 + [1.01] * 5 + [0.9] * 4)
    found = compare(make_case(base), make_case(base * factor), NoiseFloor(np.log(1.05), 1))
    assert found.p_value == pytest.approx(scipy.stats.binomtest(21, 30).pvalue)
    found = compare(make_case(base), make_case(base), NoiseFloor(0.0, 1))
    assert found.p_value == 1.0


def test_p_values_of_equal_cases_are_not_too_small(make_case: Any, rng: np.random.Generator) -> None:
    p = [_judge(_run(make_case, rng, 1.0)).p_value for _ in range(100)]
    assert np.mean(np.array(p) < 0.1) <= 0.16


def test_rejects_several_cases_none_or_no_common_round(make_case: Any) -> None:
    one = make_case([1.0, 2.0])
    with pytest.raises(ArgumentError, match="candidate holds usable samples of 2 cases"):
        ratio(one, pd.concat([one, make_case([1.0], replica=1)]))
    with pytest.raises(ArgumentError, match="baseline holds usable samples of 0 cases"):
        ratio(one.assign(warmup=True), one)
    with pytest.raises(ArgumentError, match="share no round"):
        ratio(one, one.assign(round=[7, 8]))
