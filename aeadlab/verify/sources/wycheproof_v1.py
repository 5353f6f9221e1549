"""Further vectors of Project Wycheproof in ``wycheproof_v1.csv`` of this folder, which states their source."""

from __future__ import annotations

from aeadlab.verify.sources.files import Record, fields_bytes, vectors_by_algorithm
from aeadlab.verify.vectors import Vector


def _vector(row: Record) -> Vector:
    key, nonce, ad, message, ciphertext, tag = fields_bytes(row, "key", "nonce", "ad", "message", "ciphertext", "tag")
    return Vector("Wycheproof", row["label"], key, nonce, ad, message, ciphertext + tag, len(tag))


TABLE = vectors_by_algorithm("wycheproof_v1.csv", _vector)
