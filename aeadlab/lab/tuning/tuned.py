"""The result of tuning: the measured settings, the choice, and its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from aeadlab.lab.tuning.choice import Settings
from aeadlab.parsplit.parsplit import ParSplit

MAX_NOISE = 0.10
"""Noise floor as a ratio minus one; above it, something else was using the machine."""

MAX_BUSY_CORES = 0.25
"""Cores that other programs may keep busy; above it, thread counts cannot be compared."""

MIN_CORE_SHARE = 0.75
"""Share of a core that each thread must have got in some long message; below it, other programs had the rest."""

_LONG_BYTES = 16 << 20
"""Length from which on the core share is judged: in shorter messages, threads that start late have no work left."""


@dataclass(frozen=True)
class Row:
    """A measured candidate; `low` and `high` are the 95 % interval of its median speed in GiB/s of payload."""

    implementation: str
    block_size: int
    threads: int
    gib_per_s: float
    low: float
    high: float
    memcpy_share: float | None
    """Speed relative to ``memcpy`` with the same thread count in the same rounds; None if memcpy failed."""
    equal: bool
    """Whether it is not distinguishable from the fastest."""
    cores: float
    """Median of CPU time over wall time."""

    @property
    def settings(self) -> Settings:
        """Arguments of a ParSplit."""
        return Settings(self.implementation, self.block_size, self.threads)


@dataclass(frozen=True)
class Tuned:
    """The result of `aeadlab.tune`.

    Attributes
    ----------
    settings, why
        The chosen settings, and the reason for the choice in sentences.
    rows
        The measured candidates, the fastest first.
    screened
        GiB/s of the implementations that were eliminated in the screening round, the fastest first.
    excluded
        Reasons against the implementations that may not be chosen, by name.
    bytes, screening_bytes
        Length of the messages that were measured, and of those in the screening round.
    machine, date
        Facts on which the choice depends, and UTC time of the measurement.
    rounds, seconds
        Number of rounds, and duration of the measurement in seconds.
    noise, busy
        Noise floor as a ratio minus one, and cores that other programs kept busy just before or just after.
    remembered
        Whether the result is from an earlier call. Only a `reliable` result is stored.
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
        """Whether the machine was quiet enough for a choice.

        The noise alone does not show threads that share a core: they slow all cases alike, and then one thread seems to
        be as fast as two.
        """
        return self.noise <= MAX_NOISE and self.busy <= MAX_BUSY_CORES and self.granted >= MIN_CORE_SHARE

    @property
    def granted(self) -> float:
        """Largest share of a core for each thread of a long message; 1 if no candidate has several threads."""
        shares = [row.cores / row.threads for row in self.rows if row.threads > 1 and self.bytes >= _LONG_BYTES]
        return max(shares, default=1.0)

    def parsplit(self) -> ParSplit:
        """Return a ParSplit with these settings."""
        return ParSplit(*self.settings)

    def as_dict(self) -> dict[str, Any]:
        """Return a form that can be stored as JSON."""
        return {**asdict(self), "settings": self.settings._asdict()}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the result of an `as_dict`; raise KeyError, TypeError or ValueError where an entry is unusable."""
        chosen = Settings(**stored["settings"])
        rows = tuple(Row(**row) for row in stored["rows"])
        if chosen not in [row.settings for row in rows]:
            raise ValueError(f"{chosen} was not measured")
        if not all(isinstance(row.gib_per_s, float) and isinstance(row.threads, int) for row in rows):
            raise TypeError("a row holds no numbers")
        return cls(**{**stored, "settings": chosen, "rows": rows})
