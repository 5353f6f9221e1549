"""Published vectors that no package contains, in ``answers.csv`` of this folder, each row with its source.

Ciphers of competitions (AES, NESSIE, eSTREAM, CAESAR, NIST's lightweight cryptography), of RFCs, drafts and national
standards. Where their format differs from that of the catalogue:

- ChaCha and HC with a shorter nonce, ChaCha with a counter of 64 bits: with zero bytes in place of the missing ones.
- GOST R 34.13-2015 has a shift register of several blocks in CBC, CFB and OFB. Such a message consists of as many
  interleaved messages, each with its own block of the initial value. The MACs are those before truncation to half.
- RFC 6986 prints messages and digests of Streebog with the last byte first, and the HC papers print little-endian
  words; the table contains strings of bytes.
- The length block of the GCM submission's examples of GHASH is the last block of each message.
- SM4 in XTS is that of IEEE 1619, which OpenSSL published; GB/T 17964 defines another.
- KT128 and KMAC are without customisation string.
- Twofish: Schneier and others, "Twofish: A 128-Bit Block Cipher", 1998. Wu: "The Stream Cipher HC-128", LNCS 4986, and
  "A New Stream Cipher HC-256", FSE 2004. Poly1305-AES: Bernstein, FSE 2005; its key is k, then r. NSRI: "ARIA test
  vectors". SipHash: ``vectors.h`` of its authors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify.sources.files import Record, vectors_by_algorithm
from aeadlab.verify.vectors import Answer, Procedure, Vector

_MAX_HMAC_KEY_BYTES = 64
"""Length to which zeros may extend the key of an HMAC: the smallest block length of a hash (RFC 2104, section 2)."""
# "ecb_tbl.txt" of the Twofish submission to NIST, I=48: each block encrypts the last ciphertext under the previous two.
_TWOFISH_ROUNDS = 48
_TWOFISH = {
    128: "6b459286f3ffd28d49f15b1581b08e42",
    192: "f0ab73301125fa21ef70be5385fb76b6",
    256: "431058f4dbc7f734da4f02f04cc4f459",
}


def _expand(field: str) -> bytes:
    """Return a field in hexadecimal, which may be written as ``period@length``."""
    period, repeated, length = field.partition("@")
    return bytes(islice(cycle(bytes.fromhex(period)), int(length))) if repeated else bytes.fromhex(period)


def _vector(row: Record) -> Vector:
    key, nonce, aad, message, output = (_expand(row[name]) for name in ("key", "nonce", "aad", "message", "output"))
    tag_bytes, offset = (int(row[name] or 0) for name in ("tag_bytes", "offset"))
    grows_to = _MAX_HMAC_KEY_BYTES if row["algorithm"].startswith("hmac-") else 0
    inputs = (row["source"], row["label"], key, nonce, aad, message)
    return Vector(*inputs, output, tag_bytes, offset=offset, key_grows_to=grows_to)


def _iterate(key_bytes: int, cipher: Implementation) -> bytes:
    earlier, later, block = bytes(16), bytes(16), bytes(16)
    for _ in range(_TWOFISH_ROUNDS):
        output = cipher.encrypt((later + earlier)[:key_bytes], b"", block)
        earlier, later, block = later, block, output
    return block


def _twofish(bits: int) -> Iterator[Answer]:
    yield from _VECTORS[f"twofish-{bits}-ecb"]()
    run = partial(_iterate, bits // 8)
    yield Procedure("Twofish authors", "ecb_tbl, iterated", run, bytes.fromhex(_TWOFISH[bits]))


_VECTORS = vectors_by_algorithm("answers.csv", _vector)
TABLE = {**_VECTORS, **{f"twofish-{bits}-ecb": partial(_twofish, bits) for bits in _TWOFISH}}
