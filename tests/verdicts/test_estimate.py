"""Intervals of combined quantities, and the propagation of unknown values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, inf, log, log1p

import pytest

from aeadlab.verdicts.estimate import (
    Estimate,
    Quantity,
    largest,
    lower_median,
    quotient,
    scaled,
    smallest,
    upper_median,
    with_detail,
    with_limitations,
)


def fixed(value: float, spread: float, noise: float = 0.0) -> Quantity:
    """Return a quantity whose interval grows with the confidence level: width 1 at 95 %, 5 at 99 %."""
    return lambda confidence: Estimate(
        value, value - spread * 0.05 / (1 - confidence), value + spread * 0.05 / (1 - confidence), noise, 12, 48
    )


def test_smallest_corrects_its_upper_end() -> None:
    estimate = smallest([fixed(3, 0.1), fixed(2, 0.1), fixed(5, 0.1)])(0.95)
    assert (estimate.value, estimate.low) == (2, pytest.approx(1.9))
    assert estimate.high == pytest.approx(2.3)


def test_largest_corrects_its_lower_end() -> None:
    estimate = largest([fixed(3, 0.1), fixed(2, 0.1), fixed(5, 0.1)])(0.95)
    assert (estimate.value, estimate.high) == (5, pytest.approx(5.1))
    assert estimate.low == pytest.approx(4.7)


def test_scaled_keeps_noise_and_limitations() -> None:
    estimate = scaled(with_limitations(fixed(3, 0.1, 0.04), cannot_confirm="one is absent"), 10)(0.95)
    assert (estimate.value, estimate.low, estimate.high) == (30, pytest.approx(29), pytest.approx(31))
    assert (estimate.noise, estimate.cannot_confirm) == (0.04, "one is absent")


@pytest.mark.parametrize("combine", [smallest, largest, upper_median, lower_median])
def test_combining_one_quantity_changes_nothing(combine: Callable[[list[Quantity]], Quantity]) -> None:
    alone, combined = fixed(3, 0.1, 0.04)(0.95), combine([fixed(3, 0.1, 0.04)])(0.95)
    assert replace(combined, limits=None, noise=pytest.approx(combined.noise)) == alone
    assert combined.widened == alone.widened


def test_each_part_is_widened_by_its_own_noise_floor() -> None:
    """A noisy part that is far from the smallest does not widen it."""
    quantity = smallest([fixed(2, 0.1, 0.01), fixed(9, 0.1, 0.4)])
    low, high = quantity(0.95).widened
    assert (low, high) == (pytest.approx(1.9 * exp(-0.01)), pytest.approx(2.2 * exp(0.01)))
    assert quantity(0.95).noise == pytest.approx(0.01)
    # A noisy part that may be the smallest does.
    near = smallest([fixed(2, 0.1, 0.01), fixed(2.1, 0.1, 0.4)])(0.95)
    assert near.widened[0] == pytest.approx(2.0 * exp(-0.4))
    assert near.noise == pytest.approx(log(1.9 / 2.0) + 0.4)


def test_scaling_and_limitations_keep_the_widened_ends() -> None:
    parts = smallest([fixed(2, 0.1, 0.01), fixed(2.1, 0.1, 0.4)])
    low, high = parts(0.95).widened
    assert scaled(with_limitations(parts, no_size="none"), 10)(0.95).widened == (10 * low, 10 * high)


@pytest.mark.parametrize(("values", "place"), [([1, 2, 3, 4, 5], 3), ([4, 3, 2, 1], 3), ([1, 2], 2), ([1, 9, 9], 9)])
def test_upper_median_of_odd_and_even_counts(values: list[float], place: float) -> None:
    estimate = upper_median([fixed(value, 0.0) for value in values])(0.95)
    assert estimate.value == estimate.low == estimate.high == place
    assert sum(value <= place for value in values) > len(values) / 2


@pytest.mark.parametrize(("values", "place"), [([1, 2, 3, 4, 5], 3), ([4, 3, 2, 1], 2), ([1, 2], 1), ([1, 9, 9], 9)])
def test_most_quantities_reach_the_lower_median(values: list[float], place: float) -> None:
    estimate = lower_median([fixed(value, 0.0) for value in values])(0.95)
    assert estimate.value == estimate.low == estimate.high == place
    assert sum(value >= place for value in values) > len(values) / 2


def test_quotient_combines_both_intervals() -> None:
    estimate = quotient(fixed(7, 0.1, 0.01), fixed(2, 0.1, 0.02))(0.95)
    assert estimate.value == 3.5
    assert (estimate.low, estimate.high) == (pytest.approx(6.8 / 2.2), pytest.approx(7.2 / 1.8))
    assert estimate.noise == pytest.approx(0.03)


def unknown(_: float) -> Estimate:
    return Estimate(2, 0.0, inf, 0.3, 2, 50, "cannot confirm", "cannot refute", "no size")


def test_limitations_and_unknown_ends_propagate() -> None:
    for made in (smallest, largest, upper_median):
        estimate = made([fixed(1, 0.1), unknown])(0.95)
        assert (estimate.cannot_confirm, estimate.cannot_refute) == ("cannot confirm", "cannot refute")
        assert estimate.no_size == "no size"
    estimate = quotient(fixed(1, 0.1), unknown)(0.95)
    assert (estimate.low, estimate.high) == (0.0, inf)
    # Each known upper end bounds the smallest quantity, and each known lower end the largest.
    assert smallest([fixed(1, 0.1), unknown])(0.95).high == pytest.approx(1.2)
    assert largest([fixed(1, 0.1), unknown])(0.95).low == pytest.approx(0.8)


def test_a_combination_has_the_fewest_processes_and_rounds() -> None:
    for made in (smallest, largest, upper_median):
        estimate = made([fixed(1, 0.1), unknown])(0.95)
        assert (estimate.processes, estimate.rounds) == (2, 48)
        assert estimate.unit == "within 2 processes, 48 rounds"
    estimate = quotient(fixed(1, 0.1), fixed(2, 0.1))(0.95)
    assert estimate.unit == scaled(fixed(1, 0.1), 3)(0.95).unit == "12 processes, 48 rounds"
    assert Estimate(64, 64, 64).unit == "", "computed, not timed"


def test_limitations_accumulate() -> None:
    estimate = with_limitations(with_limitations(fixed(1, 0.1), "a", "b"), "c", no_size="d")(0.95)
    assert (estimate.cannot_confirm, estimate.cannot_refute, estimate.no_size) == ("a; c", "b", "d")
    assert with_limitations(fixed(1, 0.1))(0.95) == fixed(1, 0.1)(0.95)


def test_a_detail_changes_nothing_else() -> None:
    assert with_detail(fixed(1, 0.1), "2 streams")(0.95) == replace(fixed(1, 0.1)(0.95), detail="2 streams")


def test_widened_interval_includes_the_noise() -> None:
    assert Estimate(2, 1.0, 4.0, 0.5).widened == (pytest.approx(exp(-0.5)), pytest.approx(4 * exp(0.5)))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, ""), (0.01, "1 %"), (0.092, "9.2 %"), (0.994, "99 %"), (0.996, "100 %"), (2.6, "260 %"), (12.3, "1230 %")],
)
def test_a_margin_has_no_exponent(share: float, text: str) -> None:
    assert Estimate(1.0, 0.9, 1.1, log1p(share)).margin == text
