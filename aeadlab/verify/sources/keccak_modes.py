"""What is built on Keccak's permutation and is no SHA-3: KMAC of NIST's examples, KT128 (KangarooTwelve) of RFC 9861.

KMAC: NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values", KMAC samples 1 and 5, which
have no customisation string. KT128: RFC 9861 section 5, of ptn(n), which is the bytes 00, 01, ..., fa repeated, without
customisation.
"""

from __future__ import annotations

from collections.abc import Iterator

from aeadlab.verify.vectors import Vector

_KEY = bytes(range(0x40, 0x60))
_KT128 = {
    0: "1ac2d450fc3b4205d19da7bfca1b3751 3c0803577ac7167f06fe2ce1f0ef39e5",
    1: "2bda92450e8b147f8a7cb629e784a058 efca7cf7d8218e02d345dfaa65244a1f",
    17: "6bf75fa2239198db4772e36478f8e19b 0f371205f6a9a93a273f51df37122888",
    17**2: "0c315ebcdedbf61426de7dcf8fb725d1 e74675d7f5327a5067f367b108ecb67c",
    17**4: "8701045e22205345ff4dda05555cbb5c 3af1a771c2b89baef37db43d9998b9fe",
    17**5: "844d610933b1b9963cbdeb5ae3b6b05c c7cbd67ceedf883eb678a0a8e0371682",
}


def _kmac_128() -> Iterator[Vector]:
    output = bytes.fromhex("e5780b0d3ea6f7d3a429c5706aa43a00 fadbd7d49628839e3187243f456ee14e")
    yield Vector("NIST examples", "KMAC sample 1", _KEY, message=bytes(range(4)), output=output, tag_bytes=32)


def _kmac_256() -> Iterator[Vector]:
    output = bytes.fromhex(
        "75358cf39e41494e949707927cee0af2 0a3ff553904c86b08f21cc414bcfd691"
        "589d27cf5e15369cbbff8b9a4c2eb178 00855d0235ff635da82533ec6b759b69"
    )
    yield Vector("NIST examples", "KMAC sample 5", _KEY, message=bytes(range(200)), output=output, tag_bytes=64)


def _kt128() -> Iterator[Vector]:
    for length, digest in _KT128.items():
        message = (bytes(range(251)) * (length // 251 + 1))[:length]
        yield Vector("RFC 9861", f"ptn({length})", message=message, output=bytes.fromhex(digest), tag_bytes=32)


TABLE = {"kmac-128": _kmac_128, "kmac-256": _kmac_256, "k12": _kt128}
