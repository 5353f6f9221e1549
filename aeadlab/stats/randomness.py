"""Tests of random bytes: p-values of a few properties that a stuck or biased byte does not have."""

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
    """Of SP 800-22 section 2.1: as many ones as zeros. Returns a p-value, as all here."""
    bits = np.unpackbits(data)
    return _two_sided((2.0 * bits.sum(dtype=np.int64) - bits.size) / np.sqrt(bits.size))


def runs(data: Octets) -> float:
    """Of SP 800-22 section 2.3: as many changes from bit to bit as there should be."""
    bits = np.unpackbits(data)
    share = bits.mean()
    if share in (0, 1):
        return 0.0
    changes = np.count_nonzero(np.diff(bits)) + 1
    expected = 2 * bits.size * share * (1 - share)
    return _two_sided((changes - expected) / (2 * np.sqrt(bits.size) * share * (1 - share)))


def octet_counts(data: Octets) -> float:
    """Every value of a byte as often as the others."""
    return _chi_square(np.bincount(data, minlength=256))


def pair_counts(data: Octets) -> float:
    """Every pair of neighbouring bytes, which do not overlap, as often as the others."""
    even = data[: data.size - data.size % 2]
    return _chi_square(np.bincount(even[::2].astype(np.int64) * 256 + even[1::2], minlength=1 << 16))


def distance(data: Octets) -> float:
    """No byte like the one 1, 2, 4 or 256 before it more often than by chance."""
    p = min(_two_sided((equal - n / 256) / np.sqrt(n * 255) * 256) for equal, n in _repeats(data))
    return min(1.0, 4 * p)


def _repeats(data: Octets) -> list[tuple[int, int]]:
    return [(int(np.count_nonzero(data[lag:] == data[:-lag])), data.size - lag) for lag in (1, 2, 4, 256)]


def _chi_square(counts: NDArray[np.int64]) -> float:
    expected = counts.sum() / counts.size
    p = float(chdtrc(counts.size - 1, ((counts - expected) ** 2).sum() / expected))
    # Too even is as wrong as too uneven: a counter's bytes come equally often.
    return 2 * min(p, 1 - p)


TESTS: Final[Mapping[str, Callable[[Octets], float]]] = MappingProxyType(
    {"ones": ones, "runs": runs, "bytes": octet_counts, "pairs": pair_counts, "distance": distance}
)
