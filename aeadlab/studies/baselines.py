"""Single-threaded baselines: Figures 2 and 3 of the ETH paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue
from aeadlab.studies import lineup
from aeadlab.studies.lineup import entrants
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

AEADS = (*lineup.PAPER, "pyca/aes-256-gcm", "pycryptodome/aes-256-gcm")
HASHES = ("openssl/aes-256-gmac", "rustcrypto/ghash", "blake3/blake3", "blake3-py/blake3")
BASELINES = (*lineup.BASELINES, "numba/xor")
BLOCK_SIZES = (16 << 10, 256 << 10)
"""The block size that the paper reasons with, and one where a message per block costs nearly nothing."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each implementation over the whole message, and each AEAD and baseline under ParSplit."""
    found = []
    for entrant in entrants(catalogue, selection.implementations, (*AEADS, *HASHES, *BASELINES)):
        for op in entrant.ops:
            found.append(entrant.whole(op, profile.bytes))
            found += entrant.split(op, profile.bytes, selection.block_sizes or BLOCK_SIZES, selection.threads or (1,))
    return found


def _aeads(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.single_threaded import aead_bars

    return aead_bars(samples, published.load("ETH"), venue)


def _hashes(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.single_threaded import hash_bars

    return hash_bars(samples, published.load("ETH"), venue)


STUDY = Study(
    name="baselines",
    question="Which implementation is fastest in one thread, and what does splitting alone cost?",
    cases=cases,
    figures={"figure-2-aeads": _aeads, "figure-3-hashes": _hashes},
    notebook="01-single-threaded-baselines.ipynb",
    named=(*lineup.PAPER, *lineup.BASELINES, *HASHES[:3]),
)
