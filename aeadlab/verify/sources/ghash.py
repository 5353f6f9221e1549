"""GHASH alone: the example of RFC 8452 appendix A, and two of the GCM submission to NIST.

The GCM submission is McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test cases 2 and 4;
its length block is the last block of each message here.
"""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.verify.vectors import Vector

_ROWS = (
    (
        "RFC 8452",
        "appendix A",
        "25629347589242761d31f826ba4b757b",
        "4f4f95668c83dfb6401762bb2d01a262 d1a24ddd2721d006bbe45f20d3c9f362",
        "bd9b3997046731fb96251b91f9c99d7a",
    ),
    (
        "GCM submission",
        "test case 2",
        "66e94bd4ef8a2c3b884cfa59ca342b2e",
        "0388dace60b6a392f328c2b971b2fe78 00000000000000000000000000000080",
        "f38cbb1ad69223dcc3457ae5b6b0f885",
    ),
    (
        "GCM submission",
        "test case 4",
        "b83b533708bf535d0aa6e52980d53b78",
        "feedfacedeadbeeffeedfacedeadbeef abaddad2000000000000000000000000"
        "42831ec2217774244b7221b784d0d49c e3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa05 1ba30b396a0aac973d58e09100000000"
        "00000000000000a000000000000001e0",
        "698e57f70e6ecc7fd9463b7260a9ae5f",
    ),
)


def _ghash() -> Iterator[Vector]:
    for source, label, key, message, digest in _ROWS:
        data, output = bytes.fromhex(message), bytes.fromhex(digest)
        yield Vector(source, label, bytes.fromhex(key), message=data, output=output, tag_bytes=16)


TABLE = {"ghash": _ghash}
