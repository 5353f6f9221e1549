"""Profiles: the effort that a study gets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, cast, get_args

from aeadlab.bench.case import MAX_BYTES
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, UnknownNameError

Effort = Literal["smoke", "quick", "paper"]

MIN_SAMPLES = 6
"""Smallest number of samples whose median has an interval."""


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
        Largest number of samples of each case.
    warm_up_seconds
        Time for which each implementation runs before its first sample, in one of its cases; its other cases run once.
    sample_seconds
        Shorter executions are batched until a sample takes this long; 0 stands for single executions.
    budget_seconds
        Time after which no further round is started; None takes all rounds.
    processes
        Number of processes that share the rounds. The addresses of stack and heap differ between processes and change
        the speed of the same code by up to ten percent (Mytkowicz, Diwan, Hauswirth, Sweeney, ASPLOS 2009), so that
        one process is one observation.
    precision
        A run ends before `rounds` when the half-width of each median's interval is at most this share of the median.
        None takes all rounds.
    least
        Number of rounds that are divided evenly among `processes`; None stands for `rounds`. `precision` is checked
        after the share of each process, so a run can end before this number. Any further process gets the same share.
    case_seconds
        Limit on the total time of a case's samples, so that one slow cipher does not take the time of all others. A
        case above it gets no further samples once it has `MIN_SAMPLES`. None sets no limit.
    others
        Number of rounds for the implementations that a plan does not name (`aeadlab.bench.plan.Plan.named`); their
        warm-up is one execution. None treats all alike.
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
    precision: float | None = None
    least: int | None = None
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
    def share(self) -> int:
        """Number of rounds of one process."""
        return -(-min(self.least or self.rounds, self.rounds) // self.processes)

    def with_changes(self, bytes: int | None = None, samples: int | None = None, budget: float | None = None) -> Self:
        """Return the profile with another message length, number of samples or time budget, named with a ``*``.

        The effort stays. A number of samples removes the limits `precision`, `least`, `case_seconds` and `others`, and
        a length removes `shorter`.

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
            precision=self.precision if samples is None else None,
            least=self.least if samples is None else None,
            case_seconds=self.case_seconds if samples is None else None,
            others=self.others if samples is None else None,
            shorter=self.shorter if bytes is None else 0,
            budget_seconds=self.budget_seconds if budget is None else budget,
        )


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("smoke", bytes=1 << 20, rounds=5, warm_up_seconds=0.0, sample_seconds=2e-4, budget_seconds=10.0),
        Profile(
            "quick",
            bytes=1 << 30,
            rounds=36,
            warm_up_seconds=0.0,
            sample_seconds=1e-3,
            budget_seconds=120.0,
            processes=3,
            precision=0.01,
            least=12,
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
            processes=10,
            others=12,
        ),
    )
}


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
