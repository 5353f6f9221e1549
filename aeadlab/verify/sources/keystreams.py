"""Keystreams of HC-128 and HC-256, and of ChaCha with 8 and 12 rounds.

HC: Wu, "The Stream Cipher HC-128", LNCS 4986, and "A New Stream Cipher HC-256", FSE 2004, the section of test vectors
in each, where they are little-endian words. ChaCha: draft-strombergson-chacha-test-vectors-01, whose nonces of 8 bytes
go with a counter of 8: they are those of 12 bytes that begin with four zero bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.vectors import Vector

_DRAFT = "draft-strombergson-chacha-test-vectors-01"
# Source, label, then key, nonce and keystream; key and nonce may leave out zero bytes at the end.
_ROWS = {
    "hc-128": (
        (
            *("Wu", "HC-128, all zero", "", ""),
            "82001573a003fd3b7fd72ffb0eaf63aa c62f12deb629dca72785a66268ec758b"
            "1edb36900560898178e0ad009abf1f49 1330dc1c246e3d6cb264f6900271d59c",
        ),
        (
            *("Wu", "HC-128, nonce 1", "", "01"),
            "d59318c058e9dbb798ec658f04661764 2467fc36ec6e2cc8a7381c1b952ab4c9"
            "23f13e328b906a0a687b75cebbf7149f 11e0cde43f17b5ae948c6089ca46cfb5",
        ),
        (
            *("Wu", "HC-128, key 0x55", "55", ""),
            "a45182510a93b40431f92ab032f03906 7aa4b4bc0b482257729ff92b66e5c0cd"
            "560c0f31e883ccd3efb83d667fe0df62 90173e599caacec56f8003aba0e5a6c9",
        ),
    ),
    "hc-256": (
        (
            *("Wu", "HC-256, all zero", "", ""),
            "5b078985d8f6f30d42c5c02fa6b67951 53f06534801f89f24e74248b720b4818",
        ),
        (
            *("Wu", "HC-256, nonce 1", "", "01"),
            "afe2a2bf4f17cee9fec2058bd1b18bb1 5fc042ee712b3101dd501fc60b082a50",
        ),
        (
            *("Wu", "HC-256, key 0x55", "55", ""),
            "1c404afe4fe25fed958f9ad1ae36c06f 88a65a3cc0abe223aeb3902f420ed3a8",
        ),
    ),
    "chacha8": (
        (
            *(_DRAFT, "TC1, 8 rounds", "", ""),
            "3e00ef2f895f40d67f5bb8e81f09a5a1 2c840ec3ce9a7f3b181be188ef711a1e"
            "984ce172b9216f419f445367456d5619 314a42a3da86b001387bfdb80e0cfe42"
            "d2aefa0deaa5c151bf0adb6c01f2a5ad c0fd581259f9a2aadcf20f8fd566a26b"
            "5032ec38bbc5da98ee0c6f568b872a65 a08abf251deb21bb4b56e5d8821e68aa",
        ),
        (
            *(_DRAFT, "TC8, 8 rounds"),
            *("c46ec1b18ce8a878725a37e780dfb735 1f68ed2e194c79fbc6aebee1a667975d", "000000001ada31d5cf688221"),
            "838751b42d8ddd8a3d77f48825a2ba75 2cf4047cb308a5978ef274973be374c9"
            "6ad848065871417b08f034e681fe46a9 3f7d5c61d1306614d4aaf257a7cff08b"
            "16f2fda170cc18a4b58a2667ed962774 af792a6e7f3c77992540711a7a136d7e"
            "8a2f8d3f93816709d45a3fa5f8ce72fd e15be7b841acba3a2abd557228d9fe4f",
        ),
    ),
    "chacha12": (
        (
            *(_DRAFT, "TC1, 12 rounds", "", ""),
            "9bf49a6a0755f953811fce125f2683d5 0429c3bb49e074147e0089a52eae155f"
            "0564f879d27ae3c02ce82834acfa8c79 3a629f2ca0de6919610be82f411326be",
        ),
    ),
}
_BYTES = {"hc-128": (16, 16), "hc-256": (32, 32), "chacha8": (32, 12), "chacha12": (32, 12)}


def _keystreams(algorithm: str) -> Iterator[Vector]:
    key_bytes, nonce_bytes = _BYTES[algorithm]
    for source, label, key, nonce, keystream in _ROWS[algorithm]:
        output = bytes.fromhex(keystream)
        yield Vector(
            source,
            label,
            bytes.fromhex(key).ljust(key_bytes, b"\0"),
            bytes.fromhex(nonce).ljust(nonce_bytes, b"\0"),
            message=bytes(len(output)),
            output=output,
        )


TABLE = {algorithm: partial(_keystreams, algorithm) for algorithm in _ROWS}
