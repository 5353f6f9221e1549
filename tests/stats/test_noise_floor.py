from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor, noise_floor, ratio_interval
from aeadlab.stats.noise_floor import MARGIN, bias, driving_class, judging, noise_widths

STEADY = np.ones(24)


def pair(make_case: Any, factor: Any, times: Any = STEADY, **columns: Any) -> list[pd.DataFrame]:
    """Return both arms of an A/A pair whose second arm takes `factor` times as long."""
    return [make_case(times, **columns), make_case(times * factor, replica=1, **columns)]


def test_the_margin_is_one_percent_on_either_side() -> None:
    floor = NoiseFloor(MARGIN, 0)
    assert (floor.low, floor.high) == pytest.approx((1 / 1.01, 1.01))
    assert not floor.is_biased
    assert NoiseFloor(np.log(1.02), 1).is_biased
    assert NoiseFloor(np.log(1.02), 1).low == pytest.approx(1 / 1.02)


def test_without_an_a_a_pair_the_margin_stays(make_case: Any) -> None:
    assert noise_floor(make_case(STEADY)) == NoiseFloor(MARGIN, 0)
    disjoint = pair(make_case, 1.5)
    assert noise_floor(pd.concat([disjoint[0], disjoint[1].assign(round=np.arange(100, 124))])) == NoiseFloor(MARGIN, 0)


def test_pairs_within_the_margin_do_not_change_it(make_case: Any) -> None:
    samples = pd.concat([*pair(make_case, 1.005), *pair(make_case, 0.995, bytes=64), make_case(STEADY * 7, bytes=128)])
    assert noise_floor(samples) == NoiseFloor(MARGIN, 2)


@pytest.mark.parametrize("factor", [1.03, 1 / 1.03])
def test_a_biased_pair_widens_the_band_on_both_sides(make_case: Any, factor: float) -> None:
    noise = noise_floor(pd.concat([*pair(make_case, 1.0), *pair(make_case, factor, bytes=64)]))
    assert (noise.low, noise.high) == pytest.approx((1 / 1.03, 1.03))
    assert (noise.pairs, noise.is_biased) == (2, True)


def test_the_bias_is_the_farther_end_of_the_interval_for_all_pairs(make_case: Any, rng: np.random.Generator) -> None:
    factors = rng.lognormal(0.05, 0.005, 24)
    biased = pair(make_case, factors)
    arms = (biased[1]["seconds"], biased[0]["seconds"], biased[0]["round"], biased[0]["process"])
    assert noise_floor(pd.concat(biased)).high == pytest.approx(ratio_interval(*arms).high)
    # With five pairs the level of each interval is 99 %.
    others = [frame for size in (1, 2, 3, 4) for frame in pair(make_case, 1.0, bytes=size)]
    corrected = ratio_interval(*arms, confidence=0.99)
    assert noise_floor(pd.concat([*biased, *others])).high == pytest.approx(corrected.high)
    assert corrected.high > ratio_interval(*arms).high


def test_noise_without_bias_does_not_widen_the_band(make_case: Any, rng: np.random.Generator) -> None:
    """Processes that differ by 5 % are no bias; the intervals of ratios contain their differences."""
    biased = 0
    for _ in range(40):
        offsets = np.exp(np.repeat(rng.normal(0, 0.05, (2, 12)), 2, axis=1))
        biased += noise_floor(pd.concat(pair(make_case, offsets[1], offsets[0]))).is_biased
    assert biased <= 6, "expected in at most 2 of 40 runs"


@pytest.mark.parametrize(
    "other", [{"bytes": 64}, {"threads": 4}, {"engine": "parsplit"}, {"engine": "python"}], ids=str
)
def test_a_pair_of_another_class_or_length_does_not_count(make_case: Any, other: dict[str, Any]) -> None:
    samples = pd.concat([*pair(make_case, 1.0), *pair(make_case, 1.3, **other)])
    assert noise_floor(samples, make_case(STEADY)) == NoiseFloor(MARGIN, 1)
    assert noise_floor(samples, make_case(STEADY, **other)).high == pytest.approx(1.3)
    assert noise_floor(samples).high == pytest.approx(1.3)
    both = pd.concat([make_case(STEADY), make_case(STEADY, **other)])
    assert noise_floor(samples, both).high == pytest.approx(1.3)


def test_all_thread_counts_above_one_are_a_class(make_case: Any) -> None:
    samples = pd.concat(pair(make_case, 1.3, threads=4))
    assert noise_floor(samples, make_case(STEADY, threads=2)).high == pytest.approx(1.3)
    assert noise_floor(samples, make_case(STEADY, implementation="ring/aes-256-gcm")) == NoiseFloor(MARGIN, 0)


def test_driving_classes_in_words() -> None:
    cases = pd.DataFrame({"engine": ["whole", "parsplit"], "threads": [1, 16], "bytes": [64, 1 << 20]})
    classes = ["whole, one thread, 64 B", "parsplit, several threads, 1048576 B"]
    assert driving_class(cases).tolist() == classes
    named = cases.assign(implementation=["baseline/memcpy", "ring/aes-256-gcm"])
    assert driving_class(named).tolist() == [f"{classes[0]}, baseline", classes[1]]


def test_a_copy_judges_no_aead_that_has_a_pair_of_its_own(make_case: Any) -> None:
    memcpy, aead, other = ({"implementation": f"{name}"} for name in ("baseline/memcpy", "ring/a", "openssl/a"))
    noisy, quiet = pair(make_case, 1.3, **memcpy), pair(make_case, 1.0, **aead)
    both = pd.concat([*noisy, *quiet])
    assert noise_floor(both, make_case(STEADY, **other)) == NoiseFloor(MARGIN, 1)
    assert noise_floor(both, make_case(STEADY, **memcpy)).high == pytest.approx(1.3)
    mixed = pd.concat([make_case(STEADY, **other), make_case(STEADY, **memcpy)])
    assert noise_floor(both, mixed).high == pytest.approx(1.3)
    assert np.exp(noise_widths(both, mixed.drop_duplicates("implementation"))) == pytest.approx([1.01, 1.3])
    without = mixed.drop_duplicates("implementation").drop(columns="implementation")
    for names, width in ((("ring/a", "openssl/a"), 1.01), (("ring/a", "baseline/xor"), 1.3)):
        assert np.exp(noise_widths(both, without, names)) == pytest.approx([width, width])
    # A record without pairs of AEADs, or with one of another length only, is judged by those that it has.
    far = pair(make_case, 1.0, bytes=64, **aead)
    for samples in (pd.concat(noisy), pd.concat([*noisy, *far])):
        assert noise_floor(samples, make_case(STEADY, **other)).high == pytest.approx(1.3)


@pytest.mark.parametrize(("processes", "pairs"), [(1, 0), (2, 0), (3, 1)])
def test_a_pair_of_fewer_than_three_processes_shows_no_bias(make_case: Any, processes: int, pairs: int) -> None:
    noise = noise_floor(pd.concat(pair(make_case, 1.3, process=np.arange(24) * processes // 24)))
    assert noise == NoiseFloor(pytest.approx(np.log(1.3)) if pairs else MARGIN, pairs)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 0.0, -1e-6])
def test_raises_for_times_of_a_pair_that_are_not_positive(make_case: Any, bad: float) -> None:
    with pytest.raises(ArgumentError, match="seconds hold 1 of 4 values"):
        noise_floor(pd.concat([make_case([1.0, bad]), make_case([1.0, 1.1], replica=1)]))


def test_bias_is_the_farther_end_of_an_interval_without_zero() -> None:
    low, high = [0.01, -0.3, -0.02, 0.0, np.nan], [0.05, -0.1, 0.3, 0.2, np.nan]
    assert bias(low, high).tolist() == [0.05, 0.3, 0.0, 0.0, 0.0]


def test_each_case_has_the_width_of_its_own_class_and_length(make_case: Any) -> None:
    """The floor of 16-byte messages never judges 100 MB."""
    short, long, parallel = {"bytes": 16}, {"bytes": 10**8}, {"bytes": 16, "threads": 2}
    factors = ((short, 1.3), (long, 1.0), (parallel, 1.1))
    samples = pd.concat([arm for columns, factor in factors for arm in pair(make_case, factor, **columns)])
    rows = pd.concat([make_case(STEADY[:1], **columns) for columns in (long, short, parallel)])
    assert np.exp(noise_widths(samples, rows)) == pytest.approx([1.01, 1.3, 1.1])


@pytest.mark.parametrize(
    ("length", "factors"),
    [
        (256, [1.3]),
        (255, []),
        (1024, [1.3]),
        (1500, [1.3]),
        (2048, [1.3, 1.1]),
        (3000, [1.1]),
        (16384, [1.1]),
        (16390, []),
    ],
)
def test_the_nearest_length_within_a_factor_of_four_judges(make_case: Any, length: int, factors: list[float]) -> None:
    samples = pd.concat([*pair(make_case, 1.3, bytes=1024), *pair(make_case, 1.1, bytes=4096)])
    floor = noise_floor(samples, make_case(STEADY, bytes=length))
    assert (floor.pairs, floor.high) == (len(factors), pytest.approx(max(factors, default=1.01)))
    rows = make_case([1.0, 1.0], bytes=[1024, 4096])
    assert judging(rows, make_case(STEADY, bytes=length)).tolist() == [factor in factors for factor in (1.3, 1.1)]


def test_an_empty_message_is_as_long_as_a_byte(make_case: Any) -> None:
    samples = pd.concat(pair(make_case, 1.3, bytes=0))
    for length, pairs in ((0, 1), (1, 1), (4, 1), (5, 0)):
        assert noise_floor(samples, make_case(STEADY, bytes=length)).pairs == pairs
