"""NIST's Cryptographic Algorithm Validation Program, from the PyPI package cryptography-vectors.

The Monte Carlo files are left out: they test the same code over again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from aeadlab.verify.sources.files import CAVP_3DES, CAVP_AES, Record, degenerate, octets, records, text
from aeadlab.verify.vectors import Answer, Vector

_SOURCE = "NIST CAVP"
_PACKAGE = "cryptography_vectors"


def _read(path: str, start: str = "count") -> Iterator[tuple[Record, str]]:
    name = path.rpartition("/")[2].removesuffix(".rsp")
    for number, record in enumerate(records(text(_PACKAGE, path), start)):
        yield record, f"{name} record {number}"


def _gcm(path: str) -> Iterator[Vector]:
    for record, label in _read(path):
        tag = octets(record, "tag")
        yield Vector(
            _SOURCE,
            label,
            octets(record, "key"),
            octets(record, "iv"),
            octets(record, "aad"),
            octets(record, "pt"),
            octets(record, "ct") + tag,
            len(tag),
            valid="fail" not in record,
        )


def _gmac(path: str) -> Iterator[Vector]:
    for v in _gcm(path):
        if len(v.output) == v.tag_bytes:
            yield Vector(v.source, v.label, v.key, v.nonce, b"", v.aad, v.output, v.tag_bytes, v.valid)


def _ccm(path: str) -> Iterator[Vector]:
    for record, label in _read(path):
        # An empty field is written as one zero byte.
        message = octets(record, "payload")[: int(record["plen"])]
        yield Vector(
            _SOURCE,
            label,
            octets(record, "key"),
            octets(record, "nonce"),
            octets(record, "adata")[: int(record["alen"])],
            message,
            octets(record, "ct"),
            int(record["tlen"]),
            valid=not record.get("result", "Pass").startswith("Fail"),
        )


def _block(path: str) -> Iterator[Vector]:
    """A block cipher in a mode, for messages of whole blocks; both the encrypt and the decrypt section."""
    for record, label in _read(path):
        message, output = octets(record, "plaintext"), octets(record, "ciphertext")
        key = _key(record)
        # The key of AES-192 is as long as that of 3DES.
        weak = "3DES" in path and degenerate(key)
        yield Vector(_SOURCE, label, key, octets(record, "iv"), b"", message, output, weak_key=weak)


def _key(record: Record) -> bytes:
    """AES has one key; the three keys of 3DES are stated each, or once for all."""
    if "keys" in record:
        return octets(record, "keys") * 3
    return octets(record, "key") or b"".join(octets(record, f"key{i}") for i in (1, 2, 3))


def _xts(path: str) -> Iterator[Vector]:
    for record, label in _read(path):
        message = octets(record, "pt")
        # Some data units end within a byte.
        if int(record["dataunitlen"]) == 8 * len(message):
            yield Vector(_SOURCE, label, octets(record, "key"), octets(record, "i"), b"", message, octets(record, "ct"))


def _hash(path: str) -> Iterator[Vector]:
    for record, label in _read(path, "len"):
        digest = octets(record, "md")
        message = octets(record, "msg")[: int(record["len"]) // 8]
        yield Vector(_SOURCE, label, message=message, output=digest, tag_bytes=len(digest))


def _shake(path: str) -> Iterator[Vector]:
    variable = "VariableOut" in path
    for record, label in _read(path, "count" if variable else "len"):
        message, output = octets(record, "msg"), octets(record, "output")
        if not variable:
            message = message[: int(record["len"]) // 8]
        yield Vector(_SOURCE, label, message=message, output=output, tag_bytes=len(output), extendable=True)


def _table() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    def of(reader: Callable[[str], Iterator[Answer]], *paths: str) -> Callable[[], Iterator[Answer]]:
        return lambda: chain.from_iterable(map(reader, paths))

    for bits in (128, 192, 256):
        aes = f"aes-{bits}"
        gcm = [f"ciphers/AES/GCM/gcm{name}{bits}.rsp" for name in ("EncryptExtIV", "Decrypt")]
        yield f"{aes}-gcm", of(_gcm, *gcm)
        yield f"{aes}-gmac", of(_gmac, *gcm)
        ccm = (f"ciphers/AES/CCM/{name}{bits}.rsp" for name in ("DVPT", "VADT", "VNT", "VPT", "VTT"))
        yield f"{aes}-ccm", of(_ccm, *ccm)
        for mode in ("CBC", "ECB", "OFB"):
            paths = (f"ciphers/AES/{mode}/{mode}{kind}{bits}.rsp" for kind in CAVP_AES)
            yield f"{aes}-{mode.lower()}", of(_block, *paths)
    for bits in (128, 256):
        yield f"aes-{bits}-xts", of(_xts, f"ciphers/AES/XTS/tweak-128hexstr/XTSGenAES{bits}.rsp")
    for mode in ("CBC", "ECB"):
        yield f"3des-{mode.lower()}", of(_block, *(f"ciphers/3DES/{mode}/T{mode}{k}.rsp" for k in CAVP_3DES))
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


TABLE = dict(_table())
