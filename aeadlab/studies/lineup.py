"""What the studies compare, and what they must know of each to make its cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from aeadlab import schedules
from aeadlab.bench.case import Case, Engine, Model, Op
from aeadlab.catalogue import Catalogue, Implementation
from aeadlab.catalogue.implementation import computed
from aeadlab.errors import UnknownNameError
from aeadlab.kinds import OPS, Kind

BASELINES = ("baseline/memcpy", "baseline/xor")
"""What memory allows, and the ETH paper's own baseline."""

PAPER = ("openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "rustcrypto/aes-256-gcm", "aeadlab/aes-256-ctr+blake3")
"""The AEADs that the ETH paper names."""

SPLIT = (
    *PAPER,
    "aws-lc/aes-256-gcm",
    "boringssl/aes-256-gcm",
    "openssl/chacha20-poly1305",
    "libaegis/aegis-128x2",
)
"""The AEADs that are run under ParSplit: the paper's, and what came after them."""

SCHEDULE = schedules.DEFAULT
"""ParSplit's default, and steady at every thread count (docs/SCHEDULES.md)."""

BLOCK = 64 << 10
"""Bytes of a block where block sizes are not the question."""

THOROUGH = 100
"""Rounds of a run from which a study has time for all that the catalogue has, beside what its document names."""

_PRESUMED: dict[str, Kind] = {
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
"""Kinds of what the studies name and this computer may lack, by algorithm; all others are AEADs."""


_MODES = ("-ecb", "-cbc", "-ctr")
"""What a block cipher's name ends with."""


@dataclass(frozen=True)
class Entrant:
    """An implementation as a study sees it, present here or not.

    Attributes
    ----------
    kind
        Presumed from the name where it is not here.
    splits
        Whether ParSplit takes it: AEADs, and of ciphers the baselines alone, since others have no tags.
    in_place
        Whether input and output may be one.
    parallel
        Whether it uses threads itself, and can be told how many.
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
        """Sealing and opening, or the one thing that the kind does."""
        return OPS[self.kind] if self.kind == "aead" else (self.first_op,)

    @property
    def first_op(self) -> Op:
        """Sealing, encrypting or hashing."""
        return OPS[self.kind][0]

    def whole(self, op: Op, length: int) -> Case:
        """One call over a message of so many bytes."""
        return Case(self.name, op, length, self.engine, self.model)

    def split(self, op: Op, length: int, blocks: Iterable[int], threads: Iterable[int]) -> list[Case]:
        """The message under ParSplit with every block size and thread count; nothing where it takes none."""
        if not self.splits:
            return []
        # A block longer than the message is the message; an empty message has a block too.
        sizes = dict.fromkeys(min(size, max(length, 1)) for size in blocks)
        return [
            Case(self.name, op, length, "parsplit", block_size=size, threads=count, schedule=SCHEDULE)
            for count, size in product(threads, sizes)
        ]


def entrants(catalogue: Catalogue, chosen: Iterable[str] | None, usual: Iterable[str]) -> Iterator[Entrant]:
    """What was chosen, or what a study usually compares, absent ones included; memcpy and XOR are always beside it."""
    for name in dict.fromkeys((*BASELINES, *(usual if chosen is None else chosen))):
        try:
            found: Implementation | None = catalogue.find(name)
        except UnknownNameError:
            found = None
        yield _absent(name) if found is None else _present(found)


def lines_last(entrants: Iterable[Entrant]) -> list[Entrant]:
    """The same, memcpy and XOR at the end, for studies of short messages: the first of a study is its A/A pair, and a
    copy of some bytes takes so little time that its noise says nothing of a cipher's.
    """
    return sorted(entrants, key=lambda one: one.name in BASELINES)


def _absent(name: str) -> Entrant:
    algorithm = computed(name.partition("/")[2])
    kind: Kind = "cipher" if algorithm.endswith(_MODES) else _PRESUMED.get(algorithm, "aead")
    splits = kind == "aead" or name in BASELINES
    return Entrant(name, kind, "whole", "keyed", splits, in_place=False, parallel=False)


def _present(found: Implementation) -> Entrant:
    description = found.description
    python = description.origin == "python"
    splits = description.kind == "aead" or (description.kind == "cipher" and "baseline" in description.flags)
    return Entrant(
        found.name,
        description.kind,
        "python" if python else "whole",
        # Some Python libraries have no object that outlives a message: their users pay for the key as well.
        "keyed" if "keyed" in found.models else "oneshot",
        splits and not python,
        in_place="in-place" in description.flags,
        parallel="parallel" in description.flags,
    )


def logical_cores() -> int:
    """Logical cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
