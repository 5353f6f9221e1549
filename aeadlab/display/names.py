"""Names of implementations in words, for figures and forms: ``openssl/aes-256-gcm`` is OpenSSL AES-256-GCM."""

from __future__ import annotations

import re
from typing import Final

_LIBRARIES: Final = {
    "aws-lc": "AWS-LC", "baseline": "", "blake3": "BLAKE3", "boringssl": "BoringSSL", "botan": "Botan",
    "cryptopp": "Crypto++", "graviola": "Graviola", "hiae": "HiAE", "libtomcrypt": "LibTomCrypt",
    "mbedtls": "Mbed TLS", "nettle": "Nettle", "numba": "Numba", "openssl": "OpenSSL",
    "openssl-system": "system OpenSSL", "pycryptodome": "PyCryptodome", "pynacl": "PyNaCl",
    "rijndael": "Rijndael", "rocca": "Rocca", "rustcrypto": "RustCrypto", "rustcrypto-mgm": "RustCrypto",
    "wolfssl": "wolfSSL",
}  # fmt: skip
"""Libraries whose names differ from their identifiers; baselines are named by the operation alone."""

_WORDS: Final = (
    *("AEAD128", "AEGIS", "AES", "ARIA", "Ascon", "BLAKE2b", "BLAKE2s", "BLAKE3", "Blowfish", "Camellia", "CAST5"),
    *("CBC", "CCM", "CFB", "ChaCha8", "ChaCha12", "ChaCha20", "CMAC", "CRC", "CTR", "delay", "Deoxys", "EAX", "ECB"),
    *("GCM", "GHASH", "GMAC", "HC", "HiAE", "HMAC", "I", "II", "K12", "Keccak", "keyed", "KMAC", "Kuznyechik", "MAC"),
    *("Magma", "MD4", "MD5", "memcpy", "MGM", "OCB", "OFB", "Poly1305", "POLYVAL", "RC4", "RIPEMD", "Rocca", "S"),
    *("Salsa20", "Serpent", "SHA", "SHA3", "SHAKE", "SipHash", "SIV", "SM3", "SM4", "stream", "Streebog", "tag256"),
    *("Twofish", "Whirlpool", "XChaCha8", "XChaCha12", "XChaCha20", "XOF", "XOR", "XSalsa20", "XTS", "XXH3"),
)
_SPELLING: Final = {word.lower(): word for word in _WORDS}


def in_words(implementation: str) -> str:
    """Return the name of an implementation in words; parts that are not known keep their spelling."""
    library, _, algorithm = implementation.partition("/")
    library = _LIBRARIES.get(library, library)
    base, dot, variant = algorithm.partition(".")
    variant = with_level(variant)
    named = "".join(_spelled(part) for part in re.split(r"([-+])", base)) + (dot and f" {variant}")
    # The library of one algorithm has the algorithm's name.
    return named if named.startswith(library) else f"{library} {named}"


def with_level(name: str) -> str:
    """Return a name with its optimization level as a compiler's option: ``plain -O3`` for ``plain-o3``.

    In lower case it would be GCC's option for the output file.
    """
    return re.sub(r"-o([0-3])\b", r" -O\1", name)


def _spelled(part: str) -> str:
    # Lengths and counts such as 128l and 128x4 are written with capitals.
    return _SPELLING.get(part, part.upper() if part[:1].isdigit() else part)
