"""Single-threaded baselines: Figures 2 and 3 of the ETH paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aeadlab.bench.case import Case, Op
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.errors import UnknownNameError
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

AEADS = (
    "openssl/aes-256-gcm",
    "cryptopp/aes-256-gcm",
    "rustcrypto/aes-256-gcm",
    "aeadlab/aes-256-ctr+blake3",
    "pyca/aes-256-gcm",
    "pycryptodome/aes-256-gcm",
)
HASHES = ("openssl/aes-256-gmac", "rustcrypto/ghash", "blake3/blake3", "blake3-py/blake3")
BASELINES = ("baseline/memcpy", "baseline/xor", "numba/xor")
BLOCK_SIZES = (16 << 10, 256 << 10)
"""The block size that the paper reasons with, and one where a message per block costs nearly nothing."""

_OPS: dict[str, tuple[Op, ...]] = {
    "aead": ("seal", "open"),
    "cipher": ("encrypt",),
    "hash": ("digest",),
    "mac": ("digest",),
}


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Each implementation over the whole message, and each AEAD and baseline under ParSplit, in one thread unless told.

    A name that the catalogue does not have still gives its case: the record then says why it is absent.
    """
    chosen = selection.implementations or (*AEADS, *HASHES, *BASELINES)
    found = []
    for name in chosen:
        implementation = _found(catalogue, name)
        kind = implementation.description.kind if implementation else _presumed_kind(name)
        python = implementation is not None and implementation.description.origin == "python"
        for op in _OPS[kind]:
            found.append(
                Case(
                    name,
                    op,
                    profile.bytes,
                    engine="python" if python else "whole",
                    # Some Python libraries have no object that outlives a message: their users pay for the key as well.
                    model="keyed" if "keyed" in getattr(implementation, "models", ("keyed",)) else "oneshot",
                )
            )
            # Of ciphers only the reference lines: without tags ParSplit takes no other.
            baseline = implementation is None or "baseline" in implementation.description.flags
            if not python and (kind == "aead" or (kind == "cipher" and baseline)):
                found += [
                    Case(name, op, profile.bytes, "parsplit", block_size=size, threads=count, schedule="dynamic")
                    for count in selection.threads or (1,)
                    for size in selection.block_sizes or BLOCK_SIZES
                ]
    return found


def _found(catalogue: Catalogue, name: str) -> Implementation | None:
    try:
        return catalogue.find(name)
    except UnknownNameError:
        return None


def _presumed_kind(name: str) -> str:
    if name in HASHES:
        return "hash"
    return "cipher" if name in BASELINES else "aead"


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
)
