"""The implementations that studies compare, with the properties that determine their cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from aeadlab.bench.case import Case, Engine, Model, Op
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.kinds import OPS, Kind
from aeadlab.catalogue.names import base_algorithm
from aeadlab.errors import UnknownNameError
from aeadlab.parsplit import schedules

BASELINES = ("baseline/memcpy", "baseline/xor")
"""The first of all `candidates`: the limit of memory, and the baseline of the ETH paper."""

PAPER_AEADS = ("openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm", "aeadlab/aes-256-ctr+blake3")
"""The AEADs that the ETH paper names."""

PARSPLIT_AEADS = (
    *PAPER_AEADS,
    "aws-lc/aes-256-gcm",
    "boringssl/aes-256-gcm",
    "openssl/chacha20-poly1305",
    "libaegis/aegis-128x2",
)
"""The AEADs measured under ParSplit: those of the paper, and newer ones."""

BLOCK_SIZE = 64 << 10
"""Block size in bytes of studies that do not vary it."""

_KINDS: dict[str, Kind] = {
    "memcpy": "cipher",
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


def baselines_last(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates with the baselines at the end, for studies of short messages.

    The first case of each engine is measured as an A/A pair (`aeadlab.bench.plan.with_noise_pair`), and a copy of few
    bytes takes so little time that its noise floor does not apply to ciphers.
    """
    return sorted(candidates, key=lambda candidate: candidate.name in BASELINES)


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
