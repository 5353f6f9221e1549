from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import in_upper_mode, median_interval, mode_ratio, modes, quantile_interval, share_interval

PROCESSES, ROUNDS = 10, 20
PROCESS = np.repeat(np.arange(PROCESSES), ROUNDS)


def bimodal(
    slow: int, of: int = 200, ratio: float = 1.25, seed: int = 1, offsets: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    times = 0.1 * np.exp(random.normal(0, 0.004, of) + random.uniform(-offsets, offsets, PROCESSES)[PROCESS[:of]])
    times[random.choice(of, slow, replace=False)] *= ratio
    return times, np.arange(of, dtype=float)


@pytest.mark.parametrize("offsets", [0.0, 0.02])
def test_mode_ratio_has_its_nominal_coverage(offsets: float) -> None:
    covered = found = 0
    for seed in range(200):
        times, order = bimodal(60, seed=seed, offsets=offsets)
        result = modes(times, order, PROCESS)
        if result.kind != "two":
            continue
        interval = mode_ratio(times, result, PROCESS)
        assert interval.low < interval.estimate < interval.high
        found += 1
        covered += interval.low <= 1.25 <= interval.high
    assert found > 185
    assert covered >= 0.93 * found, "each median has half the error probability, so the coverage is at least 95 %"


def test_mode_ratio_honours_the_confidence_and_the_processes() -> None:
    times, order = bimodal(60, offsets=0.02)
    found = modes(times, order, PROCESS)
    width = {level: np.ptp(mode_ratio(times, found, PROCESS, level)[1:]) for level in (0.8, 0.95, 0.999)}
    assert width[0.8] < width[0.95] < width[0.999]
    pooled = mode_ratio(times, found, np.zeros(200))
    assert width[0.95] > 1.5 * (pooled.high - pooled.low), "offsets of processes are part of the error"


def test_finds_the_samples_of_the_upper_mode() -> None:
    times, order = bimodal(60)
    assert in_upper_mode(times, modes(times, order)).sum() == 60
    assert in_upper_mode(times, modes(times, order))[times.argmax()]
    times, order = bimodal(0)
    assert not in_upper_mode(times, modes(times, order)).any()


def test_one_mode_has_no_ratio() -> None:
    times, order = bimodal(0)
    with pytest.raises(ArgumentError, match="expected two modes"):
        mode_ratio(times, modes(times, order), PROCESS)


def flags(count: int, of: int) -> np.ndarray:
    return np.arange(of) < count


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # The ends for none and all have closed forms; the interval of 32 of 100 is in published tables.
    [(0, 100, 0, 1 - 0.025 ** (1 / 100)), (100, 100, 0.025 ** (1 / 100), 1), (32, 100, 0.2302199, 0.4207672)],
)
def test_a_share_within_one_process_is_that_of_clopper_and_pearson(
    count: int, of: int, low: float, high: float
) -> None:
    assert share_interval(flags(count, of), np.zeros(of)) == pytest.approx((count / of, low, high), abs=1e-6)


def test_a_share_of_unlike_processes_has_a_wider_interval() -> None:
    alike = np.tile(flags(5, ROUNDS), PROCESSES)
    unlike = flags(50, 200)
    one = share_interval(unlike, np.zeros(200))
    by_process = share_interval(alike, PROCESS)
    assert one.estimate == by_process.estimate == 0.25
    assert by_process.low < one.low < one.high < by_process.high, "the factor comes from ten processes"
    # Two processes and a half have all: this is no more than ten observations show.
    clustered = share_interval(unlike, PROCESS)
    assert clustered.low < 0.05 and clustered.high > 0.6
    assert share_interval(unlike, PROCESS, 0.99).high > clustered.high
    few = share_interval(np.zeros(60), np.repeat([0, 1, 2], 20))
    assert few.high > 0.2, "three processes bound a share only roughly"


@pytest.mark.parametrize("correlation", [0.0, 0.05])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.32])
def test_share_interval_covers_samples_that_are_clustered_in_processes(share: float, correlation: float) -> None:
    random = np.random.default_rng(11)
    covered = pooled = 0
    for _ in range(400):
        of_process = np.full(PROCESSES, share)
        if correlation:
            strength = 1 / correlation - 1
            of_process = random.beta(share * strength, (1 - share) * strength, PROCESSES)
        inside = random.random(200) < of_process[PROCESS]
        interval, plain = share_interval(inside, PROCESS), share_interval(inside, np.zeros(200))
        covered += interval.low <= share <= interval.high
        pooled += plain.low <= share <= plain.high
    assert covered >= 0.93 * 400
    assert (pooled < 0.92 * 400) == (correlation > 0), "pooled samples cover only if they are independent"


def test_quantile_interval_has_its_nominal_coverage() -> None:
    random = np.random.default_rng(4)
    covered = {"independent": 0, "clustered": 0}
    # The 95th percentile of a normal distribution whose variance is divided between processes and samples.
    for name, between in (("independent", 0.0), ("clustered", 0.3)):
        for _ in range(300):
            values = between**0.5 * random.normal(size=PROCESSES)[PROCESS] + (1 - between) ** 0.5 * random.normal(
                size=200
            )
            interval = quantile_interval(values, 0.95, PROCESS)
            assert interval.low <= interval.estimate <= interval.high
            covered[name] += interval.low <= 1.6448536 <= interval.high
    assert covered["independent"] >= 0.93 * 300
    assert covered["clustered"] >= 0.92 * 300


def test_an_extreme_quantile_of_few_samples_has_no_upper_end() -> None:
    interval = quantile_interval(np.arange(20.0), 0.95, np.repeat(np.arange(4), 5))
    assert interval.high == np.inf and 0 <= interval.low <= interval.estimate
    assert quantile_interval(np.ones(200), 0.95, PROCESS) == (1, 1, 1)
    middle = quantile_interval(np.arange(200.0), 0.5, np.zeros(200))
    # The order statistics of the sign test: the 86th to the 115th of 200.
    assert (middle.low, middle.high) == (85, 114)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95])
def test_rejects_a_confidence_out_of_range(confidence: float) -> None:
    with pytest.raises(ArgumentError, match="confidence"):
        share_interval([1, 0], [0, 1], confidence)


def test_rejects_a_share_of_zero_samples_and_unequal_lengths() -> None:
    with pytest.raises(ArgumentError, match="at least one"):
        share_interval([], [])
    with pytest.raises(ArgumentError, match="2 values and process has 1"):
        share_interval([1, 0], [0])
    for share in (95, 1, 0, -0.5):
        with pytest.raises(ArgumentError, match=f"a quantile of {share} given, expected a number between 0 and 1"):
            quantile_interval([1.0], share, [0])


def korn_and_graubard(inside: np.ndarray, process: np.ndarray, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return a share with the interval of Clopper and Pearson at its effective sample size, by the description."""
    n, groups = inside.size, [inside[process == one] for one in np.unique(process)]
    share, tail, m = inside.mean(), (1 + confidence) / 2, len(groups)
    variance = m / (m - 1) * sum((own.sum() - share * own.size) ** 2 for own in groups) / n**2
    effect = max(1.0, variance / (share * (1 - share) / n)) if 0 < share < 1 else 1.0
    size = n / effect * ((scipy.stats.t.ppf(tail, n - 1) / scipy.stats.t.ppf(tail, m - 1)) ** 2 if n > m else 1.0)
    count = share * size
    low = scipy.stats.beta.ppf(1 - tail, count, size - count + 1) if share > 0 else 0.0
    return share, low, scipy.stats.beta.ppf(tail, count + 1, size - count) if share < 1 else 1.0


@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize(
    ("counts", "sizes"),
    [
        ((1, 2, 0), (8, 8, 8)),
        ((8, 0, 3), (8, 9, 4)),
        ((0, 0, 0, 0), (5, 5, 5, 5)),
        ((5, 5, 5, 6), (5, 5, 5, 6)),
        ((1, 0, 0, 1, 1), (1, 1, 1, 1, 1)),
        ((2, 2, 2, 2), (7, 7, 7, 7)),
    ],
)
def test_share_of_several_processes_by_the_description(
    counts: tuple[int, ...], sizes: tuple[int, ...], confidence: float
) -> None:
    inside = np.concatenate([flags(count, of) for count, of in zip(counts, sizes, strict=True)])
    process = np.repeat(np.arange(len(sizes)), sizes)
    expected = korn_and_graubard(inside, process, confidence)
    assert share_interval(inside, 7 - 2 * process, confidence) == pytest.approx(expected)


def test_two_processes_count_as_independent_samples() -> None:
    inside, process = flags(5, 20), np.repeat([0, 1], 10)
    assert share_interval(inside, process) == share_interval(inside, np.zeros(20))
    with pytest.raises(ArgumentError, match="inside hold 1 of 2 values that are NaN"):
        share_interval([np.nan, 1], [0, 0])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("processes", [1, 4])
def test_quantile_contains_the_values_that_shares_allow(share: float, processes: int, rng: np.random.Generator) -> None:
    values = np.round(rng.lognormal(0, 1, 60), 1)
    process = np.arange(60) * processes // 60
    inside = [
        value
        for value in np.unique(values)
        if share_interval(values > value, process).low <= 1 - share <= share_interval(values >= value, process).high
    ]
    found = quantile_interval(values, share, process)
    assert found.estimate == np.quantile(values, share)
    # An end is infinite if values beyond all samples are not excluded either.
    open_below, open_above = share_interval(values < 0, process).high, share_interval(values > 99, process).high
    assert found.low == (-np.inf if open_below >= share else min(inside))
    assert found.high == (np.inf if open_above > 1 - share else max(inside))


def test_mode_ratio_has_the_medians_of_both_modes() -> None:
    times, order = bimodal(60, offsets=0.02)
    slow = times > 0.1 * 1.25**0.5
    upper, lower = (
        median_interval(times[part], order[part], PROCESS[part], 0.95) for part in (slow, ~slow)
    )  # fmt: skip
    found = mode_ratio(times, modes(times, order, PROCESS), PROCESS, 0.9)
    assert found == pytest.approx((upper[0] / lower[0], upper[1] / lower[2], upper[2] / lower[1]))
