"""Compositions: what the ETH paper wished for in Section 6, any library's cipher with any library's MAC."""

from __future__ import annotations

import os
from itertools import product
from typing import TYPE_CHECKING

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, Implementation, Kind, composed_name, halves
from aeadlab.errors import ArgumentError, UnknownNameError
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
"""Those that `aeadlab.compose` takes: GHASH and Poly1305 alone it refuses, and MACs with nonces of 16 bytes."""

AEADS = ("openssl/aes-256-gcm", "openssl/chacha20-poly1305")
"""What the libraries make of such parts themselves."""

MEMCPY = "baseline/memcpy"
BLOCK_SIZE = 64 << 10

_SMOKE = (2, 3)
"""How many ciphers and MACs smoke takes: those that the paper names."""

_OPS: dict[Kind, Op] = {"aead": "seal", "cipher": "encrypt", "hash": "digest", "mac": "digest"}


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each composition alone and under ParSplit with all cores, its parts alone, AEADs and memcpy beside.

    The message is an eighth of the profile's. What is parallel itself gets as many threads alone as ParSplit has, and
    one under ParSplit. Where compositions are chosen, their parts and memcpy come with them.
    """
    ciphers, macs = _SMOKE if profile.name.rstrip("*") == "smoke" else (len(CIPHERS), len(MACS))
    composed = (composed_name(*pair) for pair in product(CIPHERS[:ciphers], MACS[:macs]))
    chosen = selection.implementations or (*composed, *AEADS)
    parts = [part for name in chosen for part in halves(name) or ()]
    size = max(1, profile.bytes >> 3)
    counts = selection.threads or (_cores(),)
    found = []
    for name in dict.fromkeys((*chosen, *parts, MEMCPY)):
        implementation = _found(catalogue, name)
        kind = implementation.description.kind if implementation else _presumed_kind(name)
        if implementation is not None and (kind not in _OPS or implementation.description.origin == "python"):
            raise ArgumentError(
                f"{name} is {'a generator' if kind not in _OPS else 'called from Python only'}: study compositions takes "
                f"compositions such as {composed_name(CIPHERS[0], MACS[0])}, and what `aeadlab list` has behind the C ABI"
            )
        parallel = implementation is not None and "parallel" in implementation.description.flags
        op = _OPS[kind]
        found.append(Case(name, op, size, threads=max(counts) if parallel else 1))
        if kind == "aead" or name == MEMCPY:
            found += [
                Case(name, op, size, "parsplit", block_size=block, threads=count, schedule="dynamic")
                for count in counts
                for block in selection.block_sizes or (BLOCK_SIZE,)
            ]
    return found


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)


def _found(catalogue: Catalogue, name: str) -> Implementation | None:
    try:
        return catalogue.find(name)
    except UnknownNameError:
        return None


def _presumed_kind(name: str) -> Kind:
    if name in MACS:
        return "mac"
    return "cipher" if name in (*CIPHERS, MEMCPY) else "aead"


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
)
