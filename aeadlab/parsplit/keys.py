"""Keys for single messages, which need no nonce bookkeeping."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from aeadlab import _native
from aeadlab.catalogue.octets import octets
from aeadlab.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from aeadlab.parsplit.buffers import Memory

SALT_BYTES = 32
_MAX_KEY_BYTES = 255 * 32
"""Longest output of HKDF with SHA-256 (RFC 5869, section 2.3)."""


class MessageKey(NamedTuple):
    """The key of one message.

    Attributes
    ----------
    key
        Seals this message and no other.
    salt
        Is stored or sent with the sealed message; it is not secret.
    """

    key: bytes
    salt: bytes


def message_key(key: Memory, salt: Memory | None = None, *, info: Memory = b"", bytes: int = 32) -> MessageKey:
    """Derive the key of one message by HKDF with SHA-256 (RFC 5869).

    A key that seals a single message allows a constant nonce, such as zeros. Collisions of random salts of 32 bytes are
    negligible: after 2**64 messages under one shared key the probability is 2**-129.

    Parameters
    ----------
    key
        The shared key, at least 16 random bytes; not a password.
    salt
        The 32 bytes stored with the message, to open it; None draws a random salt, to seal one.
    info
        Purpose of the key; different purposes give different keys.
    bytes
        Length of the derived key, 1 to 8160.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a length is out of range.

    Examples
    --------
    >>> from aeadlab import ParSplit, message_key
    >>> cipher, shared = ParSplit("openssl/aes-256-gcm"), bytes(range(32))
    >>> nonce = bytes(cipher.nonce_bytes)
    >>> once = message_key(shared)
    >>> sent = once.salt + cipher.encrypt(once.key, nonce, b"attack at dawn")
    >>> cipher.decrypt(message_key(shared, sent[:32]).key, nonce, sent[32:])
    b'attack at dawn'
    """
    if not isinstance(bytes, int) or not 1 <= bytes <= _MAX_KEY_BYTES:
        error = ArgumentError if isinstance(bytes, int) else ArgumentTypeError
        raise error(f"a derived key of {bytes!r} bytes requested, 1 to {_MAX_KEY_BYTES} expected")
    salt = os.urandom(SALT_BYTES) if salt is None else memoryview(octets(salt, "salt")).tobytes()
    return MessageKey(_native.message_key(key, salt, info, bytes), salt)
