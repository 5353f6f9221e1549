"""Start-up time and rate, recovered from simulated times."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from aeadlab.errors import ArgumentError
from aeadlab.stats.latency import fit_latency

LENGTHS = np.array([16, 64, 256, 1024, 8192, 16384])
"""Message lengths of ``openssl speed``."""

STARTUP, RATE = 80e-9, 2e9


def times(lengths: ArrayLike = LENGTHS, startup: float = STARTUP, rate: float = RATE) -> NDArray[np.float64]:
    return startup + np.asarray(lengths, dtype=np.float64) / rate


@pytest.mark.parametrize("startup", [1e-9, 80e-9, 1e-3])
@pytest.mark.parametrize("rate", [1e7, 2e9, 5e11])
def test_recovers_startup_and_rate(startup: float, rate: float) -> None:
    found = fit_latency(LENGTHS, times(startup=startup, rate=rate))
    assert found.startup_seconds == pytest.approx(startup, rel=1e-6)
    assert found.bytes_per_second == pytest.approx(rate, rel=1e-6)
    assert found.half_bytes == pytest.approx(startup * rate, rel=1e-6)
    assert found.worst_residual < 1e-9


def test_half_the_rate_is_reached_at_half_bytes() -> None:
    found = fit_latency(LENGTHS, times())
    reached = found.half_bytes / (found.startup_seconds + found.half_bytes / found.bytes_per_second)
    assert reached == pytest.approx(found.bytes_per_second / 2)


def test_noise_shifts_the_fit_by_at_most_its_size() -> None:
    rng = np.random.default_rng(3)
    lengths = np.tile(LENGTHS, 50)
    for _ in range(20):
        found = fit_latency(lengths, times(lengths) * rng.lognormal(0, 0.05, lengths.size))
        assert found.startup_seconds == pytest.approx(STARTUP, rel=0.03)
        assert found.bytes_per_second == pytest.approx(RATE, rel=0.03)
        assert 0.05 < found.worst_residual < 0.3


def test_short_and_long_messages_have_equal_weight() -> None:
    """Absolute errors would attribute a twentieth of a long message to the start-up."""
    lengths = np.array([16, 1 << 20, 1 << 24])
    measured = times(lengths) * [1, 1.05, 1]
    found = fit_latency(lengths, measured)
    assert found.startup_seconds == pytest.approx(STARTUP, rel=0.01)
    assert found.worst_residual < 0.05
    _, absolute = np.polyfit(lengths, measured, 1)
    assert absolute > 100 * STARTUP


def test_residual_reveals_a_nonlinear_relation() -> None:
    steps = STARTUP * np.ceil(LENGTHS / 1024)
    assert fit_latency(LENGTHS, steps).worst_residual > 0.2
    faster_from_then_on = np.where(LENGTHS < 1024, times(rate=RATE / 8), times())
    assert fit_latency(LENGTHS, faster_from_then_on).worst_residual > 0.2


def test_constant_times_have_an_infinite_rate() -> None:
    found = fit_latency([1, 10, 100], [3.0, 3.0, 3.0])
    assert found.startup_seconds == pytest.approx(3.0)
    assert found.bytes_per_second > 1e15 and found.half_bytes > 1e15


@pytest.mark.parametrize("falling", [[3.0, 2.0, 1.0], [1.0, 0.5, 0.2]])
def test_startup_and_rate_are_not_negative(falling: list[float]) -> None:
    found = fit_latency([1, 10, 100], falling)
    assert found.bytes_per_second == np.inf and found.half_bytes == np.inf
    found = fit_latency([10, 100, 1000], [0.05, 1.0, 11.0])
    assert found.startup_seconds == 0.0 and found.half_bytes == 0.0
    assert found.bytes_per_second > 0


def test_no_startup_gives_zero() -> None:
    found = fit_latency([0, 1 << 30], [1e-9, 1.0])
    assert found.startup_seconds == pytest.approx(1e-9)
    assert found.bytes_per_second == pytest.approx(2**30, rel=1e-6)


@pytest.mark.parametrize(
    ("lengths", "seconds", "why"),
    [
        ([16], [1.0], "at least two different lengths"),
        ([16, 16, 16], [1.0, 2.0, 3.0], "at least two different lengths"),
        ([], [], "seconds|lengths"),
        ([16, -64], [1.0, 2.0], "0 or more bytes"),
        ([16, np.nan], [1.0, 2.0], "lengths hold 1 of 2 values that are NaN"),
        ([16, np.inf], [1.0, 2.0], "lengths hold 1 of 2 values that are NaN"),
        ([16, 64], [1.0, 0.0], "seconds"),
        ([16, 64], [1.0, -2.0], "seconds"),
        ([16, 64], [1.0, np.nan], "seconds"),
        ([16, 64, 256], [1.0, 2.0], "lengths"),
    ],
)
def test_rejects_unfittable_arguments(lengths: list[float], seconds: list[float], why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        fit_latency(lengths, seconds)
