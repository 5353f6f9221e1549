"""One message of a standard AEAD on several threads, with the interface of `cryptography`."""

from __future__ import annotations

import secrets
from operator import index
from typing import TYPE_CHECKING, Self

from cryptography import exceptions

from aeadlab import _native
from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError
from aeadlab.parsplit.arguments import integer, thread_count

if TYPE_CHECKING:
    from aeadlab._native import Multipart
    from aeadlab.parsplit.buffers import Memory

_BIT_LENGTHS = (128, 192, 256)
_AES_GCM = {f"aes-{bits}-gcm" for bits in _BIT_LENGTHS}
_FLAGS = frozenset({"any-nonce-length", "thread-safe"})
"""What an AES-GCM must offer: segments start at the counter blocks of nonces of 16 bytes, on several threads."""


class InvalidTag(AuthenticationError, exceptions.InvalidTag):
    """The tag does not match: wrong key, nonce or associated data, or changed data. The output was wiped.

    It is also a `cryptography.exceptions.InvalidTag`, so that programs written for `cryptography` catch it.
    """


class _OneMessage(_native.OneMessage):
    """What both classes share."""

    __slots__ = ()

    def multipart(self, nonce: Memory, associated_data: Memory | None, length: int) -> Multipart:
        """Return a sealer of one message of `length` bytes, whose parts are sealed anywhere and in any order.

        Each process or machine that has the key makes it from the same arguments. A nonce must not be used for two
        messages.

        ``seal(offset, data)`` returns the ciphertext of a part and its partial value; ``finish(partials)`` takes the
        partial values of all parts, in any order, and returns the tag of 16 bytes. Parts begin at multiples of 16 bytes
        and have such lengths, except for the one that ends the message.

        A partial value is **as secret as the key**: with the ciphertext it reveals the key of the hash, with which
        anybody can forge messages. Encrypt ``bytes(partial)`` before it leaves the machines that have the key.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the nonce has a length that the algorithm does not take, or the message exceeds its limit; by ``seal``
            for a part at a wrong place, by ``finish`` for a lost, repeated or overlapping part, or one of another
            message.
        """
        return _native.Multipart(self, nonce, associated_data, integer("length", length, 0))


class AESGCM(_OneMessage):
    """AES-GCM (NIST SP 800-38D) that encrypts one message on several threads.

    It replaces `cryptography.hazmat.primitives.ciphers.aead.AESGCM`: the same methods and arguments, and the same
    bytes. GHASH is a polynomial, so that each thread hashes its segments, and the values are combined with powers of
    the key of the hash; docs/ONE-MESSAGE.md explains it. With an empty message the result is GMAC of the associated
    data.

    Parameters
    ----------
    key
        16, 24 or 32 bytes.
    threads
        1 to 256; None selects the number of cores of this process. Short messages use the thread of the caller.
    implementation
        An AES-GCM of the catalogue that takes nonces of 16 bytes, such as ``openssl/aes-256-gcm``; None selects the
        kernel of the lab, which is the fastest. A library opens in two passes: it verifies before it decrypts.
    schedule
        The assignment of segments to threads: one of `aeadlab.ParSplit.schedules`.
    segment_bytes
        Length of a segment in bytes, a multiple of 16; None selects it for each message. If given, all threads process
        each message, however short.

    Raises
    ------
    aeadlab.errors.ArgumentError
        For a key of another length, a thread count outside 1 to 256, an unknown schedule, a segment that is not a
        multiple of 16 bytes, or an implementation that is no AES-GCM with nonces of any length.
    aeadlab.errors.UnknownNameError
        If the catalogue does not contain the implementation.

    Notes
    -----
    ``encrypt(nonce, data, associated_data)`` returns ciphertext and tag; ``decrypt`` raises `aeadlab.InvalidTag` if the
    tag does not match. ``encrypt_into`` and ``decrypt_into`` write to a buffer of exactly the length of the result,
    which may be that of the input (``memoryview(buf)[:-16]``). A nonce has 12 bytes, or any other number from 1 on, and
    must never be used twice with one key. A message has at most 2**36 - 32 bytes.
    """

    __slots__ = ()

    def __new__(
        cls,
        key: Memory,
        threads: int | None = None,
        *,
        implementation: str | None = None,
        schedule: str = "dynamic",
        segment_bytes: int | None = None,
    ) -> Self:
        library = None if implementation is None else _library(implementation)
        return super().__new__(cls, "aes-gcm", key, *_settings(threads, schedule, segment_bytes), library)

    @staticmethod
    def generate_key(bit_length: int) -> bytes:
        """Return a random key of 128, 192 or 256 bits.

        Raises
        ------
        aeadlab.errors.ArgumentError
            For another length.
        """
        try:
            bits = index(bit_length)
        except TypeError:
            raise ArgumentTypeError(f"bit_length {bit_length!r} given, an integer expected") from None
        if bits not in _BIT_LENGTHS:
            raise ArgumentError(f"bit_length {bits} given, 128, 192 or 256 expected")
        return secrets.token_bytes(bits // 8)


class ChaCha20Poly1305(_OneMessage):
    """ChaCha20-Poly1305 (RFC 8439) that encrypts one message on several threads.

    It replaces `cryptography.hazmat.primitives.ciphers.aead.ChaCha20Poly1305`: see `AESGCM`, except that the key has 32
    bytes, the nonce 12, and a message at most 2**38 - 64.

    Parameters
    ----------
    key
        32 bytes.
    threads, schedule, segment_bytes
        As for `AESGCM`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As for `AESGCM`.
    """

    __slots__ = ()

    def __new__(
        cls,
        key: Memory,
        threads: int | None = None,
        *,
        schedule: str = "dynamic",
        segment_bytes: int | None = None,
    ) -> Self:
        return super().__new__(cls, "chacha20-poly1305", key, *_settings(threads, schedule, segment_bytes), None)

    @staticmethod
    def generate_key() -> bytes:
        """Return a random key of 32 bytes."""
        return secrets.token_bytes(32)


def _settings(threads: int | None, schedule: str, segment_bytes: int | None) -> tuple[int, str, int | None]:
    """Return the checked arguments that both classes have in common."""
    if not isinstance(schedule, str):
        raise ArgumentTypeError(f"schedule {schedule!r} given, a name such as dynamic expected")
    if schedule not in _native.schedules():
        # Those of OpenMP and Numba, whose import takes longer than all else here.
        from aeadlab.parsplit import schedules

        schedules.register(schedule)
    segment = None if segment_bytes is None else integer("segment_bytes", segment_bytes, 16)
    if segment is not None and segment % 16:
        raise ArgumentError(f"segment_bytes {segment} given, a multiple of 16 expected")
    return thread_count(threads), schedule, segment


def _library(name: str) -> _native.Algorithm:
    """Return the AES-GCM of this name for the engine, which tries it."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"implementation {name!r} given, a name such as openssl/aes-256-gcm expected")
    # Only this needs the catalogue, whose import takes longer than all else.
    from aeadlab.parsplit import implementations

    found = implementations.find(name, baseline=False)
    d = found.description
    if d.base_algorithm not in _AES_GCM or not d.flags >= _FLAGS:
        raise ArgumentError(
            f"implementation {name} given, an AES-GCM with the flags {' and '.join(sorted(_FLAGS))} expected, such as "
            "openssl/aes-256-gcm; None selects the kernel of the lab"
        )
    return found.native
