"""PyNaCl: the libsodium of its wheel with CFFI bindings, which check arguments in Python and copy the output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from aeadlab.catalogue.adapters.base import ONCE, Bind, Call, Row, adapters, available, copy_and_update
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pynacl"
FEATURE_SWITCH = "none: it detects CPU features itself and reads no setting"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import nacl
    from nacl.exceptions import CryptoError, UnavailableError

    # AES-256-GCM requires CPU instructions.
    rows = available((*_aeads(), *_hashes(), *_macs()), UnavailableError)
    return adapters(LIBRARY, nacl.__version__, rows, rejections=(CryptoError,), feature_switch=FEATURE_SWITCH)


def _aeads() -> Iterator[Row]:
    from nacl import bindings

    for name, function, key, nonce, tag in (
        ("chacha20-poly1305", "chacha20poly1305_ietf", 32, 12, 16),
        ("xchacha20-poly1305", "xchacha20poly1305_ietf", 32, 24, 16),
        ("aegis-128l-tag256", "aegis128l", 16, 16, 32),
        ("aegis-256-tag256", "aegis256", 32, 32, 32),
        ("aes-256-gcm", "aes256gcm", 32, 12, 16),
    ):
        seal, open_ = (getattr(bindings, f"crypto_aead_{function}_{verb}") for verb in ("encrypt", "decrypt"))
        limit = getattr(bindings, f"crypto_aead_{function}_MESSAGEBYTES_MAX")
        yield Row(name, "aead", _aead(seal, open_), key, nonce, tag, models=ONCE, max_bytes=limit)


def _hashes() -> Iterator[Row]:
    from nacl import bindings

    yield Row("sha-256", "hash", _hash(bindings.crypto_hash_sha256), tag=32)
    yield Row("sha-512", "hash", _hash(bindings.crypto_hash_sha512), tag=64)
    yield Row("blake2b-256", "hash", _blake2b(32), tag=32)
    yield Row("blake2b-512", "hash", _blake2b(64), tag=64)


def _macs() -> Iterator[Row]:
    from nacl import bindings

    yield Row("blake2b-keyed", "mac", _blake2b(64), 32, tag=64)
    yield Row("siphash-2-4", "mac", _mac(bindings.crypto_shorthash_siphash24), 16, tag=8, models=ONCE)


# The library accepts only bytes; bytes() does not copy an argument that is bytes already.
def _aead(seal: Callable[..., object], open_: Callable[..., object]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        arguments = [bytes(part) for part in (data, aad, nonce, key)]
        return lambda: (seal if op == "seal" else open_)(*arguments)

    return bind


def _hash(compute: Callable[[bytes], object]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        message = bytes(data)
        return lambda: compute(message)

    return bind


def _mac(compute: Callable[[bytes, bytes], object]) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        message, secret = bytes(data), bytes(key)
        return lambda: compute(message, secret)

    return bind


def _blake2b(size: int) -> Bind:
    from nacl.hashlib import blake2b

    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        message, secret = bytes(data), bytes(key)
        if model == "oneshot":
            return lambda: blake2b(message, digest_size=size, key=secret).digest()
        return copy_and_update(blake2b(digest_size=size, key=secret), message)

    return bind
