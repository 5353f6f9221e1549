from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.records.reading import load_record
from aeadlab.stats.text import medians_table


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
    (row,) = medians_table(one).splitlines()[1:]
    assert row.split()[0] == "ring/aes-256-gcm"
    assert all(re.match(shown, number) for number in row.split()[3:6]), row
