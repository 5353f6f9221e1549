"""A case: one point to be timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from aeadlab.errors import ArgumentError

Engine = Literal["whole", "parsplit", "python"]
Model = Literal["oneshot", "keyed"]
Op = Literal["seal", "open", "encrypt", "decrypt", "digest"]
Placement = Literal["separate", "in-place"]

MAX_BYTES = 4 << 30
"""The longest message that the lab times: 4 GiB."""


@dataclass(frozen=True, order=True)
class Case:
    """One implementation, driven in one way; lengths in bytes.

    Attributes
    ----------
    block_size, schedule
        0 and ``""`` unless the engine is ``parsplit``.
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
    replica: int = 0

    def __post_init__(self) -> None:
        split = self.engine == "parsplit"
        if not 0 <= self.bytes <= MAX_BYTES:
            raise ArgumentError(f"{self.bytes} bytes given, 0 to {MAX_BYTES} wanted")
        if self.block_size < 0 or split != bool(self.block_size) or split != bool(self.schedule):
            raise ArgumentError(
                f"engine {self.engine!r} with block size {self.block_size} and schedule {self.schedule!r}: "
                "both are given for parsplit, and for nothing else"
            )
        if not 1 <= self.threads <= 256 or (self.threads > 1 and not split):
            raise ArgumentError(
                f"{self.threads} threads given for engine {self.engine!r}: 1 to 256 for parsplit, else 1"
            )

    @property
    def label(self) -> str:
        """The case in words, for progress and messages."""
        split = f" in {self.block_size} B blocks, {self.threads} threads, {self.schedule}" if self.block_size else ""
        again = " (A/A)" if self.replica else ""
        place = " in place" if self.placement == "in-place" else ""
        return f"{self.implementation} {self.op} {self.bytes} B {self.engine}{split}{place}, {self.model}{again}"

    def row(self) -> dict[str, Any]:
        """The case's columns in a record."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        """The opposite of `row`; other keys are ignored."""
        return cls(**{f.name: row[f.name] for f in fields(cls)})
