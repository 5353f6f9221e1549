"""Cells of half a kilobyte: the document *Tor*."""

from __future__ import annotations

from itertools import product
from typing import Final

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies.candidates import BASELINES, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

CELLS: Final = (509, 512)
"""Bytes of a cell in Tor's commit 230fbd95c0: the payload, which its benchmark encrypts, and the whole."""

A_MILLION: Final = 1_000_000

VARIANTS: Final = ("plain", "counter-optimization", "full-unroll")
OWN: Final = tuple(f"rijndael/aes-128-ctr.{variant}-o{level}" for variant, level in product(VARIANTS, (2, 3)))
"""AES by tables in the three variants of the document, at two optimization levels."""

LOW_LEVEL_O2, LOW_LEVEL_O3 = (f"openssl/aes-128-ctr.aes-encrypt-o{level}" for level in (2, 3))
"""Counter mode around ``AES_encrypt``, compiled at two optimization levels."""

EVP_BLOCK: Final = "openssl/aes-128-ctr.evp-block-o2"
"""The same around ``EVP_EncryptUpdate``, which the program of the document also calls for each block."""

OPENSSLS: Final = ("openssl/aes-128-ctr", LOW_LEVEL_O2, LOW_LEVEL_O3, EVP_BLOCK)
"""EVP with its own counter mode, and OpenSSL's AES a block at a time."""

CURRENT: Final = ("aws-lc/aes-128-ctr", "boringssl/aes-128-ctr", "rustcrypto/aes-128-ctr", "libgcrypt/aes-128-ctr")


def count(profile: Profile) -> int:
    """Return the number of cells of a whole run: a million, or fewer in a profile with small messages."""
    return max(1, min(A_MILLION, profile.bytes // 1024))


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of cells of both lengths under one key, and of whole runs of the shorter."""
    declared = []
    for candidate in candidates(catalogue, selection.implementations, (*CURRENT, *OPENSSLS, *OWN)):
        declared += [candidate.whole(candidate.first_op, cell) for cell in CELLS]
        if candidate.engine == "whole" and candidate.name not in BASELINES:
            declared.append(
                Case(candidate.name, candidate.first_op, CELLS[0] * count(profile), "cells", block_size=CELLS[0])
            )
    return declared


STUDY = Study(
    name="cells",
    question="Which implementation of AES is fastest for messages of half a kilobyte?",
    cases=cases,
    module=__name__,
    fixed_lengths="509 and 512 B",
    notebook="07-cells.ipynb",
)
