"""Reference of CRC-32C."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from aeadlab.verify.reference.implementation import Reference


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    yield Reference("crc-32c", "hash", 0, 0, 4, lambda _key, _nonce, data, _aad: crc_32c(data))


def crc_32c(data: bytes) -> bytes:
    """Return CRC-32C (Castagnoli) of `data`, most significant byte first."""
    table = _crc_table()
    crc = 0xFFFFFFFF
    for octet in data:
        crc = crc >> 8 ^ table[(crc ^ octet) & 0xFF]
    return (crc ^ 0xFFFFFFFF).to_bytes(4, "big")


@cache
def _crc_table() -> list[int]:
    """Return the CRC of each byte, with the reversed polynomial 1EDC6F41 of RFC 3720, section 12.1."""
    table = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
        table.append(octet)
    return table
