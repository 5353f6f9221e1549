"""Vectors of Blowfish and CAST5, from the PyPI package cryptography-vectors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.sources.files import field_bytes, fields_bytes, labelled_records
from aeadlab.verify.vectors import Vector

_KEY_BYTES = 16


def _read(source: str, path: str, repeats_key: bool) -> Iterator[Vector]:
    for record, label in labelled_records("cryptography_vectors", f"ciphers/{path}"):
        key = field_bytes(record, "key")
        # Blowfish repeats its key to 72 bytes, so a repeated key is equivalent.
        if repeats_key and 2 * len(key) == _KEY_BYTES:
            key *= 2
        if len(key) == _KEY_BYTES:
            iv, message, output = fields_bytes(record, "iv", "plaintext", "ciphertext")
            yield Vector(source, label, key, iv, b"", message, output)


TABLE = {
    f"{name}-128-{mode}": partial(_read, source, f"{folder}/{prefix}-{mode}.txt", repeats_key)
    for name, folder, prefix, source_ecb, others, repeats_key in (
        ("blowfish", "Blowfish", "bf", "Schneier", "Schneier", True),
        ("cast5", "CAST5", "cast5", "RFC 2144", "pyca", False),
    )
    for mode, source in (("ecb", source_ecb), ("cbc", others), ("cfb", others), ("ofb", others))
}
