"""Error levels of several verdicts at once."""

from __future__ import annotations

from math import log, sqrt

import pytest
import scipy.stats

from aeadlab.verdicts.multiplicity import LEVEL, holm, smallest_error


def test_holm_by_hand() -> None:
    # Ascending: 4 * 0.005, 3 * 0.01, 2 * 0.03 and 1 * 0.04, each at least the preceding.
    assert holm([0.01, 0.04, 0.03, 0.005], 4) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.01], 1) == [0.01]
    assert holm([], 3) == []


def test_holm_counts_the_tests_that_decided_nothing() -> None:
    assert holm([0.01, 0.02], 10) == pytest.approx([0.1, 0.18])
    assert holm([0.3, 0.5], 10) == [1.0, 1.0]


def test_holm_keeps_equal_p_values_equal() -> None:
    assert holm([0.01, 0.01, 0.01], 3) == pytest.approx([0.03] * 3)


def test_holm_is_at_most_bonferroni_and_monotone() -> None:
    p_values = [0.001, 0.5, 0.02, 0.02, 0.9, 0.0004]
    adjusted = holm(p_values, 8)
    for p, q in zip(p_values, adjusted, strict=True):
        assert p <= q <= min(1.0, 8 * p)
    order = sorted(range(6), key=p_values.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)


@pytest.mark.parametrize("distance", [2.1, 2.5, 3.0, 4.0, 5.0])
def test_smallest_error_is_the_p_value_of_a_normal_test(distance: float) -> None:
    """An estimate `distance` standard errors above the bound is above it at the level of the two-sided test."""
    found = smallest_error(lambda level: distance - scipy.stats.norm.ppf((1 + level) / 2) > 0)
    expected = 2 * scipy.stats.norm.sf(distance)
    # Seven halvings of the range of logarithms from 1e-8 to 0.05, rounded upwards.
    assert expected <= found <= expected * (LEVEL / 1e-8) ** (1 / 2**7) * (1 + 1e-9)


def test_smallest_error_of_a_t_interval() -> None:
    values = [0.9, 1.4, 1.1, 1.6, 1.0, 1.3]
    mean, error = sum(values) / 6, scipy.stats.sem(values)
    found = smallest_error(lambda level: mean - scipy.stats.t.ppf((1 + level) / 2, 5) * error > 0.7)
    expected = scipy.stats.ttest_1samp(values, 0.7).pvalue
    assert expected <= found <= expected * 1.13


def test_smallest_error_is_bounded() -> None:
    assert smallest_error(lambda _: True) == 1e-8
    assert smallest_error(lambda level: level <= 1 - LEVEL) == pytest.approx(LEVEL)
    # Each level that is tried lies between the bounds.
    tried: list[float] = []
    smallest_error(lambda level: tried.append(1 - level) or level < 0.99)  # type: ignore[func-returns-value]
    assert len(tried) == 8
    assert all(1e-8 * (1 - 1e-6) <= each <= LEVEL for each in tried)
    assert min(abs(log(each / sqrt(1e-8 * LEVEL))) for each in tried) < 1e-6, "the first is the geometric mean"
