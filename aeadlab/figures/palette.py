"""Appearance of each library, the same in every figure: colour and marker.

Eleven colours and ink were placed by maximising the smallest distance in CIE L*a*b* between any two, as seen with
normal vision and without one kind of cone, with equal steps of lightness, so that they also differ when printed in
grey; ``tests/figures/test_palette.py`` checks the distances. Libraries that share a colour differ in their marker. Grey
is for what is not emphasised.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, TypeAlias

Line: TypeAlias = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Appearance:
    """Hexadecimal colour of a library, and Matplotlib's names of its marker and line style."""

    colour: str
    marker: str
    line: Line = "-"


INK: Final = "#2A2A2A"
"""Colour of baselines."""

_PLUM: Final = "#671E64"
_INDIGO: Final = "#4821D0"
_BROWN: Final = "#963D22"
_BLUE: Final = "#106AAC"
_ROSE: Final = "#CF3A7A"
_RED: Final = "#FC300F"
_MAGENTA: Final = "#DF53FF"
_GREEN: Final = "#6BB44D"
_TAN: Final = "#D8A794"
_SKY: Final = "#67CEF5"
_LIME: Final = "#CCDC26"

COLOURS: Final = (_PLUM, _INDIGO, _BROWN, _BLUE, _ROSE, _RED, _MAGENTA, _GREEN, _TAN, _SKY, _LIME)
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d")

LIBRARIES: Final[dict[str, tuple[str, str]]] = {
    "aeadlab": (_ROSE, "D"),
    "aws-lc": (_RED, "^"),
    "baseline": (INK, "o"),
    "blake3": (_TAN, "s"),
    "blake3-py": (_TAN, "v"),
    "blake3-rayon": (_TAN, "P"),
    "boringssl": (_GREEN, "D"),
    "botan": (_BROWN, "P"),
    "crc32c": (_BROWN, "X"),
    "cryptopp": (_PLUM, "P"),
    "fast-floe": (_INDIGO, "s"),
    "go-age": (_BLUE, "D"),
    "graviola": (_ROSE, "<"),
    "hashlib": (_SKY, "h"),
    "hiae": (_GREEN, "o"),
    "libaegis": (_MAGENTA, "o"),
    "libgcrypt": (_LIME, "X"),
    "libsodium": (_TAN, "d"),
    "libtomcrypt": (_INDIGO, "P"),
    "mbedtls": (_SKY, ">"),
    "minio-sio": (_BROWN, "D"),
    "nettle": (_PLUM, "<"),
    "numba": (INK, "^"),
    "openssl": (_BLUE, "s"),
    "openssl-system": (_INDIGO, "p"),
    "pyca": (_SKY, "X"),
    "pycryptodome": (_LIME, "<"),
    "pynacl": (_TAN, "p"),
    "pyrage": (_GREEN, "^"),
    "rijndael": (_RED, "d"),
    "ring": (_ROSE, "h"),
    "rocca": (_PLUM, "s"),
    "rustcrypto": (_BROWN, "v"),
    "tink": (_PLUM, "D"),
    "twox-hash": (_INDIGO, "*"),
    "wolfssl": (_LIME, "p"),
    "xxhash-rust": (_RED, "P"),
}
"""Colour and marker of each known library."""


def appearance_of(implementation: str) -> Appearance:
    """Return the appearance of an implementation's library; that of an unknown library follows from its name."""
    library = implementation.partition("/")[0]
    if library in LIBRARIES:
        return Appearance(*LIBRARIES[library])
    turns, colour = divmod(int.from_bytes(sha256(library.encode()).digest()[:8], "big"), len(COLOURS))
    return Appearance(COLOURS[colour], MARKERS[turns % len(MARKERS)])
