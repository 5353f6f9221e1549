from __future__ import annotations

import pytest

from aeadlab.display.units import (
    count_noun,
    duration,
    interval,
    parse_size,
    percent,
    signed_percent,
    significant,
    size_name,
    time_unit,
)
from aeadlab.errors import ArgumentError

NAN = float("nan")


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
def test_size_names(size: int, name: str) -> None:
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
def test_significant_digits(value: float, digits: int, text: str) -> None:
    assert significant(value, digits) == text


def test_percent_has_its_sign() -> None:
    assert signed_percent(28.8) == "+28.8"
    assert signed_percent(-13) == "\N{MINUS SIGN}13.0"


def test_time_unit_is_the_largest_not_above_the_time() -> None:
    names = [time_unit(seconds)[1] for seconds in (61.0, 1.0, 0.999, 2e-6, 1e-9, 0.0)]
    assert names == ["s", "s", "ms", "\N{MICRO SIGN}s", "ns", "ns"]
    assert 0.0023 / time_unit(0.0023)[0] == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("seconds", "low", "high", "texts"),
    [
        (1.5, 1.25, 2.0, ("1.500 s", "1.250 to 2.000")),
        (0.0812, 0.0809, 0.0816, ("81.20 ms", "80.90 to 81.60")),
        (1e-3, 9.9e-4, 2e-3, ("1.000 ms", "0.9900 to 2.000")),
        (45e-6, 44e-6, 46e-6, ("45.00 \N{MICRO SIGN}s", "44.00 to 46.00")),
        (3.2e-10, NAN, NAN, ("0.3200 ns", "")),
    ],
)
def test_a_duration_and_its_interval_share_a_unit(
    seconds: float, low: float, high: float, texts: tuple[str, str]
) -> None:
    text, ends = duration(seconds, low, high)
    assert (text.replace("\N{NO-BREAK SPACE}", " "), ends) == texts


def test_an_interval_needs_both_ends() -> None:
    assert interval(1.0, NAN) == interval(NAN, 1.0) == interval(NAN, NAN) == ""
    assert interval(0.00112, 0.00112) == "0.00112, equal samples"


def test_percent_and_counts() -> None:
    assert percent(0.851) == "85.1\N{NO-BREAK SPACE}%"
    assert percent(NAN) == "\N{EN DASH}"
    counts = [count_noun(number, "case") for number in (1, 12000, 0)]
    assert counts == ["1 case", "12,000 cases", "0 cases"]
    assert count_noun(2, "process", "processes") == "2 processes"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *(("1400", 1400), ("1400B", 1400), ("16K", 16384), ("16k", 16384), ("16KiB", 16384), ("16 KiB", 16384)),
        *(("1M", 1 << 20), ("1MiB", 1 << 20), ("100MB", 10**8), ("1kB", 1000), ("1.5K", 1536), ("2G", 1 << 31)),
    ],
)
def test_parses_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "0", "0K", "-1", "K", "1Q", "1.5", "1.0001K", "1iB", "1Ki", "1e6", "\N{ARABIC-INDIC DIGIT THREE}"],
)
def test_rejects_what_is_no_positive_size(text: str) -> None:
    with pytest.raises(ArgumentError, match="a positive number of bytes expected"):
        parse_size(text)
