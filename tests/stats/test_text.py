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
