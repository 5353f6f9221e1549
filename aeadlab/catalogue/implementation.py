"""What the catalogue holds: one library's one algorithm, and how to call it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from aeadlab.errors import ArgumentError
from aeadlab.kinds import Kind, Model

Buffer: TypeAlias = bytes | bytearray | memoryview


def halves(name: str) -> tuple[str, str] | None:
    """Cipher and MAC that a composition's name stands for; None for a name of any other shape.

    Examples
    --------
    >>> halves("cryptopp+openssl/aes-256-ctr+aes-256-gmac")
    ('cryptopp/aes-256-ctr', 'openssl/aes-256-gmac')
    """
    library, _, algorithm = name.partition("/")
    if library.count("+") != 1 or algorithm.count("+") != 1:
        return None
    cipher, mac = zip(library.split("+"), algorithm.split("+"), strict=True)
    return "/".join(cipher), "/".join(mac)


def computed(algorithm: str) -> str:
    """What an algorithm computes, without the way in which it does.

    Examples
    --------
    >>> computed("aes-128-ctr.plain")
    'aes-128-ctr'
    """
    return algorithm.partition(".")[0]


def composed_name(cipher: str, mac: str) -> str:
    """What the composition of these two is called.

    Examples
    --------
    >>> composed_name("cryptopp/aes-256-ctr", "openssl/aes-256-gmac")
    'cryptopp+openssl/aes-256-ctr+aes-256-gmac'
    """
    return "/".join(map("+".join, zip(cipher.split("/"), mac.split("/"), strict=True)))


@dataclass(frozen=True)
class Description:
    """The facts about an implementation; lengths in bytes.

    Attributes
    ----------
    library, algorithm
        ``openssl`` and ``aes-256-gcm``; together the implementation's name. A library that computes one thing in
        several ways says which behind a dot: ``aes-128-ctr.plain``.
    version
        What the library reports at run time.
    build
        How it was compiled or obtained.
    kernel
        The code path that the library says it chose, or ``""`` where it does not say.
    tag_bytes
        Length of the tag (aead, mac) or digest (hash); 0 for ciphers.
    flags
        Any of ``in-place``, ``thread-safe``, ``any-nonce-length``, ``open-computes-tag``, ``universal-hash``,
        ``baseline``, ``research``, ``historical``, ``not-cryptographic``, ``parallel``.
    origin
        ``linked``, ``python``, or the path of the plugin.
    """

    library: str
    algorithm: str
    kind: Kind
    version: str
    build: str = ""
    kernel: str = ""
    key_bytes: int = 0
    nonce_bytes: int = 0
    tag_bytes: int = 0
    block_bytes: int = 1
    flags: frozenset[str] = field(default_factory=frozenset)
    origin: str = "linked"

    @property
    def name(self) -> str:
        """``library/algorithm``, the implementation's name everywhere."""
        return f"{self.library}/{self.algorithm}"

    @property
    def computes(self) -> str:
        """What is computed, in whichever way: the algorithm that others have as well."""
        return computed(self.algorithm)


class Implementation:
    """An implementation that can be called once per message; subclasses support the calls of their kind.

    Each call checks lengths and raises `aeadlab.errors.ArgumentError`, as does one that the kind does not have.

    Attributes
    ----------
    parts
        What a composition is made of, cipher and MAC; empty for everything else.
    models
        What the clock can cover; ``keyed`` is missing where a library has nothing that keeps a key for several
        messages.
    """

    parts: tuple[Implementation, ...] = ()
    models: tuple[Model, ...] = ("oneshot", "keyed")

    def __init__(self, description: Description) -> None:
        self.description = description

    @property
    def name(self) -> str:
        """``library/algorithm``."""
        return self.description.name

    def __repr__(self) -> str:
        d = self.description
        return f"<{d.name} {d.kind} ({d.version})>"

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        """Encrypt and authenticate; returns ciphertext followed by the tag (aead only)."""
        raise self._without("seal")

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        """Verify and decrypt ciphertext followed by the tag (aead only).

        Raises
        ------
        aeadlab.errors.AuthenticationError
            If the tag does not match.
        """
        raise self._without("open")

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Encrypt without authentication (cipher only)."""
        raise self._without("encrypt")

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Undo `encrypt` (cipher only)."""
        raise self._without("decrypt")

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Hash or MAC of `data`; key and nonce are empty where the algorithm has none (hash, mac)."""
        raise self._without("digest")

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        """Output under a fresh key, asked for in requests of these lengths in bytes, one behind the other (generator).

        More than one key gives is refused.
        """
        raise self._without("generate")

    def _without(self, call: str) -> ArgumentError:
        return ArgumentError(f"{self.name} is of kind {self.description.kind}, which has no {call}")
