"""Reference implementations: slow code written for comparison, for algorithms that a single library provides.

Each module contains one family and exports ``references()``, which omits references whose Python package is missing.
"""

from __future__ import annotations

from functools import cache

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.reference import baselines, composition, crc, generators, ghash, salsa20


def references(algorithm: str) -> list[Implementation]:
    """Return the references of an algorithm; most algorithms have none, because several libraries provide them."""
    return [reference for reference in _references() if reference.description.algorithm == algorithm]


@cache
def _references() -> tuple[Implementation, ...]:
    families = (baselines, ghash, crc, salsa20, generators, composition)
    return tuple(reference for family in families for reference in family.references())
