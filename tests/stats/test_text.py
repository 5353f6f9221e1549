from __future__ import annotations

import re
from collections.abc import Callable
from math import nan
from pathlib import Path
from textwrap import dedent

import pytest

from aeadlab.bench.case import Case
from aeadlab.records.reading import load_record
from aeadlab.stats.text import medians_table, number
from tests.fixtures.drawing import samples_of_cases

GCM = "openssl/aes-256-gcm"


@pytest.mark.parametrize(
    ("factor", "shown"), [(1, r"^\d\.\d\d$"), (1e-2, r"^0\.0[1-9]\d$"), (1e-3, r"^0\.00[1-9]\d$")], ids=str
)
def test_slow_cases_have_two_significant_digits(write_record: Callable[..., Path], factor: float, shown: str) -> None:
    """Slow ciphers reach 1 MiB/s, which two decimals of GiB/s do not resolve."""
    samples = load_record(write_record()).samples
    selected = samples["bytes"].eq(1 << 20) & samples["op"].eq("seal") & samples["library"].eq("ring")
    one = samples[selected]
    speed = factor * 2 / one["gib_per_s"].median()
    one = one.assign(seconds=one["seconds"] / speed, gib_per_s=one["gib_per_s"] * speed)
    conditions, _, row = medians_table(one).splitlines()
    assert conditions.startswith("1 MiB, seal")
    name, *_, speed, low, high, count = row.split()
    assert name == "ring/aes-256-gcm" and count.isdigit()
    assert all(re.match(shown, number) for number in (speed, low, high)), row


def test_shows_every_condition_that_varies(write_record: Callable[..., Path]) -> None:
    samples = load_record(write_record()).samples
    conditions, head, *rows = medians_table(samples).splitlines()
    assert head.split()[:3] == ["implementation", "size", "op"]
    assert "whole message" in conditions and "seal" not in conditions
    assert len({" ".join(row.split()[:4]) for row in rows}) == len(rows), "no two rows have the same labels"
    assert max(map(len, [conditions, head, *rows])) <= 80


def test_masks_have_their_own_table_and_a_ratio() -> None:
    """The time is left out where the line would be longer than 80 columns."""
    times = {
        Case(GCM, "seal", 65536): 2e-5,
        Case(GCM, "seal", 65536, mask="zen2"): 4e-5,
        Case(GCM, "seal", 65536, "parsplit", block_size=16384, threads=2, schedule="static"): 1e-5,
        Case(GCM, "seal", 65536, "parsplit", block_size=16384, threads=2, schedule="dynamic"): 1.1e-5,
        Case(GCM, "seal", 65536, placement="in-place"): 2.1e-5,
        Case(GCM, "seal", 65536, aad_bytes=32): 3e-5,
    }
    assert medians_table(samples_of_cases(times, noise=0.0)).replace("\N{NO-BREAK SPACE}", " ") == dedent(
        """\
        64 KiB, seal, keyed
        implementation       engine             associated  GiB/s  from    to   n
        openssl/aes-256-gcm  whole in place     0 B          2.91  2.91  2.91  30
        openssl/aes-256-gcm  whole              0 B          3.05  3.05  3.05  30
        openssl/aes-256-gcm  whole              32 B         2.03  2.03  2.03  30
        openssl/aes-256-gcm  16 KiB x2 dynamic  0 B          5.55  5.55  5.55  30
        openssl/aes-256-gcm  16 KiB x2 static   0 B          6.10  6.10  6.10  30

        under mask zen2; ratio: speed relative to the unmasked case
        implementation       engine  associated      time  GiB/s  ratio  from    to   n
        openssl/aes-256-gcm  whole   0 B         40.00 µs   1.53   0.50  0.50  0.50  30
        6 cases with equal samples, whose interval has no width"""
    )


def test_engines_are_described_in_one_column() -> None:
    times = {
        Case(GCM, "seal", 65536): 2e-5,
        Case(GCM, "seal", 65536, threads=2): 1.5e-5,
        Case(GCM, "seal", 65536, "parsplit", block_size=16384, threads=2, schedule="static"): 1e-5,
        Case(GCM, "seal", 65536, "parsplit", block_size=16384, threads=3, schedule="static"): 0.9e-5,
        Case(GCM, "seal", 65536, "cells", block_size=512): 5e-5,
    }
    lines = medians_table(samples_of_cases(times)).splitlines()
    assert lines[1].split() == ["implementation", "engine", "time", "GiB/s", "from", "to", "n"]
    assert len({len(line) for line in lines[1:]}) == 1
    labels = [line.removeprefix(GCM).split("  ")[1].strip() for line in lines[2:]]
    assert labels == ["whole", "whole x2", "16 KiB x2", "16 KiB x3", "cells 512 B"]
    for low, speed, high in ([float(line.split()[i]) for i in (-3, -4, -2)] for line in lines[2:]):
        assert low <= speed <= high and low > 0.9 * high


def test_samples_without_a_counted_one_have_no_table() -> None:
    samples = samples_of_cases({Case(GCM, "seal", 65536): 2e-5}).assign(warmup=True)
    assert medians_table(samples) == "no case has a counted sample"


def test_numbers_below_a_tenth_have_two_significant_digits() -> None:
    assert [number(value) for value in (12.345, 0.1, 0.0999, 0.0123, nan)] == ["12.35", "0.10", "0.10", "0.012", "-"]


@pytest.mark.parametrize(("processes", "words"), [(1, "one process"), (2, "2 processes")])
def test_intervals_of_few_processes_hold_within_these(processes: int, words: str) -> None:
    samples = samples_of_cases({Case(GCM, "seal", 1 << 20): 1e-3}, rounds=12)
    few = samples.assign(process=samples["round"] * processes // 12)
    assert medians_table(few).splitlines()[-1] == f"Intervals hold within {words}."
    assert "within" not in medians_table(samples)
