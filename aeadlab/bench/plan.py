"""Plans: the cases of a run, and their order in each round."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.errors import ArgumentError

WHOLE_RUNS = 3
"""Number of rounds for whole runs (`Case.is_whole_run`): the documents that measure these take three."""


@dataclass(frozen=True)
class Plan:
    """All settings of a run.

    Attributes
    ----------
    study
        Name of the study.
    seed
        Of the order of cases and of the data; 64 bits.
    plugins
        Files and folders given by the user.
    named
        Implementations that take part in all rounds; others take part in `Profile.others` rounds. Empty names all.
    """

    study: str
    profile: Profile
    cases: tuple[Case, ...]
    seed: int = 1
    plugins: tuple[str, ...] = field(default=())
    named: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.cases:
            raise ArgumentError(f"study {self.study} has no cases for this selection: select other implementations")
        if len(set(self.cases)) != len(self.cases):
            raise ArgumentError(f"study {self.study} lists a case twice: give the arms of an A/A pair replica 0 and 1")
        if not 0 <= self.seed < 2**64:
            raise ArgumentError(f"seed {self.seed} given, 0 to 2^64 - 1 expected")

    def rounds_of(self, index: int) -> int:
        """Return the number of rounds that contain a case; they are the first rounds of the run."""
        rounds, others = self.profile.rounds, self.profile.others
        if self.cases[index].is_whole_run:
            return min(WHOLE_RUNS, rounds)
        if others is None or not self.named or self.cases[index].implementation in self.named:
            return rounds
        return min(others, rounds)

    @property
    def samples(self) -> int:
        """Number of samples of a complete run, without warm-ups."""
        return sum(self.rounds_of(index) for index in range(len(self.cases)))

    def order(self, round: int) -> list[int]:
        """Return the indices of all cases in the random order of a round, which spreads drift evenly over the cases."""
        indices = list(range(len(self.cases)))
        random.Random(f"{self.seed}:{round}").shuffle(indices)
        return indices

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        return {**asdict(self), "cases": [case.row() for case in self.cases]}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Return the plan of `to_json`."""
        return cls(
            study=stored["study"],
            profile=Profile(**stored["profile"]),
            cases=tuple(Case.from_row(row) for row in stored["cases"]),
            seed=stored["seed"],
            plugins=tuple(stored["plugins"]),
            named=tuple(stored.get("named", ())),
        )

    @property
    def definition(self) -> str:
        """Hash of the plan, equal for equal plans on every machine."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_noise_pair(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases, then the second arms of A/A pairs: one for each engine, with one thread and with several.

    Threads that wait for each other and calls from Python that allocate have several times the noise of one library
    call, so each of them has a pair of its own.
    """
    firsts: dict[tuple[str, bool], Case] = {}
    for case in cases:
        firsts.setdefault((case.engine, case.threads > 1), case)
    return (*cases, *(Case.from_row({**case.row(), "replica": 1}) for case in firsts.values()))
