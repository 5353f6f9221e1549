"""Project Wycheproof again: tests of ``wycheproof_v1.csv`` beside this file, which states its source."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache, partial

from aeadlab.verify.sources.files import text
from aeadlab.verify.vectors import Vector


@cache
def _rows() -> tuple[dict[str, str], ...]:
    lines = (line for line in text(__package__, "wycheproof_v1.csv").splitlines() if not line.startswith("#"))
    return tuple(csv.DictReader(lines))


def _read(algorithm: str) -> Iterator[Vector]:
    for row in _rows():
        if row["algorithm"] == algorithm:
            fields = ("key", "nonce", "ad", "message", "ciphertext", "tag")
            key, nonce, ad, message, ciphertext, tag = (bytes.fromhex(row[field]) for field in fields)
            yield Vector("Wycheproof", row["label"], key, nonce, ad, message, ciphertext + tag, len(tag))


TABLE = {name: partial(_read, name) for name in dict.fromkeys(row["algorithm"] for row in _rows())}
