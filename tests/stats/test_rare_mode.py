from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats import modes
from aeadlab.stats.rare_mode import slow_cluster

Floats = NDArray[np.float64]


@pytest.mark.parametrize("ratio", [1.125, 1.5, 1.75])
@pytest.mark.parametrize("slow", [9, 15, 40])
def test_detects_a_rare_cluster_behind_a_valley(rng: np.random.Generator, ratio: float, slow: int) -> None:
    """The cluster is detected within a tail of disturbed samples."""
    times = rng.lognormal(0, 0.004, 150)
    times[: slow + 8] *= np.r_[np.full(slow, ratio), rng.uniform(1, 1.04, 8)]
    found = slow_cluster(np.log(times))
    assert found is not None
    assert found[:slow].all() and not found[slow:].any()
    kept = modes(rng.permutation(times), np.arange(150), rare=True)
    assert (kept.kind, kept.ratio) == ("two", pytest.approx(ratio, rel=0.01))


@pytest.mark.parametrize(
    "tail",
    [
        lambda rng, n: rng.exponential(0.1, n),
        lambda rng, n: rng.uniform(0, 0.5, n),
        lambda rng, n: np.abs(rng.standard_t(2, n)) * 0.05,
        lambda rng, n: np.zeros(n),
    ],
    ids=["exponential", "uniform", "heavy", "none"],
)
def test_stray_samples_are_rarely_a_cluster(
    rng: np.random.Generator, tail: Callable[[np.random.Generator, int], Floats]
) -> None:
    found = 0
    for _ in range(100):
        logs = rng.normal(0, 0.004, 150)
        logs[:25] += tail(rng, 25)
        found += slow_cluster(logs) is not None
    assert found <= 12


def test_few_values_have_no_cluster() -> None:
    assert slow_cluster([]) is None
    assert slow_cluster([0.0]) is None
    assert slow_cluster([0.0] * 20 + [0.4] * 6) is None
    assert slow_cluster([0.0] * 20 + [0.4] * 7) is not None
    with pytest.raises(ArgumentError, match="logs"):
        slow_cluster([0.0, float("nan")])
