"""Vectors of Internet-Drafts of AEADs and MACs in ``drafts.csv`` of this folder, which states their sources.

An implementation has one tag length, so tags of 32 bytes have algorithm names such as ``aegis-128l-tag256``. Vectors of
AEGIS-128L that encrypt zeros without associated data are also vectors of the generator ``aegis-128l-stream``.
"""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.verify.sources.files import Record, fields_bytes, table, vectors_by_algorithm
from aeadlab.verify.vectors import Vector

_DRAFTS = {"aegis": "draft-irtf-cfrg-aegis-aead", "hiae": "draft-pham-cfrg-hiae", "rocca-s": "draft-nakano-rocca-s-05"}


def _vector(row: Record) -> Vector:
    key, nonce, ad, message, ciphertext, tag = fields_bytes(row, "key", "nonce", "ad", "msg", "ct", "tag")
    valid = row["result"] == "valid"
    return Vector(_DRAFTS[row["draft"]], row["label"], key, nonce, ad, message, ciphertext + tag, len(tag), valid)


def _stream() -> Iterator[Vector]:
    for v in (_vector(row) for row in table("drafts.csv") if row["algorithm"] == "aegis-128l"):
        if v.message and not any(v.message) and not v.aad and v.valid:
            yield Vector(v.source, v.label, v.key, v.nonce, message=v.message, output=v.output[: -v.tag_bytes])


TABLE = {**vectors_by_algorithm("drafts.csv", _vector), "aegis-128l-stream": _stream}
