"""Block ciphers without authentication in every library that has them: the document *Ciphers*."""

from __future__ import annotations

from itertools import product
from typing import Final

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.candidates import BASELINES, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

MODES: Final = ("ecb", "cbc", "ctr")

_AES_ARIA_CAMELLIA: Final = tuple(
    f"{cipher}-{bits}" for cipher, bits in product(("aes", "aria", "camellia"), (128, 256))
)
CIPHERS: Final = (*_AES_ARIA_CAMELLIA, "3des", "des")
"""Ciphers of the document with their key lengths; Triple-DES has keys of 192 bits, DES of 64."""

ALGORITHMS: Final = tuple(f"{cipher}-{mode}" for cipher, mode in product(CIPHERS, MODES))
LIBRARY: Final = "openssl"
"""The library of the document."""

PUBLISHED: Final = tuple(
    f"{LIBRARY}/{name}"
    for name in (*(f"{cipher}-{mode}" for cipher, mode in product(_AES_ARIA_CAMELLIA, MODES)), "3des-ecb", "3des-cbc")
)
"""The implementations of the document's two tables."""

NAMED: Final = (*PUBLISHED, f"{LIBRARY}/des-ecb")
"""Those of the tables, and DES in ECB, of which the text expects a speed."""

SIZES: Final = (100_000_000, 1_000_000_000)
"""Message lengths of the document in bytes."""

SIZES_SECONDS: Final = 2700.0
"""Smallest time budget with which `NAMED` are measured at `SIZES`.

Triple-DES takes half a minute for 1000 MB, and one round of all these cases six minutes. In profile quick slow cases
have one sample in each of six processes (`Profile.case_seconds`), and the others more.
"""

QUICK_LIBRARIES: Final = (LIBRARY, "openssl-system", "rustcrypto", "botan")
"""Libraries of the quick profile; few others have ARIA."""


def sizes(profile: Profile) -> tuple[int, int]:
    """Return two message lengths with a ratio of ten: 100 and 1000 MB, or less in a profile with shorter messages."""
    # Triple-DES takes a second for 30 MB: a profile that halves messages n times halves these 3n times.
    return _up_to(profile.bytes >> 3 * profile.shorter)


def _up_to(limit: int) -> tuple[int, int]:
    small = SIZES[0]
    while 10 * small > limit and small > 1000:
        small //= 10
    return small, 10 * small


def has_document_sizes(profile: Profile) -> bool:
    """Return whether a profile measures `NAMED` at `SIZES`: it has no time budget, or one of `SIZES_SECONDS`."""
    return profile.bytes >= SIZES[1] and (profile.budget_seconds or SIZES_SECONDS) >= SIZES_SECONDS


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of encryption and decryption with every cipher, key length and mode.

    Selected implementations have the lengths `sizes`; without a selection all have at most 1 MB, since hundreds of
    cases, some of them in Python, would take days. `NAMED` have `SIZES` as well in a profile with enough time.
    """
    names, common = selection.implementations, sizes(profile)
    if names is None:
        libraries = {"smoke": (LIBRARY,), "quick": QUICK_LIBRARIES, "paper": None}[profile.effort]
        names = tuple(
            one.name
            for one in catalogue
            if one.description.algorithm in ALGORITHMS and (libraries is None or one.description.library in libraries)
        )
        if profile.effort == "paper":
            common = _up_to(1_000_000)
    ops: tuple[Op, ...] = ("encrypt", "decrypt")
    own = SIZES if has_document_sizes(profile) else ()
    declared = []
    for candidate in candidates(catalogue, names, ()):
        # A copy has one direction.
        directions = ops[:1] if candidate.name in BASELINES else ops
        lengths = dict.fromkeys((*(own if candidate.name in (*NAMED, *BASELINES) else ()), *common))
        declared += [candidate.whole(op, size) for op, size in product(directions, lengths)]
    return declared


STUDY = Study(
    name="block-ciphers",
    question="What do block ciphers and their modes cost without authentication?",
    cases=cases,
    module=__name__,
    fixed_lengths=(
        f"100 kB and 1 MB, and 100 and 1000 MB of the document's ciphers in {LIBRARY} with profile paper or a budget "
        f"of {SIZES_SECONDS:.0f} s"
    ),
    notebook="06-block-ciphers.ipynb",
    named=NAMED,
    masks=("no-aes",),
    masked=lambda case: case.implementation.partition("/")[2].startswith("aes-"),
)
