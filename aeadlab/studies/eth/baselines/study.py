"""Single-threaded baselines: Figures 2 and 3 of the ETH paper."""

from __future__ import annotations

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
BLOCK_SIZES = (16 << 10, 256 << 10)
"""The block size of the paper's reasoning, and one at which the cost per block is negligible."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of each implementation over the whole message, and of AEADs and baselines under ParSplit."""
    sizes, threads = selection.block_sizes or BLOCK_SIZES, selection.threads or (1,)
    declared = []
    for candidate in candidates(catalogue, selection.implementations, (*AEADS, *HASHES, *BASELINES)):
        for op in candidate.ops:
            declared.append(candidate.whole(op, profile.bytes))
            declared += candidate.split(op, profile.bytes, sizes, threads)
    return declared


STUDY = Study(
    name="baselines",
    question="Which implementation is fastest in one thread, and what does splitting alone cost?",
    cases=cases,
    module=__name__,
    notebook="01-single-threaded-baselines.ipynb",
    named=(*compared.PAPER_AEADS, *compared.BASELINES, *HASHES[:3]),
)
