"""A plan: the cases of a run, and the order in which its rounds take them."""

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
"""Rounds of what is a run of its own (`Case.is_whole_run`): the documents that measure so take three."""


@dataclass(frozen=True)
class Plan:
    """Everything that decides what a run does.

    Attributes
    ----------
    study
        Name of the study.
    seed
        Of the order of cases, and of the data; 64 bits.
    plugins
        Files and folders given by the user.
    named
        Implementations that the question is about; empty for all. What is not among them gets the rounds of
        `Profile.others`.
    """

    study: str
    profile: Profile
    cases: tuple[Case, ...]
    seed: int = 1
    plugins: tuple[str, ...] = field(default=())
    named: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if not self.cases:
            raise ArgumentError(f"study {self.study} has no cases here: the selection is empty")
        if len(set(self.cases)) != len(self.cases):
            raise ArgumentError(f"study {self.study} lists a case twice; an A/A pair has replica 0 and 1")
        if not 0 <= self.seed < 2**64:
            raise ArgumentError(f"seed {self.seed} given, 0 to 2^64 - 1 wanted")

    def rounds_of(self, index: int) -> int:
        """In how many rounds, the first ones, a case is taken."""
        rounds, others = self.profile.rounds, self.profile.others
        if self.cases[index].is_whole_run:
            return min(WHOLE_RUNS, rounds)
        if others is None or not self.named or self.cases[index].implementation in self.named:
            return rounds
        return min(others, rounds)

    @property
    def samples(self) -> int:
        """How many are taken where nothing ends the run earlier."""
        return sum(self.rounds_of(index) for index in range(len(self.cases)))

    def order(self, round: int) -> list[int]:
        """Indices of all cases in the random order of a round: drift meets all cases alike."""
        indices = list(range(len(self.cases)))
        random.Random(f"{self.seed}:{round}").shuffle(indices)
        return indices

    def to_json(self) -> dict[str, Any]:
        """A form that can be stored."""
        return {**asdict(self), "cases": [case.row() for case in self.cases]}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """The opposite of `to_json`."""
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
        """Hash of the plan: equal plans have equal definitions on every machine."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def with_noise_pair(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The cases, and the first of each engine, with one thread and with several, again as second arm of an A/A pair.

    Two threads wait for each other and a call from Python allocates: their noise is several times that of one call of
    a library, so that a pair of one says nothing of the others.
    """
    firsts: dict[tuple[str, bool], Case] = {}
    for case in cases:
        firsts.setdefault((case.engine, case.threads > 1), case)
    return (*cases, *(Case.from_row({**case.row(), "replica": 1}) for case in firsts.values()))
