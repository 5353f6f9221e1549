"""A case: one point to be timed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from aeadlab.errors import ArgumentError
from aeadlab.kinds import Model, Op

__all__ = ["MAX_BYTES", "Cache", "Case", "Engine", "Model", "Op", "Placement"]

Engine = Literal["whole", "parsplit", "python", "cells"]
Placement = Literal["separate", "in-place"]
Cache = Literal["warm", "cold"]

MAX_BYTES = 4 << 30
"""The longest message that the lab times: 4 GiB."""

LONG_OUTPUT = 1 << 30
"""Bytes of one stream's output that are a run of their own."""


@dataclass(frozen=True, order=True)
class Case:
    """One implementation, driven in one way; lengths in bytes.

    Attributes
    ----------
    bytes
        Of the message; of all messages of ``cells``, and of what all streams of a generator make together.
    engine
        ``whole`` is one call over the message, ``parsplit`` cuts it into blocks, ``python`` is a call from Python;
        ``cells`` makes so many calls, one after the other, each over a message of `block_size` bytes under one key.
    block_size
        Of ``parsplit`` and ``cells``, of a request to a generator, or what an implementation that is parallel itself is
        told for ``whole``; else 0.
    threads
        Of ``parsplit``, streams of a generator, or what an implementation that is parallel itself is told for
        ``whole``; else 1. One that cannot be told uses as many as it likes.
    schedule
        ``""`` unless the engine is ``parsplit``.
    cache
        ``warm``: each execution finds what the one before it left; ``cold``: message and output are put out of all
        caches before each execution, outside the timed part.
    mask
        CPU features that its library was told not to use, as `aeadlab.bench.masks` names them; ``""`` for none.
    replica
        0, and 1 for the second arm of an A/A pair: the same case once more, whose ratio to the first is noise.
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

    def __post_init__(self) -> None:
        split, cells = self.engine == "parsplit", self.engine == "cells"
        # A generator's output and a message of cells are as long as they like: there is never all of it in memory.
        if self.bytes < 0 or self.message_bytes > MAX_BYTES:
            raise ArgumentError(f"{self.bytes} bytes given, 0 to {MAX_BYTES} wanted")
        # Whether an implementation takes them for `whole` is found out when the case is prepared.
        python = self.engine == "python"
        wrong = ((split or cells) and not self.block_size) or (python and self.block_size)
        if self.block_size < 0 or wrong or split != bool(self.schedule):
            raise ArgumentError(
                f"engine {self.engine!r} with block size {self.block_size} and schedule {self.schedule!r}: "
                "parsplit has both, cells a block size, whole at most that, python neither"
            )
        if cells and self.bytes % self.block_size:
            raise ArgumentError(f"{self.bytes} bytes given, a whole number of cells of {self.block_size} bytes wanted")
        if not 1 <= self.threads <= 256 or (self.threads > 1 and (python or cells)):
            raise ArgumentError(
                f"{self.threads} threads given for engine {self.engine!r}: 1 to 256, and 1 for python and cells"
            )
        if self.cache == "cold" and python:
            raise ArgumentError("engine python with a cold cache given: Python's own objects cannot be put out of it")

    @property
    def is_whole_run(self) -> bool:
        """Whether one sample is a run as a document took it, which is seconds long: few of them are taken."""
        return self.engine == "cells" or (self.op == "generate" and self.bytes // self.threads > LONG_OUTPUT)

    @property
    def message_bytes(self) -> int:
        """Bytes of one call's message: what there must be memory for; a generator has none."""
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
        how = "".join(f" {part}" for part in (self.engine, ", ".join(parts)) if part)
        again = " (A/A)" if self.replica else ""
        place = " in place" if self.placement == "in-place" else ""
        cold = ", cold" if self.cache == "cold" else ""
        mask = f", {self.mask}" if self.mask else ""
        return f"{self.implementation} {self.op} {self.bytes} B{how}{place}, {self.model}{cold}{mask}{again}"

    def row(self) -> dict[str, Any]:
        """The case's columns in a record."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """The opposite of `row`; other keys are ignored, and what is left out has its default; no bytes is 0."""
        return cls(**({"bytes": 0} | {f.name: row[f.name] for f in fields(cls) if f.name in row}))
