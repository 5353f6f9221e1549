from __future__ import annotations

import pytest

from aeadlab.reporting.words import clipped, counted, duration, how, interval, share

NAN = float("nan")


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{EN DASH}", "to")


@pytest.mark.parametrize(
    ("seconds", "low", "high", "said"),
    [
        (1.5, 1.25, 2.0, ("1.500 s", "1.250 to 2.000")),
        (0.0812, 0.0809, 0.0816, ("81.20 ms", "80.90 to 81.60")),
        (1e-3, 9.9e-4, 2e-3, ("1.000 ms", "0.9900 to 2.000")),
        (45e-6, 44e-6, 46e-6, ("45.00 µs", "44.00 to 46.00")),
        (3.2e-10, NAN, NAN, ("0.3200 ns", "")),
    ],
)
def test_a_time_and_its_interval_share_a_unit(seconds: float, low: float, high: float, said: tuple[str, str]) -> None:
    assert tuple(map(plain, duration(seconds, low, high))) == said


def test_half_an_interval_is_none() -> None:
    assert interval(1.0, NAN) == interval(NAN, 1.0) == ""


def test_shares_counts_and_long_texts() -> None:
    assert plain(share(0.851)) == "85.1 %"
    assert plain(share(NAN)) == "to"
    assert (counted(1, "case"), counted(12000, "case"), counted(0, "case")) == ("1 case", "12,000 cases", "0 cases")
    assert clipped("x" * 400) == "x" * 400
    assert clipped("x" * 1401) == f"{'x' * 400}… (1,001 characters more)"


def test_how_a_case_was_driven_in_words() -> None:
    whole = {
        "op": "seal", "bytes": 1 << 30, "engine": "whole", "block_size": 0, "threads": 1, "schedule": "",
        "placement": "separate", "cache": "warm", "mask": "",
    }  # fmt: skip
    assert how(whole) == "seal, 1 GiB, whole by 1 thread"
    split = {**whole, "engine": "parsplit", "block_size": 16384, "threads": 2, "schedule": "rayon"}
    driven = "seal, 1 GiB, parsplit in 16 KiB blocks by 2 threads"
    split |= {"placement": "in-place", "cache": "cold", "mask": "vaes"}
    assert how(split) == f"{driven}, rayon, in place, cold cache, without vaes"
