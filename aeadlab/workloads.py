"""What the smaller documents measure, as far as studies, figures and claims all have to know it."""

from __future__ import annotations

from itertools import product
from typing import Final

MODES: Final = ("ecb", "cbc", "ctr")
CIPHERS: Final = (
    *(f"{cipher}-{bits}" for cipher, bits in product(("aes", "aria", "camellia"), (128, 256))),
    "3des",
)
"""Of the document *Ciphers*; Triple-DES has keys of 192 bits."""

CELLS: Final = (509, 512)
"""Bytes, of the document *Tor*: what a cell of 512 has for its payload and header today, and the whole."""

GENERATORS: Final = "generators"
"""The library of the lab's own, for the document *NetBSD*."""

INLINED: Final = "inlined"
"""The form of a generator without a call for each word."""

WORD: Final = 4
"""Bytes of the short request to a generator."""

REQUEST: Final = 256
"""Bytes of the long request."""

STREAMS: Final = 4
"""Of the document's parallel test."""
