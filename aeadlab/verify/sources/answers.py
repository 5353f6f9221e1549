"""Published answers that no package ships, as facts in ``answers.csv`` beside this file, each row with its source.

Ciphers of the competitions (AES, NESSIE, eSTREAM, CAESAR, NIST's lightweight cryptography), of RFCs and drafts. ChaCha
with a nonce of 8 bytes and a counter of 64 bits is ChaCha with four zero bytes before that nonce.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import cycle, islice

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.sources.files import text
from aeadlab.verify.vectors import Answer, Procedure, Vector

_AEADS = ("deoxys-", "ascon-aead128", "sm4-ccm")
_DIGESTS = ("whirlpool", "k12", "polyval")
_TAG = 16
# "ecb_tbl.txt" of Twofish's submission to NIST, I=48: each block encrypts the last ciphertext under the two before it.
_TWOFISH_ROUNDS = 48
_TWOFISH = {
    128: "6b459286f3ffd28d49f15b1581b08e42",
    192: "f0ab73301125fa21ef70be5385fb76b6",
    256: "431058f4dbc7f734da4f02f04cc4f459",
}


@cache
def _rows() -> tuple[dict[str, str], ...]:
    lines = (line for line in text(__package__, "answers.csv").splitlines() if not line.startswith("#"))
    return tuple(csv.DictReader(lines))


def _octets(field: str) -> bytes:
    period, repeated, length = field.partition("@")
    return bytes(islice(cycle(bytes.fromhex(period)), int(length))) if repeated else bytes.fromhex(period)


def _read(algorithm: str) -> Iterator[Answer]:
    for row in _rows():
        if row["algorithm"] == algorithm:
            output = _octets(row["output"])
            tag_bytes = _TAG if algorithm.startswith(_AEADS) else len(output) if algorithm in _DIGESTS else 0
            yield Vector(
                row["source"],
                row["label"],
                _octets(row["key"]),
                _octets(row["nonce"]),
                _octets(row["aad"]),
                _octets(row["message"]),
                output,
                tag_bytes,
                offset=int(row["offset"] or 0),
            )


def _iterate(key_bytes: int, cipher: Implementation) -> bytes:
    earlier, later, block = bytes(16), bytes(16), bytes(16)
    for _ in range(_TWOFISH_ROUNDS):
        output = cipher.encrypt((later + earlier)[:key_bytes], b"", block)
        earlier, later, block = later, block, output
    return block


def _twofish(bits: int) -> Iterator[Answer]:
    run = partial(_iterate, bits // 8)
    yield Procedure("Twofish authors", "ecb_tbl, iterated", run, bytes.fromhex(_TWOFISH[bits]))


def _table() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    for algorithm in dict.fromkeys(row["algorithm"] for row in _rows()):
        yield algorithm, partial(_read, algorithm)
    for bits in _TWOFISH:
        yield f"twofish-{bits}-ecb", partial(_twofish, bits)


TABLE = dict(_table())
