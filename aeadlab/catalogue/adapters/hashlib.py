"""hashlib and hmac of the standard library, on the OpenSSL of the interpreter or on its own C code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from aeadlab.catalogue.adapters.base import (
    BROKEN_HASHES,
    HISTORICAL,
    NO_FLAGS,
    Bind,
    Call,
    Row,
    adapters,
    available,
    copy_and_update,
)
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "hashlib"
FEATURE_SWITCH = "OPENSSL_ia32cap:5"

_DIGESTS = (
    ("md5", "md5", 16),
    ("sha-1", "sha1", 20),
    ("ripemd-160", "ripemd160", 20),
    ("sha-224", "sha224", 28),
    ("sha-256", "sha256", 32),
    ("sha-384", "sha384", 48),
    ("sha-512", "sha512", 64),
    ("sha-512-224", "sha512_224", 28),
    ("sha-512-256", "sha512_256", 32),
    ("sha3-224", "sha3_224", 28),
    ("sha3-256", "sha3_256", 32),
    ("sha3-384", "sha3_384", 48),
    ("sha3-512", "sha3_512", 64),
    ("sm3", "sm3", 32),
)
"""Algorithm, its name in Python, and digest length in bytes."""
_NOT_IN_HMAC = ("sha-512-224", "sha-512-256", "sha3-224", "sha3-384")


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import platform
    import ssl

    # Builds and settings of OpenSSL may lack RIPEMD-160, SM3 and others.
    rows = available((*_hashes(), *_macs()), ValueError)
    return adapters(LIBRARY, platform.python_version(), rows, build=ssl.OPENSSL_VERSION, feature_switch=FEATURE_SWITCH)


def _hashes() -> Iterator[Row]:
    import hashlib

    for algorithm, name, size in _DIGESTS:
        flags = HISTORICAL if algorithm in BROKEN_HASHES else NO_FLAGS
        new = getattr(hashlib, name, None) or partial(hashlib.new, name)
        yield Row(algorithm, "hash", _hash(new), tag=size, flags=flags)
    yield Row("shake-128", "hash", _hash(hashlib.shake_128, 32), tag=32)
    yield Row("shake-256", "hash", _hash(hashlib.shake_256, 64), tag=64)
    yield Row("blake2b-256", "hash", _hash(partial(hashlib.blake2b, digest_size=32)), tag=32)
    yield Row("blake2b-512", "hash", _hash(hashlib.blake2b), tag=64)
    yield Row("blake2s-256", "hash", _hash(hashlib.blake2s), tag=32)


def _macs() -> Iterator[Row]:
    import hashlib

    for algorithm, name, size in _DIGESTS:
        if algorithm not in _NOT_IN_HMAC:
            yield Row(f"hmac-{algorithm}", "mac", _hmac(name), size, tag=size)
    yield Row("blake2b-keyed", "mac", _keyed(hashlib.blake2b), 32, tag=64)
    yield Row("blake2s-keyed", "mac", _keyed(hashlib.blake2s), 32, tag=32)


def _hash(new: Callable[[Buffer], Any], *length: int) -> Bind:
    return lambda op, model, key, nonce, data, aad: lambda: new(data).digest(*length)


def _hmac(name: str) -> Bind:
    import hmac

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "oneshot":
            return lambda: hmac.digest(key, data, name)
        return copy_and_update(hmac.new(bytes(key), digestmod=name), data)

    return bind


def _keyed(new: Callable[..., Any]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        if model == "oneshot":
            return lambda: new(data, key=key).digest()
        return copy_and_update(new(key=key), data)

    return bind
