"""Published answers that no package ships, as facts in ``answers.csv`` beside this file, each row with its source.

Ciphers of competitions (AES, NESSIE, eSTREAM, CAESAR, NIST's lightweight cryptography), of RFCs, drafts and national
standards. Where their shape is not the catalogue's:

- ChaCha and HC with a shorter nonce, ChaCha with a counter of 64 bits: with zero bytes in the place of what is missing.
- GOST R 34.13-2015 has a shift register of several blocks in CBC, CFB and OFB. Such a message is that many plain ones
  laced together, each with its own block of the initial value. The MACs are those before they are cut in half.
- RFC 6986 prints messages and digests of Streebog with the last byte first, the HC papers print little-endian words:
  here they are bytes of a string.
- The length block of the GCM submission's examples of GHASH is the last block of each message.
- SM4 in XTS is that of IEEE 1619, which OpenSSL published; GB/T 17964 defines another.
- KT128 and KMAC are without customisation string.
- Twofish: Schneier and others, "Twofish: A 128-Bit Block Cipher", 1998. Wu: "The Stream Cipher HC-128", LNCS 4986, and
  "A New Stream Cipher HC-256", FSE 2004. Poly1305-AES: Bernstein, FSE 2005; its key is k, then r. NSRI: "ARIA test
  vectors". SipHash: ``vectors.h`` of its authors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.sources.files import table
from aeadlab.verify.vectors import Answer, Procedure, Vector

_LONGEST_HMAC_KEY = 64
"""Bytes that the key of an HMAC may grow to: the block of the smallest hash (RFC 2104 section 2)."""
# "ecb_tbl.txt" of Twofish's submission to NIST, I=48: each block encrypts the last ciphertext under the two before it.
_TWOFISH_ROUNDS = 48
_TWOFISH = {
    128: "6b459286f3ffd28d49f15b1581b08e42",
    192: "f0ab73301125fa21ef70be5385fb76b6",
    256: "431058f4dbc7f734da4f02f04cc4f459",
}


def _octets(field: str) -> bytes:
    period, repeated, length = field.partition("@")
    return bytes(islice(cycle(bytes.fromhex(period)), int(length))) if repeated else bytes.fromhex(period)


def _read(algorithm: str) -> Iterator[Answer]:
    grows = _LONGEST_HMAC_KEY if algorithm.startswith("hmac-") else 0
    for row in table("answers.csv"):
        if row["algorithm"] == algorithm:
            yield Vector(
                row["source"],
                row["label"],
                _octets(row["key"]),
                _octets(row["nonce"]),
                _octets(row["aad"]),
                _octets(row["message"]),
                _octets(row["output"]),
                int(row["tag_bytes"] or 0),
                offset=int(row["offset"] or 0),
                key_grows_to=grows,
            )


def _iterate(key_bytes: int, cipher: Implementation) -> bytes:
    earlier, later, block = bytes(16), bytes(16), bytes(16)
    for _ in range(_TWOFISH_ROUNDS):
        output = cipher.encrypt((later + earlier)[:key_bytes], b"", block)
        earlier, later, block = later, block, output
    return block


def _twofish(bits: int) -> Iterator[Answer]:
    yield from _read(f"twofish-{bits}-ecb")
    run = partial(_iterate, bits // 8)
    yield Procedure("Twofish authors", "ecb_tbl, iterated", run, bytes.fromhex(_TWOFISH[bits]))


def _table() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    for algorithm in dict.fromkeys(row["algorithm"] for row in table("answers.csv")):
        yield algorithm, partial(_read, algorithm)
    for bits in _TWOFISH:
        yield f"twofish-{bits}-ecb", partial(_twofish, bits)


TABLE = dict(_table())
