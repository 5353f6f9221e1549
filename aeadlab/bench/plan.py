"""Plans: the cases of a run, and their order in each round."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from aeadlab.bench.case import Case
from aeadlab.bench.profile import Profile
from aeadlab.dimensions import BASELINE
from aeadlab.errors import ArgumentError

WHOLE_RUNS = 3
"""Number of rounds for whole runs (`Case.is_whole_run`): the documents that measure these take three."""

CELL_RUNS = 8
"""Number of rounds for whole runs of cells: they decide claims, which three runs could do for large effects only."""

PAIRED_LENGTHS = 12
"""Largest number of lengths at which an engine has A/A pairs; others are judged by the pair of the nearest length."""

PAIRED_IMPLEMENTATIONS = 2
"""Number of implementations with an A/A pair at each length of an engine: one can be unusually steady."""


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
        """Return the number of rounds that contain a case: those of the first turns, see `turn`."""
        rounds, others = self.profile.rounds, self.profile.others
        if self.cases[index].is_whole_run:
            return min(whole_runs(self.cases[index]), rounds)
        if others is None or not self.named or self.cases[index].implementation in self.named:
            return rounds
        return min(others, rounds)

    def turn(self, round: int) -> int:
        """Return the position of a round in the sequence of the first rounds of all processes, then their second ones.

        A round contains the cases whose number of rounds is above its turn, so that cases with few rounds are spread
        over the processes.
        """
        return self._turns[round]

    @cached_property
    def _turns(self) -> tuple[int, ...]:
        shares = self.profile.shares
        return tuple(turn * len(shares) + process for process, share in enumerate(shares) for turn in range(len(share)))

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
            profile=Profile.from_json(stored["profile"]),
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


def whole_runs(case: Case) -> int:
    """Return the number of rounds for a whole run, in a profile that has as many."""
    return CELL_RUNS if case.engine == "cells" else WHOLE_RUNS


def with_noise_pairs(cases: Sequence[Case]) -> tuple[Case, ...]:
    """Return the cases, then the second arms of A/A pairs, which run in another process than the first arms.

    The `noise_examples` of the unmasked cases have pairs.
    """
    paired = noise_examples([case for case in cases if not case.mask])
    return (*cases, *(replace(case, replica=1) for case in paired))


def noise_examples(cases: Iterable[Case]) -> list[Case]:
    """Return the cases whose noise stands for that of all.

    Each engine, with one thread and with several, has examples at each of its lengths, because threads that wait for
    each other, calls from Python that allocate, and short messages have several times the noise of one library call. So
    have baselines, such as memcpy, which memory limits, and the others apart. Each of these groups has examples of its
    first `PAIRED_IMPLEMENTATIONS` implementations, or of its first one if its samples are whole runs. Of more than
    `PAIRED_LENGTHS` lengths, the shortest, the longest and others evenly between them have examples.
    """
    groups: dict[tuple[str, bool, bool], dict[int, dict[str, Case]]] = {}
    for case in cases:
        group = case.engine, case.threads > 1, case.implementation.startswith(BASELINE)
        of_length = groups.setdefault(group, {}).setdefault(case.bytes, {})
        if len(of_length) < (1 if case.is_whole_run else PAIRED_IMPLEMENTATIONS):
            of_length.setdefault(case.implementation, case)
    return [
        case
        for by_length in groups.values()
        for length in _spread(list(by_length), PAIRED_LENGTHS)
        for case in by_length[length].values()
    ]


def _spread(lengths: list[int], most: int) -> list[int]:
    """Return at most `most` of the lengths, in their order: by size, the first, the last and others evenly between."""
    if len(lengths) <= most:
        return lengths
    ascending = sorted(lengths)
    chosen = {ascending[i * (len(lengths) - 1) // (most - 1)] for i in range(most)}
    return [length for length in lengths if length in chosen]
