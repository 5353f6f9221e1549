"""Compositions: what the ETH paper wished for in Section 6, any library's cipher with any library's MAC."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, composed_name, halves
from aeadlab.studies.lineup import BASELINES, BLOCK, entrants, logical_cores
from aeadlab.studies.selection import MOST_THREADS, Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CIPHERS = (
    "openssl/aes-256-ctr",
    "cryptopp/aes-256-ctr",
    "aws-lc/aes-256-ctr",
    "rustcrypto/aes-256-ctr",
    "openssl/chacha20",
    "libsodium/chacha20",
)
MACS = (
    "openssl/aes-256-gmac",
    "blake3/blake3-keyed",
    "blake3-rayon/blake3-keyed",
    "cryptopp/aes-256-gmac",
    "openssl/hmac-sha-256",
    "openssl/aes-256-cmac",
)
"""Those that `aeadlab.compose` takes: it refuses GHASH and Poly1305 alone, and MACs with nonces of 16 bytes."""

AEADS = ("openssl/aes-256-gcm", "openssl/chacha20-poly1305")
"""What a library makes of such parts itself."""

NAMED = (CIPHERS[:2], MACS[:3])
"""Ciphers and MACs of which the paper speaks; smoke takes no others."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each composition alone and under ParSplit with all cores; beside it its parts alone, AEADs, memcpy and XOR.

    A composition whose MAC is parallel itself gets as many threads alone as ParSplit has, and one under ParSplit. Where
    compositions are chosen, their parts come with them.
    """
    halves_of = NAMED if profile.name.rstrip("*") == "smoke" else (CIPHERS, MACS)
    chosen = selection.implementations or (*_composed(*halves_of), *AEADS)
    parts = [part for name in chosen for part in halves(name) or ()]
    length = profile.varied_bytes
    counts = selection.threads or (min(logical_cores(), MOST_THREADS),)
    found = []
    for entrant in entrants(catalogue, None, (*chosen, *parts)):
        op, threads = entrant.first_op, max(counts) if entrant.parallel else 1
        found.append(replace(entrant.whole(op, length), threads=threads))
        found += entrant.split(op, length, selection.block_sizes or (BLOCK,), counts)
    return found


def _composed(ciphers: Iterable[str], macs: Iterable[str]) -> tuple[str, ...]:
    return tuple(composed_name(*pair) for pair in product(ciphers, macs))


def _heat_map(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    from aeadlab import published
    from aeadlab.figures.compositions import composition_heat_map

    return composition_heat_map(samples, published.load("ETH"), venue)


STUDY = Study(
    name="compositions",
    question="Which cipher and which MAC of which libraries make the fastest AEAD, alone and under ParSplit?",
    cases=cases,
    figures={"figure-compositions": _heat_map},
    notebook="10-compositions.ipynb",
    named=(*_composed(*NAMED), *NAMED[0], *NAMED[1], *AEADS, *BASELINES),
)
