"""Vector of RFC 7253, appendix A: the output of 385 chained calls of OCB for each key length."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.vectors import Procedure

_TAG_BITS = 128
_EXPECTED = {
    128: "67e944d23256c5e0b6c61fa22fdf1ea2",
    192: "f673f2c3e7174aae7bae986ca9f29e17",
    256: "d90eb8e9c977c88b79dd793d7ffa161c",
}


def _iterate(key_bits: int, ocb: Implementation) -> bytes:
    key = bytes(key_bits // 8 - 1) + bytes([_TAG_BITS])
    ciphertexts = bytearray()
    for i in range(128):
        text = bytes(i)
        first = 3 * i + 1
        ciphertexts += ocb.seal(key, first.to_bytes(12, "big"), text, text)
        ciphertexts += ocb.seal(key, (first + 1).to_bytes(12, "big"), text, b"")
        ciphertexts += ocb.seal(key, (first + 2).to_bytes(12, "big"), b"", text)
    return ocb.seal(key, (385).to_bytes(12, "big"), b"", bytes(ciphertexts))


def _procedure(key_bits: int) -> Iterator[Procedure]:
    expected = bytes.fromhex(_EXPECTED[key_bits])
    yield Procedure("RFC 7253", "appendix A, iterated", partial(_iterate, key_bits), expected)


TABLE = {f"aes-{bits}-ocb": partial(_procedure, bits) for bits in _EXPECTED}
