"""Profiles: the effort that a study gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal, Self, cast, get_args

from aeadlab.bench.case import MAX_BYTES
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, UnknownNameError

Effort = Literal["smoke", "quick", "paper"]

MIN_PROCESSES = 6
"""Smallest number of processes whose values have an interval without an assumption about their distribution."""

RETIRED = frozenset({"precision", "least"})
"""Fields of older records: a run ended when its intervals were narrow enough, after a smallest number of rounds."""


@dataclass(frozen=True)
class Profile:
    """Effort of a run.

    Attributes
    ----------
    name
        A standard profile's name, followed by ``*`` after `with_changes`, or any other name.
    bytes
        Length of a large message; studies that vary the length scale theirs by it.
    rounds
        Largest number of samples of each case. They are divided evenly among `processes`.
    warm_up_seconds
        Time for which each implementation runs before its first sample, in one of its cases; its other cases run once.
    sample_seconds
        Shorter executions are batched until a sample takes this long; 0 stands for single executions.
    budget_seconds
        Time after which no further process is started; None takes all rounds. Each process takes as many of its rounds
        as leave time for the same number in all later processes, and at least one.
    processes
        Number of processes that share the rounds; with fewer rounds, each round has its own. The addresses of stack and
        heap differ between processes and change the speed of the same code by up to ten percent (Mytkowicz, Diwan,
        Hauswirth, Sweeney, ASPLOS 2009), so that one process is one observation.
    case_seconds
        Limit on the total time of a case's samples, so that one slow cipher does not take the time of all others. A
        slower case takes fewer samples in each process, at least one; if these take longer too, only the first
        processes sample it, at least `MIN_PROCESSES`. None sets no limit.
    others
        Number of rounds, one in a process, for the implementations that a plan does not name
        (`aeadlab.bench.plan.Plan.named`); their warm-up is one execution. None treats all alike.
    shorter
        Number of times that the length of a large message is halved in studies that vary another dimension: these
        have so many cases that large messages would leave too few rounds for an interval.
    """

    name: str
    bytes: int
    rounds: int
    warm_up_seconds: float
    sample_seconds: float
    budget_seconds: float | None
    processes: int = 1
    case_seconds: float | None = None
    others: int | None = None
    shorter: int = 0

    @property
    def effort(self) -> Effort:
        """The standard profile that this one is or was made from, which decides how many cases a study selects.

        ``smoke`` shows that everything runs, ``quick`` answers a study's question within minutes, and ``paper`` adds
        everything that the catalogue has. It is ``quick`` for any other profile.
        """
        base = self.name.removesuffix("*")
        return cast(Effort, base) if base in get_args(Effort) else "quick"

    @property
    def varied_bytes(self) -> int:
        """Length of a large message in a study that varies another dimension than the length."""
        return self.bytes >> self.shorter

    @property
    def shares(self) -> tuple[range, ...]:
        """The rounds of each process; their numbers differ by one at most, and the first processes have more."""
        count = min(self.processes, self.rounds)
        each, more = divmod(self.rounds, count)
        starts = [process * each + min(process, more) for process in range(count + 1)]
        return tuple(range(start, end) for start, end in pairwise(starts))

    def turns_within(self, samples: int) -> int:
        """Return the number of rounds of a case for which `case_seconds` allows this number of samples.

        It is the same in all processes, if possible.
        """
        processes = len(self.shares)
        if samples >= self.rounds:
            return self.rounds
        return samples - samples % processes if samples > processes else max(samples, min(processes, MIN_PROCESSES))

    def with_changes(self, bytes: int | None = None, samples: int | None = None, budget: float | None = None) -> Self:
        """Return the profile with another message length, number of samples or time budget, named with a ``*``.

        The effort stays. A number of samples removes the limits `case_seconds` and `others`, and a length removes
        `shorter`.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the number of samples or the budget is not positive, or the length is negative or above `MAX_BYTES`.
        """
        if bytes is None and samples is None and budget is None:
            return self
        if bytes is not None and not 0 <= bytes <= MAX_BYTES:
            raise ArgumentError(f"{bytes} bytes given, 0 to {MAX_BYTES} expected")
        if samples is not None and samples < 1:
            raise ArgumentError(f"{samples} samples given, at least 1 expected")
        if budget is not None and not budget > 0:
            raise ArgumentError(f"a budget of {budget:g} s given, more than 0 expected")
        return replace(
            self,
            name=f"{self.name.removesuffix('*')}*",
            bytes=self.bytes if bytes is None else bytes,
            rounds=self.rounds if samples is None else samples,
            case_seconds=self.case_seconds if samples is None else None,
            others=self.others if samples is None else None,
            shorter=self.shorter if bytes is None else 0,
            budget_seconds=self.budget_seconds if budget is None else budget,
        )

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return a stored profile without the fields `RETIRED`, which older records have."""
        return cls(**{name: value for name, value in stored.items() if name not in RETIRED})


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("smoke", bytes=1 << 20, rounds=5, warm_up_seconds=0.0, sample_seconds=2e-4, budget_seconds=10.0),
        Profile(
            "quick",
            bytes=1 << 30,
            rounds=56,
            warm_up_seconds=0.0,
            sample_seconds=1e-3,
            budget_seconds=300.0,
            processes=14,
            case_seconds=15.0,
            shorter=3,
        ),
        # ETH, section 3: 1 GiB, 5 s of warm-up, 100 samples of one iteration. Executions below the resolution of the
        # clock are batched here too.
        Profile(
            "paper",
            bytes=1 << 30,
            rounds=100,
            warm_up_seconds=5.0,
            sample_seconds=1e-5,
            budget_seconds=None,
            processes=20,
            others=12,
        ),
    )
}


REFERENCE: Final = "reference"
"""The profile of a notebook that shows the reference record and measures nothing."""


def check_notebook_profile(name: str) -> None:
    """Raise `aeadlab.errors.UnknownNameError` unless `name` is `REFERENCE` or the name of a profile."""
    known = (REFERENCE, *PROFILES)
    if name not in known:
        raise UnknownNameError(f"no profile is called {name!r}; {hint(name, known)}")


def find_profile(name: str) -> Profile:
    """Return the profile called `name`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none.
    """
    if name not in PROFILES:
        raise UnknownNameError(f"no profile is called {name!r}; {hint(name, PROFILES)}")
    return PROFILES[name]
