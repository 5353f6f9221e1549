"""Blowfish and CAST5, as collected in the PyPI package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.sources.files import octets, records, text
from aeadlab.verify.vectors import Vector

_KEY = 16


def _read(source: str, path: str, cycles: bool) -> Iterator[Vector]:
    name = path.rpartition("/")[2].removesuffix(".txt")
    for number, record in enumerate(records(text("cryptography_vectors", f"ciphers/{path}"))):
        key = octets(record, "key")
        # Blowfish takes the bytes of its key over and over, so twice a key is the same key.
        if cycles and 2 * len(key) == _KEY:
            key *= 2
        if len(key) == _KEY:
            message, output = octets(record, "plaintext"), octets(record, "ciphertext")
            yield Vector(source, f"{name} record {number}", key, octets(record, "iv"), b"", message, output)


TABLE = {
    f"{name}-128-{mode}": partial(_read, source, f"{folder}/{prefix}-{mode}.txt", cycles)
    for name, folder, prefix, source_ecb, others, cycles in (
        ("blowfish", "Blowfish", "bf", "Schneier", "Schneier", True),
        ("cast5", "CAST5", "cast5", "RFC 2144", "pyca", False),
    )
    for mode, source in (("ecb", source_ecb), ("cbc", others), ("cfb", others), ("ofb", others))
}
