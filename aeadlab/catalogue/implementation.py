"""An implementation: one algorithm of one library, its facts and its calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from aeadlab.catalogue.kinds import Kind, Model
from aeadlab.catalogue.names import base_algorithm
from aeadlab.display.printable import printable
from aeadlab.errors import ArgumentError

Buffer: TypeAlias = bytes | bytearray | memoryview


@dataclass(frozen=True)
class Description:
    """The facts about an implementation; lengths in bytes.

    Attributes
    ----------
    library, algorithm
        ``openssl`` and ``aes-256-gcm``; together they are the name of the implementation. Variants of an algorithm in
        one library are named after a dot: ``aes-128-ctr.plain``.
    version
        The version that the library reports at run time.
    build
        Compiler and options of the library, or another library that it uses, such as an OpenSSL.
    kernel
        The code path that the library reports as selected, or ``""``.
    tag_bytes
        Length of the tag (AEAD, MAC) or digest (hash); 0 for ciphers.
    max_bytes, max_aad_bytes
        Longest message, or longest output of a generator under one key, and longest associated data of one call; 0 for
        no limit. Longer ones raise `aeadlab.errors.ArgumentError`.
    flags
        Any of ``in-place``, ``thread-safe``, ``any-nonce-length``, ``open-computes-tag``, ``universal-hash``,
        ``baseline``, ``research``, ``historical``, ``not-cryptographic``, ``parallel``, ``no-associated-data``,
        ``many``.
    origin
        ``linked``, ``python``, or the path of the plugin.
    feature_switch
        The environment variable that hides CPU features from the library, as `aeadlab.bench.masks.switches` lists
        them, or ``none: reason``; ``""`` for a library that does not declare it. A composition has those of its cipher
        and its MAC with `` + `` in between.
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
    max_bytes: int = 0
    max_aad_bytes: int = 0
    flags: frozenset[str] = field(default_factory=frozenset)
    origin: str = "linked"
    feature_switch: str = ""

    def __post_init__(self) -> None:
        """Make the texts of the library printable."""
        for name in ("version", "build", "kernel", "feature_switch"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    @property
    def name(self) -> str:
        """Name of the implementation: ``library/algorithm``."""
        return f"{self.library}/{self.algorithm}"

    @property
    def plugin_files(self) -> tuple[str, ...]:
        """Paths of the plugins that it comes from, two for some compositions; empty if it is linked or in Python."""
        return () if self.origin in ("linked", "python") else tuple(self.origin.split(os.pathsep))

    @property
    def is_plugin(self) -> bool:
        """Whether it comes from a plugin."""
        return bool(self.plugin_files)

    @property
    def signature(self) -> tuple[object, ...]:
        """The facts in which implementations agree whose results can be compared: algorithm, kind and lengths."""
        return (*(self.base_algorithm, self.kind, self.key_bytes, self.nonce_bytes, self.tag_bytes, self.block_bytes),)

    @property
    def base_algorithm(self) -> str:
        """Name of the algorithm without its variant, under which other libraries provide it."""
        return base_algorithm(self.algorithm)

    def takes(self, bytes: int, aad_bytes: int = 0) -> bool:
        """Return whether a message and associated data of these lengths in bytes are within the limits."""
        given = ((bytes, self.max_bytes), (aad_bytes, self.max_aad_bytes))
        return all(not limit or length <= limit for length, limit in given)


class Implementation:
    """An implementation that is called once per message; subclasses compute the operations of their kind.

    Wrong lengths, and operations that the kind does not have, raise `aeadlab.errors.ArgumentError`.

    Attributes
    ----------
    parts
        Cipher and MAC of a composition; empty for all others.
    models
        Models that can be timed; ``keyed`` is missing if the library has no object that keeps a key for several
        messages.
    """

    parts: tuple[Implementation, ...] = ()
    models: tuple[Model, ...] = ("oneshot", "keyed")

    def __init__(self, description: Description) -> None:
        self.description = description

    @property
    def name(self) -> str:
        """Name of the implementation: ``library/algorithm``."""
        return self.description.name

    def __repr__(self) -> str:
        d = self.description
        return f"<{d.name} {d.kind} ({d.version})>"

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        """Encrypt and authenticate; return the ciphertext followed by the tag (AEAD only)."""
        return self._compute("seal", key, nonce, data, aad)

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        """Verify and decrypt a ciphertext followed by the tag, or raise AuthenticationError (AEAD only)."""
        return self._compute("open", key, nonce, sealed, aad)

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Encrypt without authentication or padding (cipher only)."""
        return self._compute("encrypt", key, nonce, data)

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Decrypt without authentication (cipher only)."""
        return self._compute("decrypt", key, nonce, data)

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Return the hash or MAC of `data`; key and nonce are empty if the algorithm has none (hash, MAC)."""
        return self._compute("digest", key, nonce, data)

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        """Return the concatenated output of requests of these lengths in bytes under a new key (generator only).

        A total beyond the output limit of one key raises `aeadlab.errors.ArgumentError`.
        """
        raise self._unsupported("generate")

    def _compute(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        """Run an operation other than ``generate``."""
        raise self._unsupported(op)

    def _unsupported(self, op: str) -> ArgumentError:
        return ArgumentError(f"{self.name} is of kind {self.description.kind}, which has no {op}")
