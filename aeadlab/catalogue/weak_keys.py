"""Weak keys of Triple-DES, of which two parts are equal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from aeadlab.catalogue.implementation import Buffer, Description
from aeadlab.catalogue.kinds import OPS
from aeadlab.errors import ArgumentError

_PART_BYTES: Final = 8
OUTER: Final = "first and third"
"""If these are equal, two different keys remain; the other pairs reduce the cipher to single DES."""

_PAIRS: Final = ((0, 1, "first and second"), (1, 2, "second and third"), (0, 2, OUTER))
_is_allowed: ContextVar[bool] = ContextVar("is_allowed", default=False)


def reject(description: Description, op: str, key: Buffer) -> None:
    """Raise ArgumentError for a key of Triple-DES with equal parts, except for parity bits (SP 800-67, section 3.2)."""
    is_cipher = op in OPS["cipher"] and description.algorithm.startswith("3des")
    if is_cipher and not _is_allowed.get() and (pairs := equal_parts(key)):
        raise ArgumentError(
            f"{description.name}: key with equal {pairs[0]} parts given, three different parts expected: equal parts "
            "weaken the cipher"
        )


def equal_parts(key: Buffer) -> list[str]:
    """Return the pairs of equal parts of a Triple-DES key, except for parity bits; none for a key of another length."""
    if len(key) != 3 * _PART_BYTES:
        return []
    without_parity = bytes(octet & 0xFE for octet in bytes(key))
    parts = [without_parity[start : start + _PART_BYTES] for start in range(0, len(without_parity), _PART_BYTES)]
    return [pair for one, other, pair in _PAIRS if parts[one] == parts[other]]


@contextmanager
def allow() -> Iterator[None]:
    """Accept weak keys within the block: half of the known answers of Triple-DES use them."""
    token = _is_allowed.set(True)
    try:
        yield
    finally:
        _is_allowed.reset(token)
