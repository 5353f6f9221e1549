"""Vectors of the NIST Cryptographic Algorithm Validation Program, from the PyPI package cryptography-vectors.

The Monte Carlo files are omitted, because they repeat the same code paths. CFB feeds back full blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from aeadlab.verify.sources.files import (
    CAVP_3DES,
    CAVP_AES,
    CAVP_DES,
    degenerate,
    field_bytes,
    fields_bytes,
    labelled_records,
    three_keys,
)
from aeadlab.verify.vectors import Answer, Vector, gmac_vectors

_SOURCE = "NIST CAVP"
_PACKAGE = "cryptography_vectors"


def _gcm(path: str) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path):
        key, nonce, aad, message, ciphertext, tag = fields_bytes(record, "key", "iv", "aad", "pt", "ct", "tag")
        valid = "fail" not in record
        yield Vector(_SOURCE, label, key, nonce, aad, message, ciphertext + tag, len(tag), valid)


def _gmac(path: str) -> Iterator[Vector]:
    return gmac_vectors(_gcm(path))


def _ccm(path: str) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path):
        key, nonce, aad, message, output = fields_bytes(record, "key", "nonce", "adata", "payload", "ct")
        # The file represents an empty field as one zero byte.
        aad, message = aad[: int(record["alen"])], message[: int(record["plen"])]
        valid = not record.get("result", "Pass").startswith("Fail")
        yield Vector(_SOURCE, label, key, nonce, aad, message, output, int(record["tlen"]), valid)


def _block(path: str) -> Iterator[Vector]:
    """Read the encrypt and the decrypt section of a block cipher in a mode, for messages of full blocks."""
    for record, label in labelled_records(_PACKAGE, path):
        key, (iv, message, output) = three_keys(record), fields_bytes(record, "iv", "plaintext", "ciphertext")
        # The path distinguishes 3DES from AES-192, which has the same key length.
        weak = "3DES" in path and degenerate(key)
        yield Vector(_SOURCE, label, key, iv, b"", message, output, weak_key=weak)


def _single_des(path: str) -> Iterator[Vector]:
    """Read the answers of Triple-DES whose three keys are equal, which is DES."""
    for record, label in labelled_records(_PACKAGE, path):
        iv, message, output = fields_bytes(record, "iv", "plaintext", "ciphertext")
        yield Vector(_SOURCE, label, three_keys(record)[:8], iv, b"", message, output)


def _xts(path: str) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path):
        key, tweak, message, output = fields_bytes(record, "key", "i", "pt", "ct")
        # Data units with a fraction of a byte are not supported.
        if int(record["dataunitlen"]) == 8 * len(message):
            yield Vector(_SOURCE, label, key, tweak, b"", message, output)


def _hash(path: str) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path, "len"):
        digest = field_bytes(record, "md")
        message = field_bytes(record, "msg")[: int(record["len"]) // 8]
        yield Vector(_SOURCE, label, message=message, output=digest, tag_bytes=len(digest))


def _shake(path: str) -> Iterator[Vector]:
    variable = "VariableOut" in path
    for record, label in labelled_records(_PACKAGE, path, "count" if variable else "len"):
        message, output = field_bytes(record, "msg"), field_bytes(record, "output")
        if not variable:
            message = message[: int(record["len"]) // 8]
        yield Vector(_SOURCE, label, message=message, output=output, tag_bytes=len(output), extendable=True)


def _rows() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    def of(reader: Callable[[str], Iterator[Answer]], *paths: str) -> Callable[[], Iterator[Answer]]:
        return lambda: chain.from_iterable(map(reader, paths))

    for bits in (128, 192, 256):
        aes = f"aes-{bits}"
        gcm = [f"ciphers/AES/GCM/gcm{name}{bits}.rsp" for name in ("EncryptExtIV", "Decrypt")]
        yield f"{aes}-gcm", of(_gcm, *gcm)
        yield f"{aes}-gmac", of(_gmac, *gcm)
        ccm = (f"ciphers/AES/CCM/{name}{bits}.rsp" for name in ("DVPT", "VADT", "VNT", "VPT", "VTT"))
        yield f"{aes}-ccm", of(_ccm, *ccm)
        for mode, prefix in (("CBC", "CBC"), ("CFB", "CFB128"), ("ECB", "ECB"), ("OFB", "OFB")):
            paths = (f"ciphers/AES/{mode}/{prefix}{kind}{bits}.rsp" for kind in CAVP_AES)
            yield f"{aes}-{mode.lower()}", of(_block, *paths)
    for bits in (128, 256):
        yield f"aes-{bits}-xts", of(_xts, f"ciphers/AES/XTS/tweak-128hexstr/XTSGenAES{bits}.rsp")
    for mode, prefix in (("CBC", "TCBC"), ("CFB", "TCFB64"), ("ECB", "TECB"), ("OFB", "TOFB")):
        yield f"3des-{mode.lower()}", of(_block, *(f"ciphers/3DES/{mode}/{prefix}{kind}.rsp" for kind in CAVP_3DES))
        yield f"des-{mode.lower()}", of(_single_des, *(f"ciphers/3DES/{mode}/{prefix}{kind}.rsp" for kind in CAVP_DES))
    for name, folder, file in (
        ("sha-1", "SHA1", "SHA1"),
        ("sha-224", "SHA2", "SHA224"),
        ("sha-256", "SHA2", "SHA256"),
        ("sha-384", "SHA2", "SHA384"),
        ("sha-512", "SHA2", "SHA512"),
        ("sha-512-224", "SHA2", "SHA512_224"),
        ("sha-512-256", "SHA2", "SHA512_256"),
        ("sha3-224", "SHA3", "SHA3_224"),
        ("sha3-256", "SHA3", "SHA3_256"),
        ("sha3-384", "SHA3", "SHA3_384"),
        ("sha3-512", "SHA3", "SHA3_512"),
    ):
        yield name, of(_hash, *(f"hashes/{folder}/{file}{kind}Msg.rsp" for kind in ("Short", "Long")))
    for bits in (128, 256):
        paths = (f"hashes/SHAKE/SHAKE{bits}{kind}.rsp" for kind in ("ShortMsg", "LongMsg", "VariableOut"))
        yield f"shake-{bits}", of(_shake, *paths)


TABLE = dict(_rows())
