"""References of the baselines: XOR, the copies and delay."""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.errors import AuthenticationError
from aeadlab.verify.reference.implementation import LIBRARY, Reference

_TAG_BYTES = 16


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    yield Reference("xor", "cipher", 32, 0, 0, _xor, _xor)
    for name in ("memcpy", "copy", "copy-stream"):
        yield Reference(name, "cipher", 0, 0, 0, _copy, _copy)
    yield Reference("delay", "aead", 0, 12, _TAG_BYTES, _seal_delay, _open_delay)


def xor(key: bytes, data: bytes) -> bytes:
    """Return `data` XOR the repeated key."""
    repeated = (key * (len(data) // len(key) + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")


def _xor(key: bytes, _nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return xor(key, data)


def _copy(_key: bytes, _nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return data


def _seal_delay(_key: bytes, _nonce: bytes, data: bytes, _aad: bytes) -> bytes:
    return data + bytes(_TAG_BYTES)


def _open_delay(_key: bytes, _nonce: bytes, sealed: bytes, _aad: bytes) -> bytes:
    if any(sealed[-_TAG_BYTES:]):
        raise AuthenticationError(f"{LIBRARY}/delay: the tag is not zero")
    return sealed[:-_TAG_BYTES]
