"""The class of all references, made of functions over bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.catalogue.kinds import Kind
from aeadlab.errors import ArgumentError

LIBRARY = "reference"
Compute: TypeAlias = Callable[[bytes, bytes, bytes, bytes], bytes]


class Reference(Implementation):
    """An implementation of the library ``reference``, made of functions.

    Parameters
    ----------
    algorithm, kind, key, nonce, tag, block_bytes
        Its algorithm, kind, and lengths in bytes.
    forward
        ``forward(key, nonce, data, aad)`` seals, encrypts or digests; for generators data is zeros.
    backward
        ``backward(key, nonce, data, aad)`` opens or decrypts.
    """

    def __init__(
        self,
        algorithm: str,
        kind: Kind,
        key: int,
        nonce: int,
        tag: int,
        forward: Compute,
        backward: Compute | None = None,
        block_bytes: int = 1,
    ) -> None:
        super().__init__(
            Description(LIBRARY, algorithm, kind, "1", "", "", key, nonce, tag, block_bytes, origin="python")
        )
        self._forward = forward
        self._backward = backward

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        return self._compute("generate", key, b"", bytes(sum(requests)))

    def _compute(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        d = self.description
        compute = self._backward if op in ("open", "decrypt") else self._forward
        if compute is None:
            raise ArgumentError(f"{self.name} is of kind {d.kind}, which has no inverse operation")
        for name, given, expected in (("key", key, d.key_bytes), ("nonce", nonce, d.nonce_bytes)):
            if len(given) != expected:
                raise ArgumentError(f"{self.name}: {name} of {len(given)} bytes given, {expected} expected")
        return compute(bytes(key), bytes(nonce), bytes(data), bytes(aad))
