"""Compositions: a cipher and a MAC of any libraries, as suggested in Section 6 of the ETH paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from aeadlab._native import MAX_THREADS
from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.catalogue import Catalogue, composition_name, composition_parts
from aeadlab.host.cores import process_cores
from aeadlab.studies.candidates import BASELINES, BLOCK_SIZE, candidates
from aeadlab.studies.selection import Selection
from aeadlab.studies.study import Study

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
"""MACs that `aeadlab.compose` accepts; it rejects GHASH and Poly1305 alone, and MACs with nonces of 16 bytes."""

AEADS = ("openssl/aes-256-gcm", "openssl/chacha20-poly1305")
"""AEADs that one library provides as a single implementation, for comparison."""

NAMED = (CIPHERS[:2], MACS[:3])
"""Ciphers and MACs that the paper names; profile smoke has no others. They are also measured with its message length,
which shows the shares of encryption and authentication."""


def cases(catalogue: Catalogue, profile: Profile, selection: Selection) -> list[Case]:
    """Return the cases of compositions, their parts and AEADs, over the whole message and under ParSplit on all cores.

    Where the message of this study is shorter than the profile's, those that the paper names are measured with both.

    A composition whose MAC has threads of its own gets as many as ParSplit has for the whole message; under ParSplit,
    its MAC uses one thread in each call. A selection of compositions includes their parts.
    """
    parts_of = NAMED if profile.effort == "smoke" else (CIPHERS, MACS)
    selected = selection.implementations or (*_composed(*parts_of), *AEADS)
    parts = [part for name in selected for part in composition_parts(name) or ()]
    length = profile.varied_bytes
    counts = selection.threads or (min(process_cores(), MAX_THREADS),)
    large = {*BASELINES, *NAMED[0], *NAMED[1], *_composed(*NAMED), *AEADS[:1]} if profile.bytes > length else set()
    declared = []
    for candidate in candidates(catalogue, None, (*selected, *parts)):
        op, threads = candidate.first_op, max(counts) if candidate.parallel else 1
        whole = replace(candidate.whole(op, length), threads=threads)
        declared += [whole, *[replace(whole, bytes=profile.bytes)] * (candidate.name in large)]
        declared += candidate.split(op, length, selection.block_sizes or (BLOCK_SIZE,), counts)
    return declared


def _composed(ciphers: Iterable[str], macs: Iterable[str]) -> tuple[str, ...]:
    return tuple(composition_name(*pair) for pair in product(ciphers, macs))


STUDY = Study(
    name="compositions",
    question="Which cipher and which MAC of which libraries make the fastest AEAD, alone and under ParSplit?",
    cases=cases,
    module=__name__,
    notebook="10-compositions.ipynb",
    named=(*_composed(*NAMED), *NAMED[0], *NAMED[1], *AEADS, *BASELINES),
)
