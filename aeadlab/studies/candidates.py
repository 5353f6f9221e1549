"""The implementations that studies compare, with the properties that determine their cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from aeadlab.bench.case import Case, Engine, Model, Op
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import OPS, Kind
from aeadlab.catalogue.names import base_algorithm
from aeadlab.errors import UnknownNameError
from aeadlab.parsplit import schedules

BASELINES = ("baseline/memcpy", "baseline/xor", "baseline/copy", "baseline/copy-stream")
"""The first of all `candidates`: the limits of memory (`aeadlab.stats.roofline`), and the baseline of the ETH paper.

The first two have A/A pairs (`aeadlab.bench.plan.with_noise_pairs`), as in records that have no other copies.
"""

PAPER_AEADS = ("openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm", "aeadlab/aes-256-ctr+blake3")
"""The AEADs that the ETH paper names."""

PARSPLIT_AEADS = (
    *PAPER_AEADS,
    "aeadlab/aes-256-gcm",
    "aws-lc/aes-256-gcm",
    "boringssl/aes-256-gcm",
    "openssl/chacha20-poly1305",
    "libaegis/aegis-128x2",
)
"""The AEADs measured under ParSplit: those of the paper, and newer ones."""

PAPER_LIBRARIES = ("openssl", "cryptopp", "rustcrypto")
"""The libraries that the ETH paper compares, apart from BLAKE3's own."""

_OF_THE_PAPER: dict[str, dict[str, tuple[str, ...]]] = {
    "seal": {
        "aes-256-gcm": PAPER_LIBRARIES,
        "aes-256-gcm-siv": ("openssl", "rustcrypto"),
        "aes-256-ocb": ("openssl", "rustcrypto"),
        "aes-256-eax": ("cryptopp", "rustcrypto"),
        "chacha20-poly1305": PAPER_LIBRARIES,
        "aes-256-ctr+blake3": ("aeadlab",),
    },
    "encrypt": dict.fromkeys(
        ("aes-256-ctr", "aes-256-ecb", "aes-256-cbc", "aes-256-cfb", "aes-256-ofb", "chacha20"), PAPER_LIBRARIES
    ),
    "digest": {
        "aes-256-gmac": ("openssl", "cryptopp"),
        "ghash": ("rustcrypto",),
        "blake3": ("blake3",),
        **dict.fromkeys(("sha-256", "sha-512", "sha3-256", "blake2b-512", "blake2s-256"), PAPER_LIBRARIES),
    },
}


def of_the_paper(op: str) -> dict[str, tuple[str, ...]]:
    """Return the implementations by algorithm that stand for those of the ETH paper.

    The paper counts 13 AEADs, 24 ciphers, mostly versions of AES, and 22 hashes, mostly versions of SHA, BLAKE and
    GHASH, and does not list them. These are the algorithms of such families that its libraries have, with keys of 256
    bits as the paper chose them, and that take messages of 1 GiB under one nonce: CCM and XTS do not.

    Parameters
    ----------
    op
        ``seal`` for AEADs, ``encrypt`` for ciphers, ``digest`` for hashes.
    """
    return {
        algorithm: tuple(f"{library}/{algorithm}" for library in libraries)
        for algorithm, libraries in _OF_THE_PAPER[op].items()
    }


BLOCK_SIZE = 64 << 10
"""Block size in bytes of studies that do not vary it."""

PUBLISHED_SPLITS = (*PAPER_AEADS, "baseline/xor")
"""What the ETH paper has under ParSplit."""


def published_splits(selected: Iterable[str] | None) -> frozenset[str]:
    """Return what a study with these implementations, or with the default ones, measures as published.

    XOR alone shows nothing of the paper's AEADs.
    """
    names = frozenset(PUBLISHED_SPLITS)
    return names if selected is None or names & {*selected} & {*PAPER_AEADS} else frozenset()


PUBLISHED_BLOCK_SIZE = 16 << 10
"""Block size in bytes of the example in the ETH paper, which does not state that of its measurements."""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("memcpy", "copy", "copy-stream"), "cipher"),
    "xor": "cipher",
    "ghash": "hash",
    "blake3": "hash",
    "aes-256-gmac": "mac",
    "aes-256-cmac": "mac",
    "blake3-keyed": "mac",
    "hmac-sha-256": "mac",
    "chacha20": "cipher",
}
"""Kinds of the algorithms that studies name, for implementations that are absent; all others are AEADs."""

_BLOCK_CIPHER_MODES = ("-ecb", "-cbc", "-ctr")


@dataclass(frozen=True)
class Candidate:
    """An implementation that a study measures; it may be absent from the catalogue.

    Attributes
    ----------
    kind
        Derived from the name if the implementation is absent.
    splits
        Whether ParSplit accepts it: AEADs and baselines do; other ciphers have no tags.
    in_place
        Whether input and output may be the same buffer.
    parallel
        Whether it uses threads of its own, whose count can be set.
    """

    name: str
    kind: Kind
    engine: Engine
    model: Model
    splits: bool
    in_place: bool
    parallel: bool

    @property
    def ops(self) -> tuple[Op, ...]:
        """Sealing and opening of an AEAD, otherwise `first_op` alone."""
        return OPS[self.kind] if self.kind == "aead" else (self.first_op,)

    @property
    def first_op(self) -> Op:
        """Sealing, encrypting or hashing."""
        return OPS[self.kind][0]

    def whole(self, op: Op, length: int) -> Case:
        """Return the case of one call over a message of `length` bytes."""
        return Case(self.name, op, length, self.engine, self.model)

    def split_as_published(
        self, op: Op, length: int, threads: Iterable[int], block_sizes: Iterable[int] | None = None
    ) -> list[Case]:
        """Return the cases under ParSplit as the ETH paper has it: Rayon's schedule, and a key set-up for each block.

        A baseline has no key, and only the schedule.
        """
        model: Model = "keyed" if self.name in BASELINES else "rekeyed"
        cases = self.split(op, length, block_sizes or (PUBLISHED_BLOCK_SIZE,), threads)
        return [replace(case, schedule=schedules.ETH_PAPER, model=model) for case in cases]

    def split(self, op: Op, length: int, block_sizes: Iterable[int], threads: Iterable[int]) -> list[Case]:
        """Return the cases under ParSplit with every block size and thread count; empty unless it `splits`."""
        if not self.splits:
            return []
        # A block is at most as long as the message; an empty message has a block, too.
        sizes = dict.fromkeys(min(size, max(length, 1)) for size in block_sizes)
        return [
            Case(self.name, op, length, "parsplit", block_size=size, threads=count, schedule=schedules.DEFAULT)
            for count, size in product(threads, sizes)
        ]


def candidates(catalogue: Catalogue, selected: Iterable[str] | None, default: Iterable[str]) -> Iterator[Candidate]:
    """Return the baselines, then the selected implementations, or the default ones if the selection is None.

    Absent implementations are included, so that the record can state why they are missing.
    """
    for name in dict.fromkeys((*BASELINES, *(default if selected is None else selected))):
        try:
            implementation = catalogue.find(name)
        except UnknownNameError:
            yield _absent(name)
        else:
            yield _present(implementation)


def _absent(name: str) -> Candidate:
    algorithm = base_algorithm(name.partition("/")[2])
    kind: Kind = "cipher" if algorithm.endswith(_BLOCK_CIPHER_MODES) else _KINDS.get(algorithm, "aead")
    splits = kind == "aead" or name in BASELINES
    return Candidate(name, kind, "whole", "keyed", splits, in_place=False, parallel=False)


def _present(implementation: Implementation) -> Candidate:
    description = implementation.description
    python = description.origin == "python"
    splits = description.kind == "aead" or (description.kind == "cipher" and "baseline" in description.flags)
    return Candidate(
        implementation.name,
        description.kind,
        "python" if python else "whole",
        # Some Python libraries have no object that keeps a key between messages, so that each call sets it up.
        "keyed" if "keyed" in implementation.models else "oneshot",
        splits and not python,
        in_place="in-place" in description.flags,
        parallel="parallel" in description.flags,
    )
