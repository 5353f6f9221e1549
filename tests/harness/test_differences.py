"""Verdicts of comparisons: the harness finds known differences and no others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from aeadlab.bench.case import Case

SAME, SLOWER, FASTER = "no credible difference", "slower", "faster"
GCM = Case("openssl/aes-256-gcm", "seal", 16384)
LIBRARIES = (
    GCM,
    replace(GCM, bytes=1024, model="oneshot"),
    replace(GCM, bytes=1 << 20, engine="parsplit", block_size=1 << 16, threads=2, schedule="dynamic"),
    Case("pyca/aes-256-gcm", "seal", 4096, engine="python"),
)
ARMS = range(2, 42)
"""Replicas, compared in pairs; 0 and 1 give the noise floor and are not compared."""


def test_a_a_pairs_differ_in_at_most_5_of_100_comparisons(planted: Any) -> None:
    arms = [replace(case, replica=arm) for case in LIBRARIES for arm in (0, *ARMS)]
    # Several processes, as in the profiles: within one process the address of a key makes two arms differ.
    kernels = {"steady": {"UNITS": 1000}, "twin": {"UNITS": 1000}}
    found = planted.run(kernels, rounds=30, replicas=(0, *ARMS), processes=5, sample_seconds=1e-4, more=arms)
    pairs = [
        (replace(case, replica=arm), replace(case, replica=arm + 1))
        for case in (planted.case("steady"), *LIBRARIES)
        for arm in ARMS[::2]
    ]
    assert len(pairs) == 100
    verdicts = Counter(found.judged(*pair).verdict for pair in pairs)
    assert verdicts[SAME] >= 95, verdicts


@pytest.mark.parametrize("unit_ns", [100, 0], ids=["by the clock", "by work"])
def test_finds_a_slowdown_of_five_percent_only(planted: Any, unit_ns: int) -> None:
    arms = (0, *range(2, 12))
    units = {"base": 1000, "twin": 1000, "slower": 1050}
    kernels = {f"{name}-{unit_ns}": {"UNITS": n, "UNIT_NS": unit_ns} for name, n in units.items()}
    base, twin, slower = kernels
    found = planted.run(kernels, rounds=40, replicas=arms, processes=2)

    def against_base(name: str) -> list[Any]:
        return [found.judged(planted.case(base, arm), planted.case(name, arm)) for arm in arms[1:]]

    assert [c.verdict for c in against_base(slower)].count(SLOWER) >= 9
    assert [c.verdict for c in against_base(twin)].count(SAME) >= 9
    assert np.median([c.ratio for c in against_base(slower)]) == pytest.approx(1.05, abs=0.01)
    back = [found.judged(planted.case(slower, arm), planted.case(base, arm)).verdict for arm in arms[1:]]
    assert back.count(FASTER) >= 9
