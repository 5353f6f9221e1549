from __future__ import annotations

import pytest

from aeadlab.units import signed_percent, significant, size_name, time_unit


@pytest.mark.parametrize(
    ("size", "name"),
    [
        (0, "0 B"),
        (100, "100 B"),
        (1024, "1 KiB"),
        (65536, "64 KiB"),
        (2**30, "1 GiB"),
        (3 * 2**29, "1536 MiB"),
        (10**3, "1 kB"),
        (10**8, "100 MB"),
        (1025, "1025 B"),
    ],
)
def test_sizes_are_named_exactly(size: int, name: str) -> None:
    assert size_name(size) == name


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (310.22, 4, "310.2"),
        (945.95, 3, "946"),
        (0.061234, 4, "0.06123"),
        (12345.6, 3, "12346"),
        (999.96, 4, "1000"),
        (3.0, 3, "3.00"),
        (0.5, 3, "0.500"),
        (0.0012, 3, "0.00120"),
        (9.9996, 3, "10.0"),
        (0.0, 3, "0.00"),
        (-13.04, 3, "\N{MINUS SIGN}13.0"),
        (float("nan"), 3, "\N{EN DASH}"),
    ],
)
def test_digits(value: float, digits: int, text: str) -> None:
    assert significant(value, digits) == text


def test_percent_has_its_sign() -> None:
    assert signed_percent(28.8) == "+28.8"
    assert signed_percent(-13) == "\N{MINUS SIGN}13.0"


def test_times_are_told_in_the_largest_unit_of_which_there_is_one() -> None:
    names = [time_unit(seconds)[1] for seconds in (61.0, 1.0, 0.999, 2e-6, 1e-9, 0.0)]
    assert names == ["s", "s", "ms", "\N{MICRO SIGN}s", "ns", "ns"]
    assert 0.0023 / time_unit(0.0023)[0] == pytest.approx(2.3)
