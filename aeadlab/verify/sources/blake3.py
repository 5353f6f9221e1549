"""Vectors of the BLAKE3 team in ``blake3.csv`` of this folder, which states their source."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.sources.files import table
from aeadlab.verify.vectors import Vector

_KEY = b"whats the Elvish word for friend"
_PATTERN = bytes(range(251))


def _read(column: str, key: bytes) -> Iterator[Vector]:
    for row in table("blake3.csv"):
        length = int(row["input_len"])
        message = (_PATTERN * (length // len(_PATTERN) + 1))[:length]
        digest = bytes.fromhex(row[column])
        label = f"{length} bytes"
        yield Vector("BLAKE3 team", label, key, message=message, output=digest, tag_bytes=32, extendable=True)


TABLE = {"blake3": partial(_read, "hash", b""), "blake3-keyed": partial(_read, "keyed_hash", _KEY)}
