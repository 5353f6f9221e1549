from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import exp, isnan, log, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats import MedianInterval, median_interval, ratio_interval, smallest_count
from aeadlab.stats.interval import sorted_quantile, within_processes
from aeadlab.stats.processes import Samples, standard_error

Floats = NDArray[np.float64]


def of_processes(*processes: Any, confidence: float = 0.95) -> MedianInterval:
    """Return the interval of the values of each process, one per round."""
    values = np.concatenate([np.atleast_1d(one) for one in processes])
    process = np.repeat(np.arange(len(processes)), [np.size(one) for one in processes])
    return median_interval(values, np.arange(values.size), process, confidence)


def single(values: Any, confidence: float = 0.95) -> MedianInterval:
    """Return the interval of values from one process each."""
    return of_processes(*values, confidence=confidence)


@pytest.mark.parametrize(
    ("n", "rank"),
    [(6, 1), (7, 1), (8, 2), (9, 2), (10, 2), (11, 3), (12, 3), (13, 3), (15, 4), (17, 5), (20, 6)],
)
def test_one_sample_of_each_process_gives_order_statistics(n: int, rank: int, rng: np.random.Generator) -> None:
    # Successive values that alternate have a negative correlation, which is ignored.
    order = np.roll(np.argsort(np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)])), 2)
    values = np.sort(rng.lognormal(0, 1, n))
    found = single(values[order])
    assert (found.low, found.high) == (values[rank - 1], values[n - rank])
    assert found.estimate == pytest.approx(np.median(values))
    # The exact coverage of these order statistics, by the binomial distribution.
    assert 0.929 <= 1 - 2 * scipy.stats.binom.cdf(rank - 1, n, 0.5) <= 0.985
    assert (found.processes, found.rounds) == (n, n)


def test_three_processes_have_the_t_interval_of_their_medians() -> None:
    # Medians 1, 2 and 3 have the mean 2, the variance 1, and the standard error 1 / sqrt(3); the estimate of their
    # correlation, (0 + 1/3) / 0.2, has the largest possible value, 0.6, which doubles the standard error.
    found = of_processes([1.0, 0.5, 9.0], [2.0, 1.9, 2.1], [3.0, 3.0, 3.0])
    reach = 4.302652729911275 * 2 / sqrt(3)
    assert (found.low, found.high) == pytest.approx((2 - reach, 2 + reach))
    assert found.estimate == 2.1, "the median of all values"
    # In the order 1, 3, 2 the products of successive deviations, -1 * 1 and 1 * 0, are negative; the corrected
    # estimate is (-1/2 + 1/3) / 0.2, and counts as no correlation.
    reach = 4.302652729911275 / sqrt(3)
    found = of_processes([1.0, 0.5, 9.0], [3.0, 3.0, 3.0], [2.0, 1.9, 2.1])
    assert (found.low, found.high) == pytest.approx((2 - reach, 2 + reach))
    assert (found.processes, found.rounds, found.unit) == (3, 9, "3 processes, 9 rounds")
    assert found.supports_verdict


def test_a_t_interval_contains_the_median() -> None:
    # The medians of the processes are 0, 0, 1, 0, 0: mean 0.2, standard error 0.2. Nearly half of the values of four
    # processes are above 1, so that the median of all values is 1, beyond 0.2 + 2.776 * 0.2.
    around = np.repeat([-3.0, 0.0, 3.0], [10, 1, 10])
    found = of_processes(around, around, np.ones(21), around, around)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.2 - 2.7764451051977987 * 0.2)
    mirrored = of_processes(-around, -around, -np.ones(21), -around, -around)
    assert tuple(mirrored) == pytest.approx((-1.0, -1.0, -found.low))


def test_positive_correlation_of_successive_processes_widens_the_interval() -> None:
    # Deviations -1, -1, 1, 1: squares 4, products 1 - 1 + 1 = 1, estimate (1/4 + 1/4) / max(1 - 3/4, 0.2) = 2, which
    # is limited to 0.6 and doubles the standard error sqrt(4 / 3 / 4); without it, in alternation, it stays.
    together, alternating = of_processes(1.0, 1.0, 3.0, 3.0), of_processes(1.0, 3.0, 1.0, 3.0)
    reach = 3.182446305284263 * sqrt(1 / 3)
    assert (together.low, together.high) == pytest.approx((2 - 2 * reach, 2 + 2 * reach))
    assert (alternating.low, alternating.high) == pytest.approx((2 - reach, 2 + reach))


def test_a_correlation_below_the_limit_counts_by_its_size() -> None:
    # Six deviations -1, -1, 1, 1, -1, 1 have squares 6 and products 1 - 1 + 1 - 1 - 1 = -1: (-1/6 + 1/6) / 0.5 = 0.
    # With -1, -1, 1, 1, 1, -1 the products are 1 - 1 + 1 + 1 - 1 = 1: (1/6 + 1/6) / 0.5 = 2/3, above the limit.
    plain = sqrt(6 / 5 / 6)
    deviations = np.array([[-1.0, -1, 1, 1, -1, 1], [-1, -1, 1, 1, 1, -1], [0, 0, 0, 0, 0, 0]])
    assert standard_error(deviations) == pytest.approx([plain, 2 * plain, 0])
    # Ten deviations: squares 10, products 1 of nine, estimate (1/10 + 1/10) / 0.7 = 2/7.
    ten = np.array([1.0, -1, -1, 1, 1, -1, -1, -1, 1, 1])
    assert (ten[1:] * ten[:-1]).sum() == 1
    assert standard_error(ten) == pytest.approx(sqrt(10 / 9 / 10 * (9 / 7) / (5 / 7)))


def test_many_rounds_of_a_process_count_as_one_unit() -> None:
    # Each process is constant, so the rounds add nothing to one round of each.
    medians = [3.0, 1.0, 7.0, 2.0, 9.0, 4.0, 6.0, 8.0, 5.0]
    one = single(medians)
    repeated = of_processes(*([median] * 40 for median in medians))
    assert tuple(repeated) == tuple(one) == (5.0, 2.0, 8.0)
    assert (repeated.processes, repeated.rounds) == (9, 360)


def test_shares_of_processes_by_hand() -> None:
    # Six processes of two values. Below the k-th value: the mean of the shares of 0, 1/2 or 1 of the processes.
    # At k = 2 the shares are 1/2, 1/2, 0, 0, 0, 0: mean 1/6, distance 1/3; variance 1/15, error sqrt(1/90) = 0.105,
    # limit 2.571 * 0.105 = 0.271 without correlation. At k = 3, 1/2, 1/2, 0, 1/2, 0, 0: distance 1/4, variance 3/40,
    # error sqrt(1/80) = 0.112, limit 0.287. The interval therefore begins with the third value, and by symmetry ends
    # with the third largest.
    values = [1, 7, 3, 8, 9, 5, 10, 2, 11, 6, 12, 4]
    found = of_processes([1, 9], [5, 8], [2, 10], [6, 11], [3, 7], [4, 12])
    assert sorted(values) == list(range(1, 13))
    assert found.estimate == 6.5
    assert (found.low, found.high) == (3, 10)


def test_processes_with_missing_rounds_have_the_same_weight() -> None:
    # The first of three processes has 18 of 20 rounds. The mean of shares passes one half among the values of the
    # second, and the t interval comes from the three medians alone.
    found = of_processes(np.full(18, 1.0), [2.0], [3.0])
    equal = of_processes([1.0], [2.0], [3.0])
    assert tuple(found) == pytest.approx(tuple(equal))
    assert (found.estimate, found.rounds) == (2.0, 20)
    six = of_processes(np.full(18, 1.0), 2.0, 3.0, 4.0, 5.0, [6.0, 6.0])
    assert tuple(six) == (3.5, 1.0, 6.0)


def test_several_values_of_a_round_count_as_their_median() -> None:
    values, rounds = [1.0, 50.0, 2.0, 3.0, 4.0], [0, 0, 0, 1, 2]
    found = median_interval(values, rounds, [0, 0, 0, 1, 2])
    assert tuple(found) == pytest.approx(tuple(of_processes(2.0, 3.0, 4.0)))
    assert found.rounds == 3
    both = median_interval([1.0, 3.0], [0, 0], [0, 0])
    assert (both.estimate, both.rounds) == (2.0, 1)
    # The same number of a round in another process is another round.
    assert median_interval([1.0, 2.0, 3.0], [0, 0, 0], [0, 1, 2]).rounds == 3


@pytest.mark.parametrize(("processes", "words"), [(1, "one process"), (2, "2 processes")])
def test_fewer_than_three_processes_hold_within_these(processes: int, words: str) -> None:
    values = [3.0, 1.0, 7.0, 2.0, 9.0, 4.0, 6.0, 8.0, 5.0]
    found = median_interval(values, range(9), np.arange(9) * processes // 9)
    assert tuple(found) == (5.0, 2.0, 8.0), "order statistics of the rounds"
    assert (found.processes, found.rounds) == (processes, 9)
    assert found.unit == f"within {words}, 9 rounds"
    assert not found.supports_verdict


def test_only_one_or_two_processes_need_to_be_named() -> None:
    words = ["", "Intervals hold within one process.", "Intervals hold within 2 processes.", "", ""]
    assert [within_processes(count) for count in range(5)] == words


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_rounds_of_one_process_have_an_unknown_interval(n: int) -> None:
    found = median_interval([3.0] * n, range(n), [0] * n)
    assert found.estimate == 3.0
    assert isnan(found.low) and isnan(found.high)
    assert not found.supports_verdict
    assert found.unit == f"within one process, {n} round{'s' * (n > 1)}"


def test_smallest_count_follows_from_the_confidence() -> None:
    assert [smallest_count(c) for c in (0.5, 0.9, 0.95, 0.99)] == [2, 5, 6, 8]
    for bad in (95, 0, 1, -0.1):
        with pytest.raises(ArgumentError, match="between 0 and 1"):
            smallest_count(bad)


def test_a_higher_level_than_shares_can_show_uses_the_medians() -> None:
    # At 99 % eight processes are needed for shares; seven have the t interval of their medians, symmetric about 4.
    found = single([1.0, 7.0, 2.0, 6.0, 3.0, 5.0, 4.0], 0.99)
    assert (found.low + found.high) / 2 == pytest.approx(4.0)
    assert found.low < 1.0 and found.high > 7.0
    eight = single([1.0, 7.0, 2.0, 8.0, 6.0, 3.0, 5.0, 4.0], 0.99)
    assert (eight.low, eight.high) == (1.0, 8.0)


@pytest.mark.parametrize("place", range(6))
def test_a_higher_level_never_has_a_shorter_interval(place: int) -> None:
    values = [0.001, 0.002, 0.003, 0.004, 0.005]
    values.insert(place, 1.0)
    levels = (0.9, 0.95, 0.96875, 0.97, 0.975, 0.99, 0.999, 0.999999)
    found = [single(values, level) for level in levels]
    for narrower, wider in pairwise(found):
        assert wider.low <= narrower.low and wider.high >= narrower.high


@pytest.mark.parametrize("processes", [3, 4, 5, 6, 7, 11])
def test_equal_values_that_are_no_binary_fractions_have_no_width(processes: int) -> None:
    for level in (0.95, 0.999):
        found = single([0.1] * processes, level)
        assert tuple(found) == (0.1, 0.1, 0.1)
        assert "equal samples" in found.unit


def test_identical_values_give_a_zero_width_interval() -> None:
    for processes in (1, 3, 12):
        found = median_interval([0.25] * 48, range(48), np.arange(48) * processes // 48)
        assert tuple(found) == (0.25, 0.25, 0.25)


def test_ties_beyond_the_ranks_have_no_effect() -> None:
    values = [1.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 9.0]
    assert tuple(single(values)) == (5.0, 5.0, 5.0)
    assert tuple(single([1.0, 1.0, *values[2:]]))[1] == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": []}, "no values"),
        ({"values": [1.0, np.nan, 2.0]}, "1 of 3 values that are NaN"),
        ({"values": [1.0, 2.0]}, "values has 2 values and round has 3"),
        ({"round": [0, 1]}, "values has 3 values and round has 2"),
        ({"process": [0, 1]}, "values has 3 values and process has 2"),
        ({"round": [0, 1, 1.5]}, "round holds numbers that are not whole"),
        ({"process": [0, 0.25, 1]}, "process holds numbers that are not whole"),
        ({"process": [0, np.nan, 1]}, "process hold 1 of 3 values that are NaN"),
        ({"confidence": 95}, "confidence is 95, expected a number between 0 and 1"),
        ({"confidence": 0.0}, "between 0 and 1"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ],
    ids=str,
)
def test_rejects_unusable_arguments(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"values": [1.0, 2.0, 3.0], "round": [0, 1, 2], "process": [0, 1, 2]} | change
    with pytest.raises(ArgumentError, match=message):
        median_interval(**given)


def test_ratio_is_the_exponential_of_paired_log_ratios(rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 1, 24)
    over, under = shared * rng.lognormal(0.3, 0.1, 24), shared * rng.lognormal(0, 0.1, 24)
    process = np.arange(24) // 3
    found = ratio_interval(over, under, range(24), process)
    logs = median_interval(np.log(over / under), range(24), process)
    assert tuple(found) == pytest.approx(tuple(np.exp(logs)))
    assert (found.unit, found.supports_verdict) == ("8 processes, 24 rounds", True)
    inverse = ratio_interval(under, over, range(24), process)
    assert tuple(inverse) == pytest.approx((1 / found.estimate, 1 / found.high, 1 / found.low))


def test_ratio_of_constant_times_is_exact() -> None:
    found = ratio_interval([3.0] * 9, [2.0] * 9, range(9), np.arange(9) // 3)
    assert tuple(found) == pytest.approx((1.5, 1.5, 1.5))


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_ratio_rejects_times_that_are_not_positive_or_paired(bad: float) -> None:
    with pytest.raises(ArgumentError, match="numerator hold 1 of 2 values that are zero or negative"):
        ratio_interval([1.0, bad], [1.0, 1.0], [0, 1], [0, 1])
    with pytest.raises(ArgumentError, match="denominator hold 1 of 2 values that are zero or negative"):
        ratio_interval([1.0, 1.0], [1.0, bad], [0, 1], [0, 1])
    with pytest.raises(ArgumentError, match="numerator has 1 values and denominator has 2"):
        ratio_interval([1.0], [1.0, 1.0], [0, 1], [0, 1])


@pytest.mark.parametrize("processes", [6, 7, 9, 14])
def test_monotone_transformations_transform_the_interval(processes: int, rng: np.random.Generator) -> None:
    values = rng.normal(0, 1, 3 * processes)
    index = np.arange(values.size), np.arange(values.size) // 3
    found, transformed = median_interval(values, *index), median_interval(np.exp(values), *index)
    assert (transformed.low, transformed.high) == pytest.approx((exp(found.low), exp(found.high)))
    mirrored = median_interval(-values, *index)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low))


@settings(deadline=None)
@given(st.lists(st.floats(1e-9, 1e3), min_size=6, max_size=60), st.integers(1, 12), st.randoms(use_true_random=False))
def test_interval_contains_the_median_in_any_order_of_rows(values: list[float], processes: int, random: Any) -> None:
    rows = [(value, i, i * processes // len(values)) for i, value in enumerate(values)]
    found = median_interval(*zip(*rows, strict=True))
    slack = 1e-12 * found.estimate
    assert found.low - slack <= found.estimate <= found.high + slack
    if found.processes not in range(3, 6):
        assert min(values) <= found.low <= found.high <= max(values)
    random.shuffle(rows)
    assert median_interval(*zip(*rows, strict=True)) == found


def test_any_numbers_of_processes_and_rounds_give_the_same() -> None:
    values = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0])
    found = median_interval(values, range(8), range(8))
    assert median_interval(values, np.arange(8) * 7 + 100, np.arange(8) * 3 - 5) == found


def samples_of(values: Floats, processes: int) -> Samples:
    process = np.arange(values.shape[1]) * processes // values.shape[1]
    return Samples.of(values, np.broadcast_to(process, values.shape))


@pytest.mark.parametrize(("processes", "rounds"), [(3, 4), (5, 2), (6, 1), (6, 5), (7, 1), (9, 3), (14, 1), (14, 4)])
def test_p_values_agree_with_the_interval(processes: int, rounds: int, rng: np.random.Generator) -> None:
    values = rng.normal(0, 1, (200, processes * rounds)) + np.repeat(rng.normal(0, 0.5, (200, processes)), rounds, 1)
    samples = samples_of(values, processes)
    for end, outwards in zip(samples.bounds(0.95), (-1.0, 1.0), strict=True):
        assert (samples.p_values(end + outwards * 1e-9) < 0.05 + 1e-6).all()
        assert (samples.p_values(end - outwards * 1e-9) > 0.05 - 1e-6).all()


def test_p_value_of_three_processes_is_the_t_test() -> None:
    values = np.array([[1.0, 3.0, 2.0]])
    expected = scipy.stats.ttest_1samp(values[0], 1.5).pvalue
    assert samples_of(values, 3).p_values(np.array([1.5]))[0] == pytest.approx(expected)


def test_p_value_of_a_constant_sample() -> None:
    samples = samples_of(np.full((2, 12), 2.0), 6)
    assert samples.p_values(np.array([2.0, 2.1])).tolist() == [1.0, 0.0]


def test_p_values_of_few_rounds_of_one_process_are_unknown() -> None:
    assert np.isnan(samples_of(np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), 1).p_values(np.array([9.0]))).all()
    assert samples_of(np.arange(1.0, 7.0)[np.newaxis], 1).p_values(np.array([9.0]))[0] <= 2**-5


def test_p_values_beyond_all_samples_come_from_the_medians() -> None:
    # No share lies on the other side: the sign test allows 2**-8 at most, and the distance of the medians less.
    samples = samples_of(np.arange(1.0, 10.0)[np.newaxis], 9)
    near, far = (samples.p_values(np.array([at]))[0] for at in (9.5, 100.0))
    assert far < near <= 2**-8
    assert far == pytest.approx(2 * scipy.stats.t.cdf(-95 / (sqrt(7.5 / 9) * 2), 8), rel=1e-6)


def independent(rng: np.random.Generator, groups: int, processes: int, rounds: int) -> Floats:
    return rng.normal(0, 0.02, (groups, processes * rounds))


def with_offsets(rng: np.random.Generator, groups: int, processes: int, rounds: int) -> Floats:
    return independent(rng, groups, processes, rounds) + np.repeat(rng.normal(0, 0.05, (groups, processes)), rounds, 1)


def two_modes(rng: np.random.Generator, groups: int, processes: int, rounds: int) -> Floats:
    """Differences of two cases with two modes each, whose median is 0."""
    slow = rng.random((2, groups, processes * rounds)) < 0.3
    return independent(rng, groups, processes, rounds) + log(1.25) * (slow[0].astype(float) - slow[1])


@pytest.mark.parametrize("model", [independent, with_offsets, two_modes])
@pytest.mark.parametrize(
    ("processes", "rounds"), [(3, 4), (5, 3), (6, 1), (6, 4), (7, 1), (9, 1), (9, 4), (13, 1), (14, 4), (20, 5)]
)
def test_median_interval_has_its_nominal_coverage(
    model: Callable[..., Floats], processes: int, rounds: int, rng: np.random.Generator
) -> None:
    samples = samples_of(model(rng, 2000, processes, rounds), processes)
    low, high = samples.bounds(0.95)
    covered = np.mean((low <= 0) & (high >= 0))
    # Three to five processes have an interval for normal medians; medians of two modes are covered more often.
    assert 0.925 <= covered <= (0.99 if processes > 5 else 0.995)
    p_values = samples.p_values(np.zeros(2000))
    assert (p_values[(low > 0) | (high < 0)] < 0.05).all()
    # The interval has no gaps, so it may hold values that the test rejects.
    assert np.mean(p_values < 0.05) <= 0.075


def test_rounds_as_units_would_not_cover(rng: np.random.Generator) -> None:
    """Check that the simulation detects the error: each round as a process, in random order."""
    values = rng.permuted(with_offsets(rng, 500, 9, 10), axis=1)
    low, high = samples_of(values, 90).bounds(0.95)
    assert np.mean((low <= 0) & (high >= 0)) < 0.75


def test_higher_confidence_gives_a_wider_interval(rng: np.random.Generator) -> None:
    samples = samples_of(with_offsets(rng, 2000, 20, 4), 20)
    ends = [samples.bounds(c) for c in (0.5, 0.8, 0.99)]
    covered = [np.mean((low <= 0) & (high >= 0)) for low, high in ends]
    assert covered == pytest.approx([0.5, 0.8, 0.99], abs=0.07)


def test_many_groups_equal_single_groups(rng: np.random.Generator) -> None:
    values = with_offsets(rng, 50, 7, 3)
    samples = samples_of(values, 7)
    low, high = samples.bounds(0.95)
    for i in (0, 17, 49):
        found = median_interval(values[i], range(21), np.arange(21) // 3)
        assert tuple(found) == (samples.median[i], low[i], high[i])
    uneven = np.array([5.0, 1.0, 2.0, 9.0, 4.0, 7.0, 3.0])
    process = np.array([0, 0, 0, 1, 1, 2, 2])
    assert Samples.of(uneven[np.newaxis], process[np.newaxis]).medians.tolist() == [[2.0, 6.5, 5.0]]


@settings(deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_agree_with_numpy(values: list[float], share: float) -> None:
    rows = np.sort(np.array([values]), axis=1)
    assert sorted_quantile(rows, share)[0] == pytest.approx(np.quantile(values, share), rel=1e-9, abs=1e-9)
