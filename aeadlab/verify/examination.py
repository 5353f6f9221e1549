"""Everything about an implementation that it takes to run it: checks of its own, and its answers to common messages.

An examination depends on that implementation alone, so it may come from another process, or from an earlier day.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify.cases import Case, cases
from aeadlab.verify.report import FAULTS, Check, fault

REFUSED = "refused"


@dataclass(frozen=True)
class Examination:
    """What came of running an implementation.

    Attributes
    ----------
    implementation
        Its name.
    checks
        Known answers, round trip, tamper and randomness, as far as they apply; of a composition also agreement with its
        parts.
    answers
        For each of `aeadlab.verify.cases.cases` a digest of the answer, `REFUSED`, or the fault in words.
    failure
        Why there is nothing else: how it ended its process, or ``""``.
    """

    implementation: str
    checks: tuple[Check, ...]
    answers: tuple[str, ...]
    failure: str = ""

    def check(self, name: str) -> Check | None:
        """The check of this name, or None where it does not apply."""
        return next((check for check in self.checks if check.name == name), None)

    def as_dict(self) -> dict[str, object]:
        """The examination as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The opposite of `as_dict`."""
        checks = tuple(map(Check.from_dict, stored["checks"]))
        return cls(stored["implementation"], checks, tuple(map(str, stored["answers"])), stored["failure"])


def answers(implementation: Implementation) -> tuple[str, ...]:
    """What an implementation answers to each of the common messages; see `Examination`."""
    return tuple(_answer(implementation, case) for case in cases(implementation.description))


def has_say(answer: str) -> bool:
    """Whether it is an answer or a refusal, and no fault; faults have a colon after the exception's name."""
    return ": " not in answer


def _answer(implementation: Implementation, case: Case) -> str:
    try:
        answer = case.answer(implementation)
    except ArgumentError:
        return REFUSED
    except FAULTS as error:
        return fault(error)
    return hashlib.blake2b(answer, digest_size=16).hexdigest()
