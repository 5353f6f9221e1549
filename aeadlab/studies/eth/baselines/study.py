"""Single-threaded baselines: Figures 2 and 3 of the ETH paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Final

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.catalogue.adapters.base import REUSED
from aeadlab.studies import candidates as compared
from aeadlab.studies.candidates import candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

PYTHON = ("pyca/aes-256-gcm", "pycryptodome/aes-256-gcm")
"""AEADs called from Python. They are also measured with reused memory: new memory costs them most of the time."""
AEADS = (*compared.PAPER_AEADS, *PYTHON, *(f"{name}{REUSED}" for name in PYTHON))
HASHES = ("openssl/aes-256-gmac", "rustcrypto/ghash", "blake3/blake3", "blake3-py/blake3")
BASELINES = (*compared.BASELINES, "numba/xor")
BLOCK_SIZES = (compared.PUBLISHED_BLOCK_SIZE, 256 << 10)
"""The block size of the paper's example, and one at which the cost per block is negligible."""
AAD_BYTES: Final = (0, 13, 32, 1 << 10, 64 << 10, 1 << 20)
"""Lengths of associated data in bytes: none as in the paper, that of a TLS record, that of the document *Rust*, and
lengths up to a thousandth of the paper's message of 1 GiB."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of each implementation over the whole message, and of AEADs and baselines under ParSplit.

    What the paper splits is measured as published, too: with Rayon's schedule and a key set-up for each block.
    """
    sizes, threads = selection.block_sizes or BLOCK_SIZES, selection.threads or (1,)
    published, declared = compared.published_splits(selection.implementations), []
    for candidate in candidates(catalogue, selection.implementations, (*AEADS, *HASHES, *BASELINES)):
        for op in candidate.ops:
            declared.append(candidate.whole(op, profile.bytes))
            declared += candidate.split(op, profile.bytes, sizes, threads)
            if candidate.name in published:
                declared += candidate.split_as_published(op, profile.bytes, threads, selection.block_sizes)
    return declared + _with_associated_data(declared, profile)


def _with_associated_data(cases: Iterable[Case], profile: Profile) -> list[Case]:
    """Return the cases that seal the whole message with the paper's AEADs, with each length of associated data."""
    sealed = [c for c in cases if c.implementation in compared.PAPER_AEADS and (c.op, c.engine) == ("seal", "whole")]
    lengths = (32,) if profile.effort == "smoke" else AAD_BYTES[1:]
    return [replace(case, aad_bytes=length) for case, length in product(sealed, lengths)]


STUDY = Study(
    name="baselines",
    question="Which implementation is fastest in one thread, and what does splitting alone cost?",
    cases=cases,
    module=__name__,
    notebook="01-single-threaded-baselines.ipynb",
    named=(*compared.PAPER_AEADS, *compared.BASELINES, *HASHES[:3]),
)
