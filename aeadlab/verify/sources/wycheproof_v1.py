"""Project Wycheproof again: tests of ``wycheproof_v1.csv`` beside this file, which states its source."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.sources.files import table
from aeadlab.verify.vectors import Vector


def _read(algorithm: str) -> Iterator[Vector]:
    for row in table("wycheproof_v1.csv"):
        if row["algorithm"] == algorithm:
            fields = ("key", "nonce", "ad", "message", "ciphertext", "tag")
            key, nonce, ad, message, ciphertext, tag = (bytes.fromhex(row[field]) for field in fields)
            yield Vector("Wycheproof", row["label"], key, nonce, ad, message, ciphertext + tag, len(tag))


TABLE = {name: partial(_read, name) for name in dict.fromkeys(row["algorithm"] for row in table("wycheproof_v1.csv"))}
