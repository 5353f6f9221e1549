"""Salsa20 and its relatives: ECRYPT's vectors, one of NaCl, one of the XChaCha draft.

ECRYPT: ``verified.test-vectors`` of the eSTREAM submission, 256-bit keys, the first 64 bytes of a vector's stream.
XSalsa20: Bernstein, "Cryptography in NaCl", section 8. XChaCha20: draft-irtf-cfrg-xchacha-03, appendix A.3.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.vectors import Vector

_DHOLE = (
    b'The dhole (pronounced "dole") is also known as the Asiatic wild dog, red dog, and whistling dog. It is about the '
    b"size of a German shepherd but looks more like a long-legged fox. This highly elusive and skilled jumper is "
    b"classified with wolves, coyotes, jackals, and foxes in the taxonomic family Canidae."
)
# Source, label, key, nonce, message, output.
_ROWS = {
    "salsa20": (
        "ECRYPT",
        "Salsa20 set 1 vector 0",
        "80" + "00" * 31,
        "00" * 8,
        bytes(64),
        "e3be8fdd8beca2e3ea8ef9475b29a6e7 003951e1097a5c38d23b7a5fad9f6844"
        "b22c97559e2723c7cbbd3fe4fc8d9a07 44652a83e72a9c461876af4d7ef1a117",
    ),
    "salsa20-12": (
        "ECRYPT",
        "Salsa20/12 set 1 vector 0",
        "80" + "00" * 31,
        "00" * 8,
        bytes(64),
        "afe411ed1c4e07e4d0cde3b33e31ec19 0fa4cc796a58bafb848ead8d07d02cd2"
        "d4b6f9f30cb0b57007e3733895cc8d10 60107975acaeeb689b6cf614ab64a3d6",
    ),
    "xsalsa20": (
        "NaCl",
        "section 8, first 32 bytes",
        "1b27556473e985d462cd51197a9a46c7 6009549eac6474f206c4ee0844f68389",
        "69696ee955b62b73cd62bda875fc73d6 8219e0036b7a0b37",
        bytes(32),
        "eea6a7251c1e72916d11c2cb214d3c25 2539121d8e234e652d651fa4c8cff880",
    ),
    "xchacha20": (
        "draft-irtf-cfrg-xchacha-03",
        "appendix A.3.2.1",
        "808182838485868788898a8b8c8d8e8f 909192939495969798999a9b9c9d9e9f",
        "404142434445464748494a4b4c4d4e4f 5051525354555658",
        _DHOLE,
        "4559abba4e48c16102e8bb2c05e6947f 50a786de162f9b0b7e592a9b53d0d4e9"
        "8d8d6410d540a1a6375b26d80dace4fa b52384c731acbf16a5923c0c48d3575d"
        "4d0d2c673b666faa731061277701093a 6bf7a158a8864292a41c48e3a9b4c0da"
        "ece0f8d98d0d7e05b37a307bbb663331 64ec9e1b24ea0d6c3ffddcec4f68e744"
        "3056193a03c810e11344ca06d8ed8a2b fb1e8d48cfa6bc0eb4e2464b74814240"
        "7c9f431aee769960e15ba8b96890466e f2457599852385c661f752ce20f9da0c"
        "09ab6b19df74e76a95967446f8d0fd41 5e7bee2a12a114c20eb5292ae7a349ae"
        "577820d5520a1f3fb62a17ce6a7e68fa 7c79111d8860920bc048ef43fe84486c"
        "cb87c25f0ae045f0cce1e7989a9aa220 a28bdd4827e751a24a6d5c62d790a663"
        "93b93111c1a55dd7421a10184974c7c5",
    ),
}


def _cipher(algorithm: str) -> Iterator[Vector]:
    source, label, key, nonce, message, output = _ROWS[algorithm]
    yield Vector(source, label, bytes.fromhex(key), bytes.fromhex(nonce), b"", message, bytes.fromhex(output))


TABLE = {algorithm: partial(_cipher, algorithm) for algorithm in _ROWS}
