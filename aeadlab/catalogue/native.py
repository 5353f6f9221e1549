"""Implementations behind the C ABI: linked libraries, plugins and compositions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from aeadlab import _native
from aeadlab.catalogue import legacy, weak_keys
from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.catalogue.kinds import OPS
from aeadlab.errors import ArgumentError

_FACTS = (
    *("library", "algorithm", "kind", "version", "build", "kernel", "feature_switch"),
    *("key_bytes", "nonce_bytes", "tag_bytes", "block_bytes", "max_bytes", "max_aad_bytes"),
)


class NativeImplementation(Implementation):
    """An algorithm of a linked library or a plugin.

    Attributes
    ----------
    native
        The object of the extension, which ParSplit and the native timers use.
    """

    def __init__(self, native: _native.Algorithm, origin: str = "linked") -> None:
        facts = {name: getattr(native, name) for name in _FACTS}
        super().__init__(Description(**facts, flags=frozenset(native.flags), origin=origin))
        self.native = native

    def _compute(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        weak_keys.reject(self.description, op, key)
        associated = (aad,) if op in OPS["aead"] else ()
        return getattr(self.native, op)(key, nonce, data, *associated)  # type: ignore[no-any-return]

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        if negative := [length for length in requests if length < 0]:
            raise ArgumentError(f"request for {negative[0]} bytes given, at least 0 expected")
        return self.native.generate(key, list(requests))


def linked() -> list[NativeImplementation]:
    """Return all implementations of the libraries linked into the extension."""
    return [NativeImplementation(native) for native in _native.linked()]


def plugin(path: str) -> list[NativeImplementation]:
    """Return all implementations of a plugin with the C ABI or of a legacy shape; runs its code in this process."""
    description = legacy.description_path(Path(path))
    loaded = _native.load_plugin(path) if description is None else legacy.load(Path(path), description)
    return [NativeImplementation(native, origin=path) for native in loaded]


def compose(cipher: Implementation, mac: Implementation) -> NativeImplementation:
    """Return the encrypt-then-MAC AEAD of a cipher and a MAC; errors as `aeadlab.compose`."""
    if not isinstance(cipher, NativeImplementation) or not isinstance(mac, NativeImplementation):
        python = mac if isinstance(cipher, NativeImplementation) else cipher
        raise ArgumentError(f"{python.name} is called from Python: a composition needs one behind the C ABI")
    plugins = [o for o in (cipher.description.origin, mac.description.origin) if o != "linked"]
    composition = NativeImplementation(
        _native.compose(cipher.native, mac.native), origin=os.pathsep.join(dict.fromkeys(plugins)) or "linked"
    )
    composition.parts = (cipher, mac)
    return composition
