"""Answers that nobody published but several libraries give: mostly modes over ciphers that have answers of their own.

A row of ``computed.csv`` beside this file is one digest over the answers to a run of messages, so that a library can
be verified where none of those that agree with it is there. ``tests/verify/test_computed.py`` computes every row again
from the definitions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial

from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.verify.cases import Case, message, octets
from aeadlab.verify.sources.files import Record, table
from aeadlab.verify.vectors import Answer, Procedure

LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 1024, 9001)
"""Message lengths in bytes, which are cut to whole blocks."""

_AAD_LENGTHS = 37


def cases(d: Description) -> Iterator[Case]:
    """The messages of an algorithm's row, each with another key."""
    for length in LENGTHS:
        yield Case(
            octets(f"computed key {length}", d.key_bytes),
            octets(f"computed nonce {length}", d.nonce_bytes),
            octets(f"computed aad {length}", length % _AAD_LENGTHS if d.kind == "aead" else 0),
            message(length - length % d.block_bytes),
        )


def rows() -> tuple[Record, ...]:
    """For each algorithm its digest in hexadecimal, and the libraries that gave it."""
    return table("computed.csv")


def _run(implementation: Implementation) -> bytes:
    digest = hashlib.sha256()
    for case in cases(implementation.description):
        digest.update(case.answer(implementation))
    return digest.digest()


def _answer(row: Record) -> Iterator[Answer]:
    by = row["libraries"] or "the definition"
    yield Procedure("computed", f"{len(LENGTHS)} answers, by {by}", _run, bytes.fromhex(row["sha_256"]))


TABLE = {row["algorithm"]: partial(_answer, row) for row in rows()}
