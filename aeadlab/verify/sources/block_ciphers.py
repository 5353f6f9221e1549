"""Single blocks of ARIA (RFC 5794, appendix A), Serpent (NESSIE, set 1 vector 0) and Twofish.

Twofish: Schneier et al., "Twofish: A 128-Bit Block Cipher", 1998, appendix B.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from aeadlab.verify.vectors import Vector

_COUNTING = "000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f"
_ARIA_MESSAGE = "00112233445566778899aabbccddeeff"
_TWOFISH_KEY = "0123456789abcdeffedcba9876543210 00112233445566778899aabbccddeeff"
# The key is cut to its length.
_ROWS = {
    "aria-128-ecb": ("RFC 5794", "A.1", _COUNTING, _ARIA_MESSAGE, "d718fbd6ab644c739da95f3be6451778"),
    "aria-192-ecb": ("RFC 5794", "A.2", _COUNTING, _ARIA_MESSAGE, "26449c1805dbe7aa25a468ce263a9e79"),
    "aria-256-ecb": ("RFC 5794", "A.3", _COUNTING, _ARIA_MESSAGE, "f92bd7c79fb72e2f2b8f80c1972d24fc"),
    "serpent-128-ecb": ("NESSIE", "128-bit key", "80" + "00" * 31, "00" * 16, "264e5481eff42a4606abda06c0bfda3d"),
    "serpent-192-ecb": ("NESSIE", "192-bit key", "80" + "00" * 31, "00" * 16, "9e274ead9b737bb21efcfca548602689"),
    "serpent-256-ecb": ("NESSIE", "256-bit key", "80" + "00" * 31, "00" * 16, "a223aa1288463c0e2be38ebd825616c0"),
    "twofish-128-ecb": ("Twofish paper", "128-bit key", "00" * 32, "00" * 16, "9f589f5cf6122c32b6bfec2f2ae8c35a"),
    "twofish-192-ecb": ("Twofish paper", "192-bit key", _TWOFISH_KEY, "00" * 16, "cfd1d2e5a9be9cdf501f13b892bd2248"),
    "twofish-256-ecb": ("Twofish paper", "256-bit key", _TWOFISH_KEY, "00" * 16, "37527be0052334b89f0cfccae87cfa20"),
}


def _block(algorithm: str) -> Iterator[Vector]:
    source, label, key, message, output = _ROWS[algorithm]
    key_bytes = int(algorithm.split("-")[1]) // 8
    yield Vector(
        source,
        label,
        bytes.fromhex(key)[:key_bytes],
        message=bytes.fromhex(message),
        output=bytes.fromhex(output),
    )


TABLE = {algorithm: partial(_block, algorithm) for algorithm in _ROWS}
