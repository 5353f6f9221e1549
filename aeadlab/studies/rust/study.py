"""Message sizes from 16 bytes to 100 MB, with and without key set-up: the document *Rust*."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, Final

from aeadlab.bench.case import Case, Model
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.candidates import candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study
from aeadlab.verdicts import published

SIZES: Final = (16, 64, 100, 256, 1000, 8 << 10, 16 << 10, 100_000, 1_000_000, 10_000_000, 100_000_000)
"""Message lengths in bytes: those of the document and of its two runs of `openssl speed`."""

OPENSSL_SPEED_SIZE: Final = 1024
"""Message length in bytes that `openssl speed` has instead of 1000; only the system's OpenSSL is measured with it."""

PUBLISHED: Final = (
    "rustcrypto/xchacha20-poly1305",
    "rustcrypto/chacha20-poly1305",
    "rustcrypto/aes-256-gcm",
    "ring/chacha20-poly1305",
    "ring/aes-256-gcm",
)
"""The AEADs of the document's table, from slow to fast."""

PUBLISHED_SIZES: Final = (100, 1000, 100_000, 1_000_000, 10_000_000, 100_000_000)
"""Message lengths in bytes of that table."""

AS_LINKED: Final[dict[str, Any]] = published.conditions("Rust")
"""Conditions of the document's table: its program, which the document links, seals in place with associated data."""

ADDED: Final = (
    "openssl-system/aes-256-gcm", "openssl-system/chacha20-poly1305", "openssl/aes-256-gcm",
    "openssl/chacha20-poly1305", "aws-lc/aes-256-gcm", "boringssl/aes-256-gcm", "libsodium/xchacha20-poly1305",
    "libaegis/aegis-128l", "libaegis/aegis-128x2", "pyca/aes-256-gcm", "pyca/chacha20-poly1305",
    "pycryptodome/aes-256-gcm", "pyca/aes-256-gcm.reused", "pyca/chacha20-poly1305.reused",
    "pycryptodome/aes-256-gcm.reused",
)  # fmt: skip
"""Further AEADs: those of `openssl speed`, newer and faster ones, and those of Python libraries."""


NO_AES, MASKED, MASKED_SIZE = "no-aes", "openssl/aes-256-gcm", SIZES[-1]
"""The mask of CPU features, the implementation that is also measured under it, and the message length in bytes."""


def sizes(largest: int) -> tuple[int, ...]:
    """Return the message lengths up to the largest of a profile, at least one."""
    return tuple(size for size in SIZES if size <= largest) or SIZES[:1]


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of sealing at every length, with and without key set-up, and those of the document."""
    names = selection.implementations
    if names is None and profile.effort == "paper":
        descriptions = (one.description for one in catalogue)
        names = tuple(d.name for d in descriptions if d.kind == "aead" and d.library != "baseline")
    models: tuple[Model, ...] = ("oneshot", "keyed")
    declared = []
    for candidate in candidates(catalogue, names, (*PUBLISHED, *ADDED)):
        extra = (OPENSSL_SPEED_SIZE,) * candidate.name.startswith("openssl-system/")
        for size, model in product((*sizes(profile.varied_bytes), *extra), models):
            if model == "oneshot" or candidate.model == "keyed":
                declared.append(Case(candidate.name, candidate.first_op, size, candidate.engine, model))
    return declared + _as_published(profile, declared)


def _as_published(profile: Profile, cases: Iterable[Case]) -> list[Case]:
    """Return the document's own cases of the implementations that are measured: in place, with associated data."""
    measured = {case.implementation for case in cases}
    lengths = [size for size in sizes(profile.varied_bytes) if size in PUBLISHED_SIZES]
    return [
        Case(name, "seal", size, **AS_LINKED)
        for name, size in product([name for name in PUBLISHED if name in measured], lengths)
    ]


STUDY = Study(
    name="message-sizes",
    question="Which AEAD is fastest for messages of each size?",
    cases=cases,
    module=__name__,
    fixed_lengths="16 B to 100 MB",
    notebook="05-message-size.ipynb",
    named=(*PUBLISHED, *ADDED),
    masks=(NO_AES,),
    masked=lambda case: (case.implementation, case.bytes, case.model) == (MASKED, MASKED_SIZE, "keyed"),
)
