"""A case: one implementation, run in one way, to be timed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from aeadlab._native import MAX_THREADS
from aeadlab.catalogue.kinds import OPS, Model, Op
from aeadlab.dimensions import BY_NAME, DEFAULT_CONDITIONS
from aeadlab.errors import ArgumentError

__all__ = ["MAX_AAD_BYTES", "MAX_BYTES", "Cache", "Case", "Engine", "Model", "Op", "Placement", "Tags"]

Engine = Literal["whole", "parsplit", "python", "cells"]
Placement = Literal["separate", "in-place"]
Tags = Literal["concatenated", "digest", "merkle", "blake3", "standard"]
Cache = Literal["warm", "cold"]

MAX_BYTES = 4 << 30
"""Longest message in bytes: 4 GiB."""

MAX_AAD_BYTES = 64 << 20
"""Longest associated data in bytes: 64 MiB."""

LONG_OUTPUT = 1 << 30
"""Bytes of output of each stream above which a case is a whole run."""


@dataclass(frozen=True, order=True)
class Case:
    """One implementation, run in one way; lengths in bytes.

    `aeadlab.dimensions` declares the default of each field and its form in tables and names.

    Attributes
    ----------
    bytes
        Length of the message, of all messages of ``cells`` together, or of the output of all streams of a generator.
    engine
        ``whole`` is one call over the message, ``parsplit`` splits it into blocks, ``python`` is a call from Python,
        ``cells`` makes one call after the other, each over a message of `block_size` bytes under the same key.
    block_size
        Length of a block of ``parsplit``, of a cell, or of a request to a generator. For ``whole`` it is passed to a
        parallel implementation, which chooses the block size if it is 0. Otherwise 0.
    threads
        Threads of ``parsplit``, or streams of a generator. For ``whole`` and ``python`` it is passed to a parallel
        implementation that accepts a thread count. Otherwise 1.
    schedule
        Schedule of ``parsplit``, otherwise ``""``.
    tags
        The form of the tags of ``parsplit``, as for `aeadlab.ParSplit`. ``standard`` is one message of AES-GCM with one
        tag, in segments of `block_size`; ``blake3`` takes a cipher, which then seals and opens.
    model
        ``oneshot`` sets up the key in the timed part, ``keyed`` before it. ``rekeyed`` sets it up for each block of
        ``parsplit``, as the ETH paper's program does.
    cache
        ``warm``: each execution finds what its predecessor left in the caches, or its own preparation
        (`aeadlab.bench.drivers.Preparation`). ``cold``: before each execution, outside the timed part, message,
        associated data and output are removed from all caches.
    mask
        CPU features that are hidden from the library, see `aeadlab.bench.masks.masks`; ``""`` for none.
    replica
        1 for the second arm of an A/A pair, which repeats the case with replica 0; the ratio of the two is noise.
    aad_bytes
        Length of the associated data of each message, for AEADs with the engines ``whole``, ``parsplit``, ``python``.
    """

    implementation: str
    op: Op
    bytes: int
    engine: Engine = "whole"
    model: Model = "keyed"
    block_size: int = 0
    threads: int = 1
    schedule: str = ""
    placement: Placement = "separate"
    cache: Cache = "warm"
    mask: str = ""
    replica: int = 0
    aad_bytes: int = 0
    tags: Tags = "concatenated"

    def __post_init__(self) -> None:
        split, cells = self.engine == "parsplit", self.engine == "cells"
        # The output of a generator and the message of cells are never in memory as a whole.
        if self.bytes < 0 or self.message_bytes > MAX_BYTES:
            raise ArgumentError(f"{self.bytes} bytes given, 0 to {MAX_BYTES} expected")
        # Whether an implementation takes a block size or threads for `whole` is checked when the case is prepared.
        python = self.engine == "python"
        wrong = ((split or cells) and not self.block_size) or (python and self.block_size)
        if self.block_size < 0 or wrong or split != bool(self.schedule):
            raise ArgumentError(
                f"engine {self.engine!r} with block size {self.block_size} and schedule {self.schedule!r} given: "
                "parsplit requires both, cells a block size, whole accepts a block size, python neither"
            )
        if cells and self.bytes % self.block_size:
            raise ArgumentError(f"{self.bytes} bytes given, a multiple of the cell's {self.block_size} bytes expected")
        if not 1 <= self.threads <= MAX_THREADS or (self.threads > 1 and cells):
            raise ArgumentError(
                f"{self.threads} threads given for engine {self.engine!r}, 1 to {MAX_THREADS} expected, and 1 for cells"
            )
        if self.model == "rekeyed" and not split:
            raise ArgumentError(f"model rekeyed with engine {self.engine!r} given: only parsplit has blocks to rekey")
        if self.tags != "concatenated" and (not split or self.model == "rekeyed"):
            raise ArgumentError(
                f"tags {self.tags} with engine {self.engine!r} and model {self.model} given: engine parsplit and "
                "another model than rekeyed expected"
            )
        if not 0 <= self.aad_bytes <= MAX_AAD_BYTES or (self.aad_bytes and (cells or self.op not in OPS["aead"])):
            raise ArgumentError(
                f"{self.aad_bytes} bytes of associated data given for op {self.op} and engine {self.engine}, 0 to "
                f"{MAX_AAD_BYTES} expected, and 0 unless an AEAD seals or opens with engine whole, parsplit or python"
            )
        if self.cache == "cold" and python:
            raise ArgumentError("engine python with a cold cache given: Python objects cannot be removed from caches")

    @property
    def is_whole_run(self) -> bool:
        """Whether a sample reproduces a whole run of a document, which takes seconds: such cases get few samples."""
        return self.engine == "cells" or (self.op == "generate" and self.bytes // self.threads > LONG_OUTPUT)

    @property
    def message_bytes(self) -> int:
        """Bytes of memory that one call's message takes; 0 for a generator."""
        if self.op == "generate":
            return 0
        return self.block_size if self.engine == "cells" else self.bytes

    @property
    def label(self) -> str:
        """The case in words, for progress and messages."""
        split = self.engine == "parsplit"
        parts = [f"in {self.block_size} B blocks"] * bool(self.block_size)
        parts += [f"{self.threads} threads"] * (split or self.threads > 1)
        parts += [self.schedule] * split
        engine = " ".join(part for part in (self.engine, ", ".join(parts)) if part)
        settings = {name: getattr(self, name) for name in DEFAULT_CONDITIONS}
        special = [BY_NAME[name].words(value) for name, value in settings.items() if value != DEFAULT_CONDITIONS[name]]
        return ", ".join([f"{self.implementation} {self.op} {self.bytes} B {engine}", self.model, *special])

    def row(self) -> dict[str, Any]:
        """Return the case's columns in a record."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the case of a row, which may have other columns, and lack those with defaults and a length of 0."""
        return cls(**({"bytes": 0} | {f.name: row[f.name] for f in fields(cls) if f.name in row}))
