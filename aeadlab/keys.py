"""One key per message, so that nobody counts nonces."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from aeadlab import _native
from aeadlab.errors import ArgumentError

if TYPE_CHECKING:
    from aeadlab.memory import Memory

SALT_BYTES = 32


class MessageKey(NamedTuple):
    """The key of one message.

    Attributes
    ----------
    key
        Seals this message and no other.
    salt
        Goes with the sealed message; it is not secret.
    """

    key: bytes
    salt: bytes


def message_key(key: Memory, salt: Memory | None = None, *, info: Memory = b"", bytes: int = 32) -> MessageKey:
    """Derive the key of one message by HKDF with SHA-256 (RFC 5869).

    Under a key that is used once any nonce is a new one, so that it may be zeros. Two random salts of 32 bytes do not
    meet: after 2**64 messages under one shared key the chance is 2**-129.

    Parameters
    ----------
    key
        The shared key, at least 16 random bytes; not a password.
    salt
        The 32 bytes that came with the message, when opening it; None makes new random ones.
    info
        What the key is for; another purpose gives another key.
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
    if not isinstance(bytes, int) or not 1 <= bytes <= 255 * 32:
        raise ArgumentError(f"a key of {bytes!r} bytes wanted, 1 to {255 * 32} are possible")
    salt = os.urandom(SALT_BYTES) if salt is None else memoryview(cast(Any, salt)).tobytes()
    return MessageKey(_native.message_key(key, salt, info, bytes), salt)
