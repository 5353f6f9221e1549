"""How much effort a study gets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from aeadlab.bench.case import MAX_BYTES
from aeadlab.errors import ArgumentError, UnknownNameError

FEW = 6
"""Samples from which a median has an interval."""


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
        Time for which each implementation runs before its first sample, in one of its cases; all others run once.
    sample_seconds
        A shorter execution is batched until a sample takes this long; 0 times single executions only.
    budget_seconds
        No further round is started after this time; None means all rounds.
    processes
        Processes that share the rounds. Where stack and heap lie differs from process to process and moves the same
        code by ten percent (Mytkowicz, Diwan, Hauswirth, Sweeney, ASPLOS 2009): one process is one draw of that.
    precision
        Half-width of the interval of a median, as a share of it, that is narrow enough: a run whose cases are all that
        narrow ends before `rounds`. None takes all rounds.
    least
        Rounds that are taken however narrow; None means `rounds`. Each process takes its share of these, and then there
        is one process more at a time.
    case_seconds
        A case whose samples have taken this long in all, and are `FEW` at least, gets no more: one slow cipher would
        take the time of all others. None means no such limit.
    others
        Rounds, the first, in which a case of an implementation is taken that its plan does not name as one that the
        question is about; these are not warmed up for longer than once either. None treats all alike.
    shorter
        Power of two by which messages are shorter in studies that vary something besides: they have so many cases that
        large messages would leave too few rounds for an interval.
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
    def varied_bytes(self) -> int:
        """Size of a large message in a study that varies something besides."""
        return self.bytes >> self.shorter

    @property
    def share(self) -> int:
        """Rounds that one process takes."""
        return -(-min(self.least or self.rounds, self.rounds) // self.processes)

    def with_changes(self, bytes: int | None = None, samples: int | None = None, budget: float | None = None) -> Self:
        """The profile with another message size, number of samples or time budget; the name says so.

        A number of samples is taken as it is: no case is ended earlier.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If there are to be no samples or no time, or the message is longer than any.
        """
        if bytes is None and samples is None and budget is None:
            return self
        if bytes is not None and not 0 <= bytes <= MAX_BYTES:
            raise ArgumentError(f"{bytes} bytes given, 0 to {MAX_BYTES} wanted")
        if samples is not None and samples < 1:
            raise ArgumentError(f"{samples} samples given, at least 1 wanted")
        if budget is not None and not budget > 0:
            raise ArgumentError(f"a budget of {budget:g} s given, more than 0 wanted")
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


_TABLE = (
    # name, bytes, rounds, warm-up, sample, budget, processes, precision, least, case, others, shorter
    ("smoke", 1 << 20, 5, 0.0, 2e-4, 10.0, 1),
    ("quick", 1 << 30, 36, 0.0, 1e-3, 120.0, 3, 0.01, 12, 15.0, None, 3),
    # ETH, section 3: 1 GiB, 5 s of warm-up, 100 samples of one iteration; what is shorter than the clock can tell is
    # batched here too.
    ("paper", 1 << 30, 100, 5.0, 1e-5, None, 10, None, None, None, 12),
)
PROFILES = {row[0]: Profile(*row) for row in _TABLE}


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
