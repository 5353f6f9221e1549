"""Statistical tests of random bytes, which return p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

Octets: TypeAlias = NDArray[np.uint8]


def _two_sided(z: float) -> float:
    return float(2 * ndtr(-abs(z)))


def ones(data: Octets) -> float:
    """Return the p-value of the number of ones (NIST SP 800-22, section 2.1)."""
    bits = np.unpackbits(data)
    return _two_sided((2.0 * bits.sum(dtype=np.int64) - bits.size) / np.sqrt(bits.size))


def runs(data: Octets) -> float:
    """Return the p-value of the number of runs of equal bits (NIST SP 800-22, section 2.3)."""
    bits = np.unpackbits(data)
    share = bits.mean()
    if share in (0, 1):
        return 0.0
    count = np.count_nonzero(np.diff(bits)) + 1
    expected = 2 * bits.size * share * (1 - share)
    return _two_sided((count - expected) / (2 * np.sqrt(bits.size) * share * (1 - share)))


def byte_frequencies(data: Octets) -> float:
    """Return the p-value of the frequencies of byte values."""
    return _chi_square(np.bincount(data, minlength=256))


def pair_frequencies(data: Octets) -> float:
    """Return the p-value of the frequencies of disjoint pairs of adjacent bytes."""
    even = data[: data.size - data.size % 2]
    return _chi_square(np.bincount(even[::2].astype(np.int64) * 256 + even[1::2], minlength=1 << 16))


def repetitions(data: Octets) -> float:
    """Return the p-value of the number of bytes equal to the one 1, 2, 4 or 256 before, with Bonferroni correction."""
    p = min(_two_sided((equal - n / 256) / np.sqrt(n * 255) * 256) for equal, n in _repeats(data))
    return min(1.0, 4 * p)


def _repeats(data: Octets) -> list[tuple[int, int]]:
    return [(int(np.count_nonzero(data[lag:] == data[:-lag])), data.size - lag) for lag in (1, 2, 4, 256)]


def _chi_square(counts: NDArray[np.int64]) -> float:
    expected = counts.sum() / counts.size
    p = float(chdtrc(counts.size - 1, ((counts - expected) ** 2).sum() / expected))
    # Two-sided, because the bytes of a counter are too evenly distributed.
    return 2 * min(p, 1 - p)


TESTS: Final[Mapping[str, Callable[[Octets], float]]] = MappingProxyType(
    {"ones": ones, "runs": runs, "bytes": byte_frequencies, "pairs": pair_frequencies, "distance": repetitions}
)
