"""Quantities made of others have intervals that hold, and hand on what is unknown."""

from __future__ import annotations

from math import exp, inf, isnan, nan

import pytest

from aeadlab.judgement.estimate import (
    Estimate,
    Quantity,
    greatest,
    least,
    most_are_below,
    quotient,
    scaled,
    with_reserve,
)


def fixed(value: float, spread: float, noise: float = 0.0) -> Quantity:
    """A quantity whose interval is wider by how small its error is: 1 at 95 %, 5 at 99 %."""
    return lambda confidence: Estimate(
        value, value - spread * 0.05 / (1 - confidence), value + spread * 0.05 / (1 - confidence), noise
    )


def test_the_least_takes_its_upper_end_from_narrower_errors() -> None:
    found = least([fixed(3, 0.1), fixed(2, 0.1), fixed(5, 0.1)])(0.95)
    assert (found.value, found.low) == (2, pytest.approx(1.9))
    assert found.high == pytest.approx(2.3)


def test_the_greatest_mirrors_it() -> None:
    found = greatest([fixed(3, 0.1), fixed(2, 0.1), fixed(5, 0.1)])(0.95)
    assert (found.value, found.high) == (5, pytest.approx(5.1))
    assert found.low == pytest.approx(4.7)


def test_what_is_scaled_keeps_its_noise_and_its_reserves() -> None:
    found = scaled(with_reserve(fixed(3, 0.1, 0.04), unproven="one is absent"), 10)(0.95)
    assert (found.value, found.low, found.high) == (30, pytest.approx(29), pytest.approx(31))
    assert (found.noise, found.unproven) == (0.04, "one is absent")


def test_one_quantity_alone_is_itself() -> None:
    alone = fixed(3, 0.1, 0.04)
    assert least([alone])(0.95) == greatest([alone])(0.95) == most_are_below([alone])(0.95) == alone(0.95)


@pytest.mark.parametrize(("values", "place"), [([1, 2, 3, 4, 5], 3), ([4, 3, 2, 1], 3), ([1, 2], 2), ([1, 9, 9], 9)])
def test_most_are_more_than_half(values: list[float], place: float) -> None:
    found = most_are_below([fixed(value, 0.0) for value in values])(0.95)
    assert found.value == found.low == found.high == place
    assert sum(value <= place for value in values) > len(values) / 2


def test_a_quotient_is_as_uncertain_as_both() -> None:
    found = quotient(fixed(6, 0.1, 0.01), fixed(2, 0.1, 0.02))(0.95)
    assert found.value == 3
    assert (found.low, found.high) == (pytest.approx(5.8 / 2.2), pytest.approx(6.2 / 1.8))
    assert found.noise == pytest.approx(0.03)


def unknown(_: float) -> Estimate:
    return Estimate(2, 0.0, inf, nan, "no proof", "no refutation")


def test_what_is_unknown_stays_unknown() -> None:
    for made in (least, greatest, most_are_below):
        found = made([fixed(1, 0.1), unknown])(0.95)
        assert isnan(found.noise)
        assert (found.unproven, found.unrefuted) == ("no proof", "no refutation")
        assert isnan(found.band[0])
    found = quotient(fixed(1, 0.1), unknown)(0.95)
    assert (found.low, found.high) == (0.0, inf)
    # The least is under every known upper end, the greatest over every known lower end.
    assert least([fixed(1, 0.1), unknown])(0.95).high == pytest.approx(1.2)
    assert greatest([fixed(1, 0.1), unknown])(0.95).low == pytest.approx(0.8)


def test_reserves_add_up() -> None:
    found = with_reserve(with_reserve(fixed(1, 0.1), "a", "b"), "c")(0.95)
    assert (found.unproven, found.unrefuted) == ("a; c", "b")
    assert with_reserve(fixed(1, 0.1))(0.95) == fixed(1, 0.1)(0.95)


def test_the_band_is_wider_by_the_noise() -> None:
    assert Estimate(2, 1.0, 4.0, 0.5).band == (pytest.approx(exp(-0.5)), pytest.approx(4 * exp(0.5)))
