"""The forms of the tags by block size: one for each block, their digest or tree, BLAKE3, and the standard tag."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

from aeadlab.bench.case import Case, Op, Tags
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import BASELINES, PUBLISHED_BLOCK_SIZE, Candidate, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

AEAD: Final = "openssl/aes-256-gcm"
CIPHER: Final = "openssl/aes-256-ctr"
"""The AEAD's own cipher, without its hash."""

OPS: Final[tuple[Op, ...]] = ("seal", "open")
OF_AN_AEAD: Final[tuple[Tags, ...]] = ("concatenated", "digest", "merkle", "standard")
OF_A_CIPHER: Final[tuple[Tags, ...]] = ("blake3",)

SMALLEST: Final = 1 << 10
LARGEST: Final = 4 << 20
"""Block sizes in bytes; each is four times the one before."""


def block_sizes(message: int) -> tuple[int, ...]:
    """Return the block sizes of a message of this length, at least one."""
    sizes = [SMALLEST << 2 * step for step in range(7) if SMALLEST << 2 * step <= min(message, LARGEST)]
    return tuple(sizes) or (SMALLEST,)


def forms_of(candidate: Candidate) -> tuple[Tags, ...]:
    """Return the forms of the tags that an implementation has; the standard tag of AES-GCM is that of one message."""
    if candidate.kind == "cipher":
        return OF_A_CIPHER
    if candidate.kind != "aead":
        return ()
    return OF_AN_AEAD if candidate.name.endswith("-gcm") else OF_AN_AEAD[:-1]


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return sealing and opening with each form of the tags and each block size, in all threads.

    The block size of the claims is first, so that the A/A pairs have it.
    """
    counts = selection.threads or (process_cores(),)
    length = profile.varied_bytes
    sizes = sorted(selection.block_sizes or block_sizes(length), key=lambda size: size != PUBLISHED_BLOCK_SIZE)
    declared = []
    for candidate in candidates(catalogue, selection.implementations, (AEAD, CIPHER)):
        if candidate.name in BASELINES:
            continue
        for op, count, size in product(OPS, counts, sizes):
            case = Case(candidate.name, op, length, "parsplit", block_size=size, threads=count, schedule="dynamic")
            declared += [replace(case, tags=form) for form in forms_of(candidate)]
    return declared


STUDY = Study(
    name="one-tag",
    question="What does one tag cost in place of one for each block?",
    cases=cases,
    module=__name__,
    notebook="12-one-tag.ipynb",
)
