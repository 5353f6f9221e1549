"""A smoke test of a generator's output: no proof of anything, but a stuck or biased byte shows.

Five tests of a mebibyte under one seed, which is the same every time, so that a generator passes always or never.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.cases import octets
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "randomness"
BYTES: Final = 1 << 20
SIGNIFICANCE: Final = 1e-6
"""Of each test: of 200,000 right generators one would fail."""

_Octets: TypeAlias = NDArray[np.uint8]


def _two_sided(z: float) -> float:
    return float(2 * ndtr(-abs(z)))


def ones(data: _Octets) -> float:
    """Of SP 800-22 section 2.1: as many ones as zeros. Returns a p-value, as all here."""
    bits = np.unpackbits(data)
    return _two_sided((2.0 * bits.sum(dtype=np.int64) - bits.size) / np.sqrt(bits.size))


def runs(data: _Octets) -> float:
    """Of SP 800-22 section 2.3: as many changes from bit to bit as there should be."""
    bits = np.unpackbits(data)
    share = bits.mean()
    if share in (0, 1):
        return 0.0
    changes = np.count_nonzero(np.diff(bits)) + 1
    expected = 2 * bits.size * share * (1 - share)
    return _two_sided((changes - expected) / (2 * np.sqrt(bits.size) * share * (1 - share)))


def octet_counts(data: _Octets) -> float:
    """Every value of a byte as often as the others."""
    return _chi_square(np.bincount(data, minlength=256))


def pair_counts(data: _Octets) -> float:
    """Every pair of neighbouring bytes, which do not overlap, as often as the others."""
    even = data[: data.size - data.size % 2]
    return _chi_square(np.bincount(even[::2].astype(np.int64) * 256 + even[1::2], minlength=1 << 16))


def distance(data: _Octets) -> float:
    """No byte like the one 1, 2, 4 or 256 before it more often than by chance."""
    p = min(_two_sided((equal - n / 256) / np.sqrt(n * 255) * 256) for equal, n in _repeats(data))
    return min(1.0, 4 * p)


def _repeats(data: _Octets) -> list[tuple[int, int]]:
    return [(int(np.count_nonzero(data[lag:] == data[:-lag])), data.size - lag) for lag in (1, 2, 4, 256)]


def _chi_square(counts: NDArray[np.int64]) -> float:
    expected = counts.sum() / counts.size
    p = float(chdtrc(counts.size - 1, ((counts - expected) ** 2).sum() / expected))
    # Too even is as wrong as too uneven: a counter's bytes come equally often.
    return 2 * min(p, 1 - p)


TESTS: Final[Mapping[str, Callable[[_Octets], float]]] = MappingProxyType(
    {"ones": ones, "runs": runs, "bytes": octet_counts, "pairs": pair_counts, "distance": distance}
)


def check(implementation: Implementation) -> Check | None:
    """Run all tests on the output of a generator; None for everything else."""
    d = implementation.description
    if d.kind != "generator":
        return None
    tally = Tally(NAME)
    try:
        data = np.frombuffer(implementation.generate(octets("randomness", d.key_bytes), [BYTES]), np.uint8)
    except FAULTS as error:
        tally.add(fault(error), "a mebibyte")
        return tally.check()
    for name, test in TESTS.items():
        p = test(data)
        tally.add("" if p > SIGNIFICANCE else f"{name}: p = {p:.2g}", name)
    return tally.check()
