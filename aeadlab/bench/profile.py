"""How much effort a study gets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from aeadlab.errors import ArgumentError, UnknownNameError


@dataclass(frozen=True)
class Profile:
    """Effort of a run.

    Attributes
    ----------
    bytes
        Size of a large message: studies that vary the size scale theirs by it.
    rounds
        Samples of each case, at most.
    warm_up_seconds
        Time for which each case runs before its first sample; at least once.
    sample_seconds
        A shorter execution is batched until a sample takes this long; 0 times single executions only.
    budget_seconds
        No further round is started after this time; None means all rounds.
    """

    name: str
    bytes: int
    rounds: int
    warm_up_seconds: float
    sample_seconds: float
    budget_seconds: float | None

    def with_changes(self, bytes: int | None = None, samples: int | None = None) -> Self:
        """The profile with another message size or number of samples; the name says so."""
        if bytes is None and samples is None:
            return self
        if samples is not None and samples < 1:
            raise ArgumentError(f"{samples} samples given, at least 1 wanted")
        return replace(
            self,
            name=f"{self.name.removesuffix('*')}*",
            bytes=self.bytes if bytes is None else bytes,
            rounds=self.rounds if samples is None else samples,
        )


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", bytes=1 << 20, rounds=5, warm_up_seconds=0.0, sample_seconds=2e-4, budget_seconds=20.0),
        Profile("quick", bytes=1 << 30, rounds=15, warm_up_seconds=0.0, sample_seconds=1e-3, budget_seconds=240.0),
        # ETH, section 3: 1 GiB, 5 s of warm-up, 100 samples of one iteration; what is shorter than the clock can tell
        # is batched here too.
        Profile("paper", bytes=1 << 30, rounds=100, warm_up_seconds=5.0, sample_seconds=1e-5, budget_seconds=None),
    )
}


def find_profile(name: str) -> Profile:
    """The profile called `name`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none.
    """
    if name not in PROFILES:
        raise UnknownNameError(f"no profile is called {name!r}; there are {', '.join(PROFILES)}")
    return PROFILES[name]
