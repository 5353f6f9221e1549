"""References of encrypt-then-MAC compositions."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from importlib.util import find_spec
from io import BytesIO

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import AuthenticationError
from aeadlab.verify.reference.implementation import LIBRARY, Reference

_ENCRYPTION_CONTEXT = "aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key"
_MAC_CONTEXT = "aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key"
_TAG_BYTES = 32


def references() -> Iterator[Reference]:
    """Iterate over the references of this family."""
    if find_spec("blake3") and find_spec("cryptography"):
        open_ = _open_aes_256_ctr_blake3
        yield Reference("aes-256-ctr+blake3", "aead", 32, 12, _TAG_BYTES, aes_256_ctr_blake3, open_)


def aes_256_ctr_blake3(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    """Return ciphertext and tag of ``aes-256-ctr+blake3``, computed with pyca and blake3-py.

    It is encrypt-then-MAC with two keys that BLAKE3 derives from `key`. The first counter block is
    ``nonce || be32(0)``; the tag is keyed BLAKE3 of ``ciphertext || aad || nonce || le64(len(aad)) ||
    le64(len(ciphertext))``. The fields of the last 28 bytes have fixed lengths, so the encoding is injective.
    """
    ciphertext = _aes_256_ctr(key, nonce, data)
    return ciphertext + _blake3_tag(key, nonce, ciphertext, aad)


def _open_aes_256_ctr_blake3(key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
    ciphertext, tag = sealed[:-_TAG_BYTES], sealed[-_TAG_BYTES:]
    if not hmac.compare_digest(tag, _blake3_tag(key, nonce, ciphertext, aad)):
        raise AuthenticationError(f"{LIBRARY}/aes-256-ctr+blake3: the tag does not match")
    return _aes_256_ctr(key, nonce, ciphertext)


def _aes_256_ctr(key: bytes, nonce: bytes, data: bytes) -> bytes:
    from blake3 import blake3
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CTR

    derived = blake3(key, derive_key_context=_ENCRYPTION_CONTEXT).digest()
    return Cipher(AES(derived), CTR(nonce + bytes(4))).encryptor().update(data)


def _blake3_tag(key: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
    from blake3 import blake3

    derived = blake3(key, derive_key_context=_MAC_CONTEXT).digest()
    lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
    return blake3(ciphertext + aad + nonce + lengths, key=derived).digest()


def composition(made: Implementation) -> Implementation:
    """Return the reference of an encrypt-then-MAC composition, computed with its parts.

    It follows the specification in native/libraries/src/compose.rs.
    """
    from blake3 import blake3

    d = made.description
    cipher, mac = made.parts
    c, m = cipher.description, mac.description
    context = f"aeadlab 2026-11-20 encrypt-then-MAC of {d.algorithm}, all keys"

    def keys(key: bytes) -> tuple[bytes, bytes, bytes, bytes]:
        lengths = (c.key_bytes, m.key_bytes, m.key_bytes, 32)
        derived = BytesIO(blake3(key, derive_key_context=context).digest(sum(lengths)))
        encryption, first, second, iv = (derived.read(length) for length in lengths)
        return encryption, first, second, iv

    def iv(key: bytes, nonce: bytes) -> bytes:
        return blake3(nonce, key=key).digest(c.nonce_bytes)

    def tag(first: bytes, second: bytes, nonce: bytes, ciphertext: bytes, aad: bytes) -> bytes:
        mac_nonce = nonce if m.nonce_bytes else b""
        lengths = len(aad).to_bytes(8, "little") + len(ciphertext).to_bytes(8, "little")
        inner = mac.digest(first, mac_nonce, ciphertext)
        return mac.digest(second, mac_nonce, inner + aad + nonce + lengths)

    def seal(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        encryption, first, second, iv_key = keys(key)
        ciphertext = cipher.encrypt(encryption, iv(iv_key, nonce), data)
        return ciphertext + tag(first, second, nonce, ciphertext, aad)

    def open_(key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        encryption, first, second, iv_key = keys(key)
        ciphertext = sealed[: len(sealed) - d.tag_bytes]
        if not hmac.compare_digest(sealed[len(ciphertext) :], tag(first, second, nonce, ciphertext, aad)):
            raise AuthenticationError(f"{LIBRARY}/{d.algorithm}: the tag does not match")
        return cipher.decrypt(encryption, iv(iv_key, nonce), ciphertext)

    lengths = d.key_bytes, d.nonce_bytes, d.tag_bytes
    return Reference(d.algorithm, "aead", *lengths, seal, open_, block_bytes=d.block_bytes)
