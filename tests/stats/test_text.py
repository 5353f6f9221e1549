from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.records import load_record
from aeadlab.stats.text import medians


@pytest.mark.parametrize(
    ("factor", "shown"), [(1, r"^\d\.\d\d$"), (1e-2, r"^0\.0[1-9]\d$"), (1e-3, r"^0\.00[1-9]\d$")], ids=str
)
def test_slow_ones_have_a_speed_too(write_record: Callable[..., Path], factor: float, shown: str) -> None:
    """Twofish of RustCrypto takes a second for a mebibyte or two."""
    samples = load_record(write_record()).samples
    wanted = samples["bytes"].eq(1 << 20) & samples["op"].eq("seal") & samples["library"].eq("ring")
    one = samples[wanted]
    speed = factor * 2 / one["gib_per_s"].median()
    one = one.assign(seconds=one["seconds"] / speed, gib_per_s=one["gib_per_s"] * speed)
    (row,) = medians(one).splitlines()[1:]
    assert row.split()[0] == "ring/aes-256-gcm"
    assert all(re.match(shown, number) for number in row.split()[3:6]), row
