"""Block ciphers without authentication: the document *Ciphers*, in every library that has them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.lineup import BASELINES, THOROUGH, entrants, lines_last
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Draw, Study
from aeadlab.workloads import CIPHERS, MODES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ALGORITHMS: Final = tuple(f"{cipher}-{mode}" for cipher, mode in product(CIPHERS, MODES))
PAPERS: Final = "openssl"
"""The document's library."""

FEW: Final = (PAPERS, "openssl-system", "rustcrypto", "botan")
"""Libraries of a run that is not thorough; ARIA is in few others."""

MEGABYTE: Final = 1_000_000
"""Bytes, as the document counts."""

_SMALL: Final = 1 << 20
"""Bytes of a large message in a profile that has time for the document's library alone."""


def sizes(profile: Profile) -> tuple[int, int]:
    """The document's 100 and 1000 MB, or as many times less as the profile wants: tenfold in any case."""
    # Triple-DES takes a second for 30 MB, so a profile that shortens messages shortens these by as much three times.
    room = profile.bytes >> 3 * profile.shorter
    small = 100 * MEGABYTE
    while 10 * small > room and small > 1000:
        small //= 10
    return small, 10 * small


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Encrypting and decrypting with every cipher, key length and mode, at both sizes."""
    names = selection.implementations
    if names is None:
        some = None if profile.rounds >= THOROUGH else FEW if profile.bytes > _SMALL else (PAPERS,)
        names = tuple(
            one.name
            for one in catalogue
            if one.description.algorithm in ALGORITHMS and (some is None or one.description.library in some)
        )
    ops: tuple[Op, ...] = ("encrypt", "decrypt")
    found = []
    for entrant in lines_last(entrants(catalogue, names, ())):
        # A copy is the same there and back.
        of = ops[:1] if entrant.name in BASELINES else ops
        found += [entrant.whole(op, size) for size, op in product(sizes(profile), of)]
    return found


def _bars(size: int) -> Draw:
    def draw(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
        from aeadlab.figures.block_ciphers import block_cipher_bars

        return block_cipher_bars(samples, size, venue)

    return draw


def _beside(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.block_ciphers import beside_ciphers

    return beside_ciphers(samples, published.load("Ciphers"), venue)


STUDY = Study(
    name="block-ciphers",
    question="What do block ciphers and their modes cost without authentication?",
    cases=cases,
    figures={"block-ciphers-small": _bars(0), "block-ciphers-large": _bars(1), "block-ciphers-published": _beside},
    notebook="06-block-ciphers.ipynb",
    named=tuple(f"{PAPERS}/{algorithm}" for algorithm in ALGORITHMS),
    masks=("no-aes",),
    masked=lambda case: case.implementation.partition("/")[2].startswith("aes-"),
)
