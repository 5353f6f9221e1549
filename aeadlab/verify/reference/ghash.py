"""References of GHASH and GMAC."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec

from aeadlab.verify.reference.implementation import Reference

_REDUCTION = 0xE1 << 120


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    yield Reference("ghash", "mac", 16, 0, 16, _ghash)
    if find_spec("Crypto"):
        for bits in (128, 192, 256):
            yield Reference(f"aes-{bits}-gmac", "mac", bits // 8, 12, 16, _gmac)


def ghash(key: bytes, data: bytes) -> bytes:
    """Return GHASH of `data` under a hash key of 16 bytes (NIST SP 800-38D, section 6.4).

    `data` is padded to full blocks with zeros; no length block is added.
    """
    table = _multiplication_table(int.from_bytes(key, "big"))
    state = 0
    for start in range(0, len(data), 16):
        state ^= int.from_bytes(data[start : start + 16].ljust(16, b"\0"), "big")
        product = 0
        for row, octet in zip(table, state.to_bytes(16, "big"), strict=True):
            product ^= row[octet]
        state = product
    return state.to_bytes(16, "big")


@lru_cache(maxsize=64)
def _multiplication_table(key: int) -> list[list[int]]:
    """Return the products of `key` with each byte value at each of 16 byte positions, as 16 rows of 256.

    The field is GF(2^128) modulo x^128 + x^7 + x^2 + x + 1, and the most significant bit is the coefficient of x^0.
    """
    table = []
    power = key
    for _ in range(16):
        row = [0] * 256
        for bit in (0x80 >> i for i in range(8)):
            for value in range(0, 256, 2 * bit):
                row[value + bit] = row[value] ^ power
            power = power >> 1 ^ (_REDUCTION if power & 1 else 0)
        table.append(row)
    return table


def _ghash(key: bytes, _nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return ghash(key, data)


def _gmac(key: bytes, nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    """Return the tag of GCM for an empty message with `data` as associated data (NIST SP 800-38D, section 3)."""
    from Crypto.Cipher import AES

    return AES.new(key, AES.MODE_GCM, nonce=nonce).update(data).digest()
