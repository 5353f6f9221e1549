"""Implementations behind the C ABI: linked libraries and plugins, one class for all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from aeadlab import _native
from aeadlab.catalogue import foreign, weak_keys
from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.errors import ArgumentError
from aeadlab.kinds import Kind


class NativeImplementation(Implementation):
    """An algorithm of a linked library or a plugin.

    Attributes
    ----------
    native
        The extension's object, which ParSplit and the native clock take.
    """

    def __init__(self, native: _native.Algorithm, origin: str = "linked") -> None:
        super().__init__(
            Description(
                library=native.library,
                algorithm=native.algorithm,
                kind=cast(Kind, native.kind),
                version=native.version,
                build=native.build,
                kernel=native.kernel,
                key_bytes=native.key_bytes,
                nonce_bytes=native.nonce_bytes,
                tag_bytes=native.tag_bytes,
                block_bytes=native.block_bytes,
                flags=frozenset(native.flags),
                origin=origin,
            )
        )
        self.native = native

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        return self.native.seal(key, nonce, data, aad)

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        return self.native.open(key, nonce, sealed, aad)

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        weak_keys.refuse(self.description, key)
        return self.native.encrypt(key, nonce, data)

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        weak_keys.refuse(self.description, key)
        return self.native.decrypt(key, nonce, data)

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        return self.native.digest(key, nonce, data)

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        if wrong := [length for length in requests if length < 0]:
            raise ArgumentError(f"a request for {wrong[0]} bytes given, 0 or more wanted")
        return self.native.generate(key, list(requests))


def linked() -> list[NativeImplementation]:
    """All algorithms of the libraries that are linked into the extension."""
    return [NativeImplementation(native) for native in _native.linked()]


def plugin(path: str) -> list[NativeImplementation]:
    """All algorithms of a shared library, with ours or an older interface; runs its code in this process.

    Raises
    ------
    aeadlab.errors.PluginError
        If the file is no plugin.
    """
    description = foreign.description_of(Path(path))
    loaded = _native.load_plugin(path) if description is None else foreign.load(Path(path), description)
    return [NativeImplementation(native, origin=path) for native in loaded]


def composed(cipher: Implementation, mac: Implementation) -> NativeImplementation:
    """An encrypt-then-MAC AEAD of a cipher and a MAC; see `aeadlab.compose`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If one of them is called from Python only, or the two do not make a safe AEAD; the message says why.
    """
    if not isinstance(cipher, NativeImplementation) or not isinstance(mac, NativeImplementation):
        python = mac if isinstance(cipher, NativeImplementation) else cipher
        raise ArgumentError(f"{python.name} is called from Python only: a composition needs it behind the C ABI")
    origins = [o for o in (cipher.description.origin, mac.description.origin) if o != "linked"]
    made = NativeImplementation(
        _native.compose(cipher.native, mac.native),
        origin=os.pathsep.join(dict.fromkeys(origins)) or "linked",
    )
    made.parts = (cipher, mac)
    return made
