"""CFB (whole blocks fed back) and OFB of block ciphers, as collected in the PyPI package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aeadlab.verify.sources.files import CAVP_3DES, CAVP_AES, degenerate, octets, records, text
from aeadlab.verify.vectors import Answer, Vector

_PACKAGE = "cryptography_vectors"


def _read(source: str, key_bytes: int, *paths: str) -> Iterator[Vector]:
    for path in paths:
        name = path.rpartition("/")[2].rpartition(".")[0]
        for number, record in enumerate(records(text(_PACKAGE, path))):
            # 3DES has three keys, stated each or once for all.
            key = octets(record, "key") or b"".join(octets(record, f"key{i}") for i in (1, 2, 3))
            key = key or octets(record, "keys") * 3
            message, output = octets(record, "plaintext"), octets(record, "ciphertext")
            # The key of AES-192 is as long as that of 3DES.
            weak = "3DES" in path and degenerate(key)
            label, nonce = f"{name} record {number}", octets(record, "iv")
            if len(key) == key_bytes:
                yield Vector(source, label, key, nonce, b"", message, output, weak_key=weak)


def _rows() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    for bits in (128, 192, 256):
        cfb = (f"ciphers/AES/CFB/CFB128{kind}{bits}.rsp" for kind in CAVP_AES)
        yield f"aes-{bits}-cfb", partial(_read, "NIST CAVP", bits // 8, *cfb)
        for mode in ("cfb", "ofb"):
            path = f"ciphers/Camellia/camellia-{mode}.txt"
            yield f"camellia-{bits}-{mode}", partial(_read, "OpenSSL", bits // 8, path)
    for mode, prefix in (("cfb", "TCFB64"), ("ofb", "TOFB")):
        paths = (f"ciphers/3DES/{mode.upper()}/{prefix}{kind}.rsp" for kind in CAVP_3DES)
        yield f"3des-{mode}", partial(_read, "NIST CAVP", 24, *paths)
        draft = "draft-ribose-cfrg-sm4-10"
        yield f"sm4-{mode}", partial(_read, draft, 16, f"ciphers/SM4/{draft}-{mode}.txt")


TABLE = dict(_rows())
