"""Block ciphers without authentication in every library that has them: the document *Ciphers*."""

from __future__ import annotations

from itertools import product
from typing import Final

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.candidates import BASELINES, baselines_last, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

MODES: Final = ("ecb", "cbc", "ctr")

CIPHERS: Final = (*(f"{cipher}-{bits}" for cipher, bits in product(("aes", "aria", "camellia"), (128, 256))), "3des")
"""Ciphers of the document with their key lengths; Triple-DES has keys of 192 bits."""

ALGORITHMS: Final = tuple(f"{cipher}-{mode}" for cipher, mode in product(CIPHERS, MODES))
LIBRARY: Final = "openssl"
"""The library of the document."""

QUICK_LIBRARIES: Final = (LIBRARY, "openssl-system", "rustcrypto", "botan")
"""Libraries of the quick profile; few others have ARIA."""


def sizes(profile: Profile) -> tuple[int, int]:
    """Return two message lengths with a ratio of ten: 100 and 1000 MB, or less in a profile with shorter messages."""
    # Triple-DES takes a second for 30 MB: a profile that halves messages n times halves these 3n times.
    limit = profile.bytes >> 3 * profile.shorter
    small = 100_000_000
    while 10 * small > limit and small > 1000:
        small //= 10
    return small, 10 * small


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of encryption and decryption with every cipher, key length and mode, at both lengths."""
    names = selection.implementations
    if names is None:
        libraries = {"smoke": (LIBRARY,), "quick": QUICK_LIBRARIES, "paper": None}[profile.effort]
        names = tuple(
            one.name
            for one in catalogue
            if one.description.algorithm in ALGORITHMS and (libraries is None or one.description.library in libraries)
        )
    ops: tuple[Op, ...] = ("encrypt", "decrypt")
    declared = []
    for candidate in baselines_last(candidates(catalogue, names, ())):
        # A copy has one direction.
        own = ops[:1] if candidate.name in BASELINES else ops
        declared += [candidate.whole(op, size) for size, op in product(sizes(profile), own)]
    return declared


STUDY = Study(
    name="block-ciphers",
    question="What do block ciphers and their modes cost without authentication?",
    cases=cases,
    module=__name__,
    fixed_lengths="powers of ten up to 1 GB",
    notebook="06-block-ciphers.ipynb",
    named=tuple(f"{LIBRARY}/{algorithm}" for algorithm in ALGORITHMS),
    masks=("no-aes",),
    masked=lambda case: case.implementation.partition("/")[2].startswith("aes-"),
)
