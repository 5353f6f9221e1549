"""All tests, valid and invalid, of Project Wycheproof (C2SP/wycheproof) for the algorithms of the catalogue.

``tools/wycheproof.py`` converts a file of Wycheproof into a table of the folder ``wycheproof``. docs/VERIFICATION.md
has the number of tests of each. Where a format differs from that of the catalogue:

- A truncated tag of HMAC is compared with the beginning of the digest. A key that is longer than a block is replaced by
  its hash (RFC 2104, section 2). The tag of KMAC depends on its length and is never truncated.
- ``NAME_cbc_pkcs5`` pads messages with PKCS #5, and the ciphers of the catalogue do not pad. The message of a valid
  test is padded here. The decryption of an invalid one must have a wrong padding.
- A shorter tweak of XTS continues with zeros: it is the number of a data unit (IEEE 1619).
- Tests of a nonce, key or tag length that an algorithm forbids apply to all algorithms of their file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.sources.files import Record, fields_bytes, table
from aeadlab.verify.vectors import Answer, Procedure, Vector, gmac_vectors

SOURCE = "Wycheproof"
FORBIDDEN = frozenset({"InsecureTagSize", "InvalidKeySize", "InvalidNonceSize", "InvalidTagSize", "ZeroLengthIv"})
"""Flags of tests whose nonce, key or tag has a length that the algorithm forbids."""
_BLOCK = 16
"""Length in bytes of a block of the ciphers in CBC and XTS."""
_MAX_HMAC_KEY_BYTES = 64
"""Length to which zeros may extend the key of an HMAC: the smallest block length of a hash (RFC 2104, section 2)."""
_LONG_HMAC_KEYS = {"hmac-sha-1": "sha1", "hmac-sha-224": "sha224", "hmac-sha-256": "sha256", "hmac-sm3": "sm3"}
"""HMACs whose blocks are shorter than the longest keys of the tests, with the name of their hash in hashlib."""

Reader = Callable[[Record, str, str], Answer]
"""Returns the answer of a row; the other arguments are the algorithm and the label."""


@dataclass(frozen=True)
class Set:
    """The algorithms of a file of Wycheproof.

    Attributes
    ----------
    read
        Reads a row.
    algorithms
        Algorithm by the length of its keys in bytes, where 0 stands for all keys. Tests of other keys do not apply.
    """

    read: Reader
    algorithms: Mapping[int, str]

    def rows(self, name: str, algorithm: str) -> Iterator[Record]:
        """Iterate over the rows of an algorithm; `name` is that of the file."""
        for row in table(f"wycheproof/{name}.csv"):
            own = self.algorithms.get(len(row["key"]) // 2, self.algorithms.get(0))
            if own == algorithm or (own is None and is_forbidden(row)):
                yield row


def is_forbidden(row: Record) -> bool:
    """Return whether a test has a nonce, key or tag of a length that the algorithm forbids."""
    return not FORBIDDEN.isdisjoint(row["flags"].split())


def _aead(row: Record, algorithm: str, label: str) -> Vector:
    key, nonce, aad, message, ciphertext, tag = fields_bytes(row, "key", "nonce", "ad", "message", "ciphertext", "tag")
    valid, forbidden = row["result"] == "valid", is_forbidden(row)
    return Vector(
        SOURCE, label, key, nonce, aad, message, ciphertext + tag, len(tag), valid, forbidden_length=forbidden
    )


def _mac(row: Record, algorithm: str, label: str) -> Vector:
    key, nonce, message, tag = fields_bytes(row, "key", "nonce", "message", "tag")
    valid, forbidden = row["result"] == "valid", is_forbidden(row)
    return Vector(SOURCE, label, key, nonce, b"", message, tag, len(tag), valid, forbidden_length=forbidden)


def _hmac(row: Record, algorithm: str, label: str) -> Vector:
    key, message, tag = fields_bytes(row, "key", "message", "tag")
    # Some builds of Python have no SM3; its long keys then do not fit.
    if len(key) > _MAX_HMAC_KEY_BYTES and _LONG_HMAC_KEYS.get(algorithm) in hashlib.algorithms_available:
        key = hashlib.new(_LONG_HMAC_KEYS[algorithm], key).digest()
    grows_to = _MAX_HMAC_KEY_BYTES if len(key) <= _MAX_HMAC_KEY_BYTES else 0
    valid = row["result"] == "valid"
    return Vector(SOURCE, label, key, b"", b"", message, tag, len(tag), valid, key_grows_to=grows_to, extendable=True)


def _xts(row: Record, algorithm: str, label: str) -> Vector:
    key, tweak, message, ciphertext = fields_bytes(row, "key", "nonce", "message", "ciphertext")
    return Vector(SOURCE, label, key, tweak.ljust(_BLOCK, b"\0"), b"", message, ciphertext)


def _cbc(row: Record, algorithm: str, label: str) -> Answer:
    key, iv, message, ciphertext = fields_bytes(row, "key", "nonce", "message", "ciphertext")
    if row["result"] == "valid":
        missing = _BLOCK - len(message) % _BLOCK
        return Vector(SOURCE, label, key, iv, b"", message + missing * bytes([missing]), ciphertext)
    return Procedure(SOURCE, label, partial(_padding, key, iv, ciphertext), b"wrong padding")


def _padding(key: bytes, iv: bytes, ciphertext: bytes, cipher: Implementation) -> bytes:
    """Decrypt a ciphertext and return whether the padding of PKCS #5 is right or wrong."""
    message = cipher.decrypt(key, iv, ciphertext)
    missing = message[-1] if message else 0
    right = 0 < missing <= _BLOCK and message.endswith(missing * bytes([missing]))
    return b"right padding" if right else b"wrong padding"


def _sizes(cipher: str, mode: str, key_factor: int = 1) -> dict[int, str]:
    return {key_factor * bits // 8: f"{cipher}-{bits}-{mode}" for bits in (128, 192, 256)}


SETS: Mapping[str, Set] = {
    "aead_aes_siv_cmac": Set(_aead, _sizes("aes", "siv", 2)),
    "aegis128L": Set(_aead, {16: "aegis-128l"}),
    "aegis256": Set(_aead, {32: "aegis-256"}),
    "aes_cbc_pkcs5": Set(_cbc, _sizes("aes", "cbc")),
    "aes_ccm": Set(_aead, _sizes("aes", "ccm")),
    "aes_cmac": Set(_mac, _sizes("aes", "cmac")),
    "aes_eax": Set(_aead, _sizes("aes", "eax")),
    "aes_gcm": Set(_aead, _sizes("aes", "gcm")),
    "aes_gcm_siv": Set(_aead, {16: "aes-128-gcm-siv", 32: "aes-256-gcm-siv"}),
    "aes_gmac": Set(_mac, _sizes("aes", "gmac")),
    "aes_xts": Set(_xts, {32: "aes-128-xts", 64: "aes-256-xts"}),
    "aria_cbc_pkcs5": Set(_cbc, _sizes("aria", "cbc")),
    "aria_ccm": Set(_aead, _sizes("aria", "ccm")),
    "aria_cmac": Set(_mac, _sizes("aria", "cmac")),
    "aria_gcm": Set(_aead, _sizes("aria", "gcm")),
    "ascon_sp800_232_aead128": Set(_aead, {16: "ascon-aead128"}),
    "camellia_cbc_pkcs5": Set(_cbc, _sizes("camellia", "cbc")),
    "camellia_ccm": Set(_aead, _sizes("camellia", "ccm")),
    "camellia_cmac": Set(_mac, _sizes("camellia", "cmac")),
    "chacha20_poly1305": Set(_aead, {32: "chacha20-poly1305"}),
    "hmac_sha1": Set(_hmac, {0: "hmac-sha-1"}),
    "hmac_sha224": Set(_hmac, {0: "hmac-sha-224"}),
    "hmac_sha256": Set(_hmac, {0: "hmac-sha-256"}),
    "hmac_sha384": Set(_hmac, {0: "hmac-sha-384"}),
    "hmac_sha3_224": Set(_hmac, {0: "hmac-sha3-224"}),
    "hmac_sha3_256": Set(_hmac, {0: "hmac-sha3-256"}),
    "hmac_sha3_384": Set(_hmac, {0: "hmac-sha3-384"}),
    "hmac_sha3_512": Set(_hmac, {0: "hmac-sha3-512"}),
    "hmac_sha512": Set(_hmac, {0: "hmac-sha-512"}),
    "hmac_sha512_224": Set(_hmac, {0: "hmac-sha-512-224"}),
    "hmac_sha512_256": Set(_hmac, {0: "hmac-sha-512-256"}),
    "hmac_sm3": Set(_hmac, {0: "hmac-sm3"}),
    "kmac128_no_customization": Set(_mac, {0: "kmac-128"}),
    "kmac256_no_customization": Set(_mac, {0: "kmac-256"}),
    "siphash_1_3": Set(_mac, {16: "siphash-1-3"}),
    "siphash_2_4": Set(_mac, {16: "siphash-2-4"}),
    "sm4_ccm": Set(_aead, {16: "sm4-ccm"}),
    "sm4_gcm": Set(_aead, {16: "sm4-gcm"}),
    "xchacha20_poly1305": Set(_aead, {32: "xchacha20-poly1305"}),
}
"""The files of Wycheproof, without ``_test.json``, whose algorithms the catalogue contains."""


def _read(name: str, algorithm: str) -> Iterator[Answer]:
    for row in SETS[name].rows(name, algorithm):
        yield SETS[name].read(row, algorithm, f"{name} tcId {row['test']}")


def _gmac(algorithm: str) -> Iterator[Vector]:
    """Iterate over the tests of GMAC, and those of GCM with an empty message."""
    gcm = (answer for answer in _read("aes_gcm", algorithm.replace("gmac", "gcm")) if isinstance(answer, Vector))
    yield from gmac_vectors(gcm)
    yield from (answer for answer in _read("aes_gmac", algorithm) if isinstance(answer, Vector))


TABLE: Mapping[str, Callable[[], Iterator[Answer]]] = {
    algorithm: partial(_gmac, algorithm) if name == "aes_gmac" else partial(_read, name, algorithm)
    for name, one in SETS.items()
    for algorithm in one.algorithms.values()
}
