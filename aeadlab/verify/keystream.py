"""A stream cipher as a generator: its keystream for a seed of key and nonce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from aeadlab.catalogue.implementation import Buffer, Implementation


class Keystream(Implementation):
    """The generator that a cipher defines, for comparison with generators of other libraries.

    Parameters
    ----------
    cipher
        Of kind ``cipher``.
    """

    def __init__(self, cipher: Implementation) -> None:
        d = cipher.description
        super().__init__(replace(d, kind="generator", key_bytes=d.key_bytes + d.nonce_bytes, nonce_bytes=0))
        self._cipher = cipher
        self._key_bytes = d.key_bytes

    def generate(self, key: Buffer, requests: Sequence[int]) -> bytes:
        """Return the encryption of zeros."""
        seed = bytes(key)
        return self._cipher.encrypt(seed[: self._key_bytes], seed[self._key_bytes :], bytes(sum(requests)))


@lru_cache(maxsize=128)
def keystream(cipher: Implementation) -> Keystream:
    """Return the generator of a cipher, the same object at each call, so that its answers are cached."""
    return Keystream(cipher)
