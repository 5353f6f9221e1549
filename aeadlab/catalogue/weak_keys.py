"""Keys that a cipher takes and nobody should use: Triple-DES with equal parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from aeadlab.catalogue.implementation import Buffer, Description
from aeadlab.errors import ArgumentError

_PART: Final = 8
OUTER: Final = "first and third"
"""Alike they leave two keys, where the other pairs leave single DES."""

_PAIRS: Final = ((0, 1, "first and second"), (1, 2, "second and third"), (0, 2, OUTER))
_allowed: ContextVar[bool] = ContextVar("allowed", default=False)


def refuse(description: Description, key: Buffer) -> None:
    """Refuse a key of Triple-DES of which two parts are alike, parity bits aside (NIST SP 800-67, section 3.2).

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is one, and `allowed` does not say otherwise.
    """
    if not description.algorithm.startswith("3des") or _allowed.get():
        return
    if alike := equal_parts(key):
        raise ArgumentError(
            f"{description.name}: the {alike[0]} part of the key are equal, three different ones are wanted: the "
            "cipher would be weaker than it looks"
        )


def equal_parts(key: Buffer) -> list[str]:
    """Which of the three parts of a key of Triple-DES are alike, parity bits aside; none of a key of another length."""
    if len(key) != 3 * _PART:
        return []
    plain = bytes(octet & 0xFE for octet in bytes(key))
    parts = [plain[start : start + _PART] for start in range(0, len(plain), _PART)]
    return [which for one, other, which in _PAIRS if parts[one] == parts[other]]


@contextmanager
def allowed() -> Iterator[None]:
    """Let such keys pass meanwhile: half of the known answers of Triple-DES have them."""
    token = _allowed.set(True)
    try:
        yield
    finally:
        _allowed.reset(token)
