"""Test vectors of Internet-Drafts for AEADs and MACs, as facts in ``drafts.csv`` beside this file, which states them.

The tags of 32 bytes are algorithms of their own, ``aegis-128l-tag256`` and so on, because an implementation has one
length. Where AEGIS-128L encrypts zeros without associated data, its ciphertext is a generator's output.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.sources.files import table
from aeadlab.verify.vectors import Vector

_DRAFTS = {
    "aegis": "draft-irtf-cfrg-aegis-aead",
    "hiae": "draft-pham-cfrg-hiae",
    "rocca-s": "draft-nakano-rocca-s-05",
}


def _read(algorithm: str) -> Iterator[Vector]:
    for row in table("drafts.csv"):
        if row["algorithm"] == algorithm:
            tag = bytes.fromhex(row["tag"])
            yield Vector(
                _DRAFTS[row["draft"]],
                row["label"],
                bytes.fromhex(row["key"]),
                bytes.fromhex(row["nonce"]),
                bytes.fromhex(row["ad"]),
                bytes.fromhex(row["msg"]),
                bytes.fromhex(row["ct"]) + tag,
                len(tag),
                valid=row["result"] == "valid",
            )


def _stream() -> Iterator[Vector]:
    for v in _read("aegis-128l"):
        if v.message and not any(v.message) and not v.aad and v.valid:
            yield Vector(v.source, v.label, v.key, v.nonce, message=v.message, output=v.output[: -v.tag_bytes])


TABLE = {name: partial(_read, name) for name in dict.fromkeys(row["algorithm"] for row in table("drafts.csv"))} | {
    "aegis-128l-stream": _stream
}
