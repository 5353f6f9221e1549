"""Compositions: an AEAD of any cipher and any MAC of the catalogue."""

from __future__ import annotations

from aeadlab.catalogue import Catalogue, Implementation, load


def compose(cipher: str, mac: str, catalogue: Catalogue | None = None) -> Implementation:
    """Encrypt-then-MAC with separate keys, of two implementations that may come from different libraries.

    From a 32-byte key BLAKE3 derives a cipher key, two MAC keys and an IV key; the nonce has 12 bytes, the tag is that
    of the MAC. native/libraries/src/compose.rs states the construction. The result is verified, timed and run under
    ParSplit by its name, as every other implementation. It is marked as research.

    Parameters
    ----------
    cipher, mac
        Names such as ``openssl/aes-256-ctr`` and ``blake3/blake3-keyed``.
    catalogue
        Where they are found; None means this computer's.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If one of them does not exist here.
    aeadlab.errors.ArgumentError
        If they do not make a safe AEAD: a bare universal hash such as GHASH or Poly1305, an unkeyed hash, a cipher
        without an IV of at least 12 bytes. The message says why.

    Examples
    --------
    >>> from aeadlab import compose
    >>> sealer = compose("rustcrypto/aes-256-ctr", "blake3/blake3-keyed")
    >>> sealer.name
    'rustcrypto+blake3/aes-256-ctr+blake3-keyed'
    >>> sealed = sealer.seal(bytes(32), bytes(12), b"attack at dawn")
    >>> sealer.open(bytes(32), bytes(12), sealed)
    b'attack at dawn'
    """
    return (catalogue or load()).compose(cipher, mac)
