from __future__ import annotations

import pytest

from aeadlab.verdicts import expected


def test_published_values_follow_from_the_printed_numbers() -> None:
    assert expected.first(3.0, 4.0) == 3.0
    assert expected.percent(25.0, 9.0) == 0.25
    assert expected.percent_more(25.0, 9.0) == 1.25
    assert expected.percent_less(25.0, 9.0) == 0.75
    assert expected.ratio(3.0, 4.0, 9.0) == 0.75
    assert expected.inverse_ratio(4.0, 3.0, 9.0) == 0.75


@pytest.mark.parametrize("numbers", [(3.0, 4.0), (4.0, 3.0)])
def test_a_factor_between_two_numbers_is_at_least_one(numbers: tuple[float, float]) -> None:
    assert expected.factor_between(*numbers, 9.0) == pytest.approx(4 / 3)
