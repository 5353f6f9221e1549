"""Appearance of each implementation, the same in every figure: colour, hatch, marker and line style.

Colour and hatch depend on the library, marker and line style also on the algorithm.

The colours start from Okabe and Ito's set for colour-blind readers [1]_ and are moved along lightness so that they
also differ when printed in grey: each is at least 8 units of CIE L* from its neighbour. Libraries beyond the eight
colours repeat one with a hatch.

.. [1] M. Okabe and K. Ito, *Color Universal Design*, 2008, https://jfly.uni-koeln.de/color/.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

Line: TypeAlias = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Appearance:
    """Hexadecimal colour of an implementation, and Matplotlib's names of its hatch, marker and line style."""

    colour: str
    hatch: str
    marker: str
    line: Line


_INK: Final = "#2B2B2B"
_BLUE: Final = "#015688"
_VERMILLION: Final = "#B44F01"
_GREEN: Final = "#04996F"
_PURPLE: Final = "#E779B8"
_ORANGE: Final = "#F2A806"
_SKY: Final = "#97D5FF"
_YELLOW: Final = "#F5EA08"

COLOURS: Final = (_INK, _BLUE, _VERMILLION, _GREEN, _PURPLE, _ORANGE, _SKY, _YELLOW)
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")
LINES: Final[tuple[Line, ...]] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))

# Colour, hatch, and the index of the library's first marker. The libraries of the main paper and of its Python
# counterparts have plain colours.
LIBRARIES: Final[dict[str, tuple[str, str, int]]] = {
    "baseline": (_INK, "", 0),
    "openssl": (_BLUE, "", 1),
    "rustcrypto": (_VERMILLION, "", 2),
    "aeadlab": (_GREEN, "", 3),
    "blake3": (_PURPLE, "", 4),
    "cryptopp": (_ORANGE, "", 5),
    "pyca": (_SKY, "", 6),
    "pycryptodome": (_YELLOW, "", 7),
    "aws-lc": (_BLUE, "////", 8),
    "boringssl": (_GREEN, "////", 9),
    "ring": (_VERMILLION, "////", 10),
    "blake3-py": (_PURPLE, "////", 11),
    "libaegis": (_ORANGE, "////", 12),
    "libsodium": (_SKY, "////", 0),
    "pynacl": (_YELLOW, "////", 1),
    "numba": (_INK, "////", 2),
    "openssl-system": (_BLUE, "xxxx", 3),
    "graviola": (_VERMILLION, "xxxx", 4),
    "botan": (_GREEN, "xxxx", 5),
    "libgcrypt": (_PURPLE, "xxxx", 6),
    "nettle": (_ORANGE, "xxxx", 7),
    "mbedtls": (_SKY, "xxxx", 8),
    "wolfssl": (_YELLOW, "xxxx", 9),
    "hashlib": (_INK, "xxxx", 10),
    "xxhash-rust": (_BLUE, "----", 11),
    "crc32c": (_VERMILLION, "----", 12),
    "hiae": (_GREEN, "----", 0),
    "rocca": (_PURPLE, "----", 1),
    "rijndael": (_ORANGE, "----", 2),
    "blake3-rayon": (_SKY, "----", 3),
    "twox-hash": (_YELLOW, "----", 4),
    "libtomcrypt": (_INK, "----", 5),
}

# The index of an algorithm is added to that of the library's first marker, so that algorithms of one library differ,
# and so do libraries of one algorithm. Append only: an insertion would change existing figures.
ALGORITHMS: Final = (
    "aes-256-gcm", "aes-128-gcm", "chacha20-poly1305", "xchacha20-poly1305", "aes-256-ctr+blake3", "aes-256-gmac",
    "ghash", "blake3", "memcpy", "xor", "delay", "aes-192-gcm", "aes-256-gcm-siv", "aes-128-gcm-siv", "aes-256-ocb",
    "aes-256-ccm", "aes-256-eax", "aes-256-siv", "ascon-aead128", "aegis-128l", "aegis-128x2", "aegis-128x4",
    "aegis-256", "aegis-256x2", "aegis-256x4", "aes-128-ctr", "aes-256-ctr", "chacha20", "salsa20", "arc4", "hc-128",
    "sha-256", "sha-512", "sha3-256", "blake2b", "blake2s", "poly1305", "hmac-sha-256",
    "aes-256-gcm.reused", "chacha20-poly1305.reused", "copy", "copy-stream",
)  # fmt: skip

_EXTERNAL_HATCHES: Final = ("....", "oooo", "++++", "\\\\\\\\")


def appearance_of(implementation: str) -> Appearance:
    """Return the appearance of an implementation.

    Known libraries and algorithms have fixed entries. For external ones the appearance follows from a hash of the
    name, with hatches that no known library has, so that they cannot be confused with a known library.
    """
    library, _, algorithm = implementation.partition("/")
    known = LIBRARIES.get(library)
    if known is None:
        number = _number(library)
        number, colour = divmod(number, len(COLOURS))
        number, hatch = divmod(number, len(_EXTERNAL_HATCHES))
        known = COLOURS[colour], _EXTERNAL_HATCHES[hatch], number % len(MARKERS)
    shift = ALGORITHMS.index(algorithm) if algorithm in ALGORITHMS else _number(algorithm)
    turns, step = divmod(shift, len(MARKERS))
    return Appearance(known[0], known[1], MARKERS[(known[2] + step) % len(MARKERS)], LINES[turns % len(LINES)])


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")
