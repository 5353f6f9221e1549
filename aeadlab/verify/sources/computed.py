"""Known answers computed from definitions, mostly of modes over ciphers with published vectors.

A row of ``computed.csv`` of this folder is a digest over the outputs for a series of messages. It verifies a library
whose peers are not installed. ``tests/verify/test_computed.py`` computes every row from the definitions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial

from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.verify.cases import Case, message, pseudorandom
from aeadlab.verify.sources.files import Record, table
from aeadlab.verify.vectors import Answer, Procedure

LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 1024, 9001)
"""Message lengths in bytes, reduced to full blocks."""

_AAD_MODULUS = 37


def cases(d: Description) -> Iterator[Case]:
    """Iterate over the messages of a row, each with its own key."""
    for length in LENGTHS:
        yield Case(
            pseudorandom(f"computed key {length}", d.key_bytes),
            pseudorandom(f"computed nonce {length}", d.nonce_bytes),
            pseudorandom(f"computed aad {length}", length % _AAD_MODULUS if d.kind == "aead" else 0),
            message(length - length % d.block_bytes),
        )


def rows() -> tuple[Record, ...]:
    """Return the rows: algorithm, digest in hexadecimal, and the libraries that produce it."""
    return table("computed.csv")


def _run(implementation: Implementation) -> bytes:
    digest = hashlib.sha256()
    for case in cases(implementation.description):
        digest.update(case.output(implementation))
    return digest.digest()


def _answer(row: Record) -> Iterator[Answer]:
    by = row["libraries"] or "the definition"
    yield Procedure("computed", f"{len(LENGTHS)} answers, by {by}", _run, bytes.fromhex(row["sha_256"]))


TABLE = {row["algorithm"]: partial(_answer, row) for row in rows()}
