"""P-values compared with published ones, and for sequences with one fault each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from aeadlab.verify import randomness_tests as randomness
from aeadlab.verify.cases import pseudorandom
from aeadlab.verify.randomness import BYTES, SIGNIFICANCE
from aeadlab.verify.randomness_tests import TESTS

Octets = NDArray[np.uint8]
RIGHT = np.frombuffer(pseudorandom("right", BYTES), np.uint8)


def rejecting_tests(data: Octets) -> set[str]:
    """Return the tests that reject the data."""
    return {name for name, test in TESTS.items() if test(data) <= SIGNIFICANCE}


def e_in_binary(bits: int) -> Octets:
    """Return the first bits of Euler's number, ``10.1011...``, by binary splitting."""

    def split(first: int, last: int) -> tuple[int, int]:
        if last - first == 1:
            return 1, last
        p, q = split(first, middle := (first + last) // 2)
        r, s = split(middle, last)
        return p * s + r, q * s

    terms = next(n for n in range(1, bits) if math.lgamma(n + 1) > (bits + 64) * math.log(2))
    p, q = split(0, terms)
    whole = ((p + q) << (bits - 2)) // q
    return np.frombuffer(whole.to_bytes(bits // 8, "big"), np.uint8)


def test_p_values_equal_those_of_sp_800_22() -> None:
    """Appendix B states them for a million bits of e."""
    e = e_in_binary(1_000_000)
    assert randomness.ones(e) == pytest.approx(0.953749, abs=1e-6)
    assert randomness.runs(e) == pytest.approx(0.561917, abs=1e-6)
    assert not rejecting_tests(e)


def test_p_values_of_random_data_are_uniform() -> None:
    """Kolmogorov-Smirnov test of 64 p-values at 0.1 %; `distance` is conservative because of its correction."""
    for name in set(TESTS) - {"distance"}:
        values = np.sort([TESTS[name](data) for data in np.split(RIGHT, 64)])
        assert np.abs(values - np.arange(1, 65) / 64).max() < 1.95 / 8 + 1 / 64, name
    assert min(TESTS["distance"](data) for data in np.split(RIGHT, 64)) > 0.001


def biased(share: float) -> Octets:
    uniform = np.random.default_rng(5).random(8 * BYTES)
    return np.packbits(uniform < share)


def repeated(data: Octets, unit: int) -> Octets:
    """Return data in which each unit of this many bytes occurs twice."""
    return np.repeat(data.reshape(-1, unit), 2, axis=0).ravel()[: data.size]


FAULTS = {
    "zeros": (np.zeros(BYTES, np.uint8), set(TESTS)),
    "ones": (np.full(BYTES, 255, np.uint8), set(TESTS)),
    "alternating bits": (np.full(BYTES, 0b01010101, np.uint8), set(TESTS) - {"ones"}),
    "bytes that count": (np.arange(BYTES).astype(np.uint8), {"bytes", "pairs", "distance"}),
    "words that count": (np.arange(BYTES // 4, dtype=">u4").view(np.uint8), set(TESTS)),
    "51 % ones": (biased(0.51), {"ones", "bytes", "pairs"}),
    "a stuck bit in each byte": (RIGHT | 1, {"ones", "bytes", "pairs", "distance"}),
    "a stuck bit in each word": (RIGHT | np.tile(np.array([1, 0, 0, 0], np.uint8), BYTES // 4), {"ones", "bytes"}),
    "each byte twice": (repeated(RIGHT, 1), {"pairs", "distance"}),
    "each word twice": (repeated(RIGHT, 4), {"distance"}),
    "bytes without 0": (np.where(RIGHT, RIGHT, 1).astype(np.uint8), {"bytes", "pairs"}),
    "every byte as often as every other": (np.tile(np.random.default_rng(1).permutation(256), BYTES // 256), {"bytes"}),
    "changes of bits too rare": (np.packbits(np.repeat(np.unpackbits(RIGHT[: BYTES // 2]), 2)), {"runs", "pairs"}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_detects_each_fault(fault: str) -> None:
    data, tests = FAULTS[fault]
    assert data.size == BYTES
    assert tests <= rejecting_tests(data.astype(np.uint8))


def test_detects_a_bias_of_a_thousandth() -> None:
    """For eight million bits 0.1 % is 5.8 standard deviations, 0.01 % is 0.6."""
    assert "ones" in rejecting_tests(biased(0.501))
    assert not rejecting_tests(biased(0.5001))


def test_p_value_is_one_for_expected_counts() -> None:
    assert randomness.ones(np.full(16, 0x0F, np.uint8)) == 1.0
    # 64 ones, and 64 changes: SP 800-22 expects 2 * 128 / 4.
    assert randomness.runs(np.full(16, 0b00110011, np.uint8)) == pytest.approx(1.0)
