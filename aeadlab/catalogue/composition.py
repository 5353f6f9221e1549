"""Compositions: an AEAD from any cipher and any MAC of the catalogue."""

from __future__ import annotations

from aeadlab.catalogue import Catalogue, Implementation, load


def compose(cipher: str, mac: str, catalogue: Catalogue | None = None) -> Implementation:
    """Return the encrypt-then-MAC AEAD of two implementations, which may come from different libraries.

    BLAKE3 derives a cipher key, two MAC keys and an IV key from a key of 32 bytes. The nonce has 12 bytes, the tag has
    the length of the MAC. native/libraries/src/compose.rs specifies the construction. The composition is verified,
    timed and run by ParSplit under its name like other implementations, and has the flag ``research``.

    Parameters
    ----------
    cipher, mac
        Names such as ``openssl/aes-256-ctr`` and ``blake3/blake3-keyed``.
    catalogue
        The catalogue that contains both; None selects that of this computer.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the catalogue does not contain one of them.
    aeadlab.errors.ArgumentError
        If they do not form a secure AEAD: the MAC is a universal hash such as GHASH or Poly1305, or a hash without key,
        or the cipher has no IV of at least 12 bytes. The message states the reason.

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
