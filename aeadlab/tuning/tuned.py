"""What tuning found: a table, a choice, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from aeadlab.automatic import Settings
from aeadlab.parsplit import ParSplit

TOO_NOISY = 0.10
"""Where equal cases differ by more than this, something else was using the machine."""

TOO_BUSY = 0.25
"""Cores; so much from other programs, and the number of threads cannot be judged."""

LEAST_CORES = 0.75
"""Of as many as there are threads; where no long message got so much, others had the rest."""
_LONG = 16 << 20
"""Bytes; in a shorter message threads may have nothing left to do when they have woken up."""


def size(bytes: int) -> str:
    """A length in the largest unit that it is a multiple of."""
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if bytes and bytes % (1 << shift) == 0:
            return f"{bytes >> shift} {unit}"
    return f"{bytes} B"


@dataclass(frozen=True)
class Row:
    """A candidate as it was measured.

    Attributes
    ----------
    gib_per_s, low, high
        Median speed in GiB/s of payload, and its 95 % interval.
    memcpy_share
        Speed over that of ``memcpy`` with as many threads, in the same rounds; None where that could not be run.
    equal
        Whether the clock does not tell it from the fastest.
    cores
        Cores that it was given: CPU time over wall time, the median.
    """

    implementation: str
    block_size: int
    threads: int
    gib_per_s: float
    low: float
    high: float
    memcpy_share: float | None
    equal: bool
    cores: float

    @property
    def settings(self) -> Settings:
        """What a ParSplit is made of."""
        return Settings(self.implementation, self.block_size, self.threads)


@dataclass(frozen=True)
class Tuned:
    """The result of `aeadlab.tune`.

    Attributes
    ----------
    settings
        What was chosen.
    why
        In words.
    rows
        What was measured, the fastest first.
    screened
        GiB/s of implementations that a first look left behind, the fastest first.
    excluded
        Implementations that may not be chosen, and why.
    bytes
        Length of the messages that were measured; `screening_bytes` those of the first look.
    machine
        What the choice depends on.
    noise
        Differences within this share say nothing.
    remembered
        Whether it was measured earlier. What is not `reliable` is not remembered.
    busy
        Cores that other programs kept busy just before or after, the more of the two.
    """

    settings: Settings
    why: str
    rows: tuple[Row, ...]
    screened: Mapping[str, float]
    excluded: Mapping[str, str]
    bytes: int
    screening_bytes: int
    machine: Mapping[str, Any]
    rounds: int
    seconds: float
    noise: float
    busy: float
    date: str
    remembered: bool = False

    @property
    def reliable(self) -> bool:
        """Whether the machine was quiet enough to choose well.

        Cores are looked at besides the noise: threads that share one slow all cases alike, and then one thread seems
        to be as fast as two.
        """
        return self.noise <= TOO_NOISY and self.busy <= TOO_BUSY and self.granted >= LEAST_CORES

    @property
    def granted(self) -> float:
        """Share of a core that each thread had, where several worked on a long message; 1 where none did."""
        shares = [row.cores / row.threads for row in self.rows if row.threads > 1 and self.bytes >= _LONG]
        return max(shares, default=1.0)

    def parsplit(self) -> ParSplit:
        """A ParSplit of these settings."""
        return ParSplit(*self.settings)

    def as_dict(self) -> dict[str, Any]:
        """A form that can be stored as JSON."""
        return {**asdict(self), "settings": self.settings._asdict()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The opposite of `as_dict`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If something is missing, or of another type.
        """
        chosen = Settings(**stored["settings"])
        rows = tuple(Row(**row) for row in stored["rows"])
        if chosen not in [row.settings for row in rows]:
            raise ValueError(f"{chosen} was not measured")
        if not all(isinstance(row.gib_per_s, float) and isinstance(row.threads, int) for row in rows):
            raise TypeError("a row holds no numbers")
        return cls(**{**stored, "settings": chosen, "rows": rows})
