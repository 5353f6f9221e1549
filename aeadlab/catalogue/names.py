"""Names of implementations: compositions, and variants of one algorithm."""

from __future__ import annotations


def composition_name(cipher: str, mac: str) -> str:
    """Return the name of the composition of two implementations.

    Examples
    --------
    >>> composition_name("cryptopp/aes-256-ctr", "openssl/aes-256-gmac")
    'cryptopp+openssl/aes-256-ctr+aes-256-gmac'
    """
    return "/".join(map("+".join, zip(cipher.split("/"), mac.split("/"), strict=True)))


def composition_parts(name: str) -> tuple[str, str] | None:
    """Return the names of the cipher and the MAC of a composition, or None for any other name.

    Examples
    --------
    >>> composition_parts("cryptopp+openssl/aes-256-ctr+aes-256-gmac")
    ('cryptopp/aes-256-ctr', 'openssl/aes-256-gmac')
    """
    library, _, algorithm = name.partition("/")
    if library.count("+") != 1 or algorithm.count("+") != 1:
        return None
    cipher, mac = zip(library.split("+"), algorithm.split("+"), strict=True)
    return "/".join(cipher), "/".join(mac)


def base_algorithm(algorithm: str) -> str:
    """Return the name of an algorithm without its variant.

    Examples
    --------
    >>> base_algorithm("aes-128-ctr.plain")
    'aes-128-ctr'
    """
    return algorithm.partition(".")[0]
