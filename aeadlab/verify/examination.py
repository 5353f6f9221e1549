"""Examination of an implementation: the checks that need no other implementation, and its output for common messages.

An examination depends only on its implementation, so it can come from another process or from a cache.
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

UNSUPPORTED = "unsupported"
"""Answer of an implementation that rejects the lengths of a case."""


@dataclass(frozen=True)
class Examination:
    """Results of running an implementation.

    Attributes
    ----------
    implementation
        Name of the implementation.
    checks
        The applicable checks among known answers, round trip, tamper, many blocks, contexts and randomness; for a
        composition also agreement with its parts.
    answers
        For each of `aeadlab.verify.cases.cases` a digest of the output, `UNSUPPORTED`, or the exception in words.
    failure
        Description of a crash, hang or exit of the process, with which checks and answers are empty; or ``""``.
    lasting
        Whether another examination would have the same results. A failure is not lasting if its cause may be something
        other than the implementation.
    """

    implementation: str
    checks: tuple[Check, ...]
    answers: tuple[str, ...]
    failure: str = ""
    lasting: bool = True

    @property
    def faults(self) -> tuple[str, ...]:
        """The failure, the first failures of each check, and the exceptions among the answers."""
        failures = [failure for check in self.checks for failure in check.failures]
        return (*filter(None, [self.failure]), *failures, *filter(is_fault, self.answers))

    def check(self, name: str) -> Check | None:
        """Return the check of this name, or None if it does not apply."""
        return next((check for check in self.checks if check.name == name), None)

    def as_dict(self) -> dict[str, object]:
        """Return the examination for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the examination that `as_dict` converted."""
        checks = tuple(map(Check.from_dict, stored["checks"]))
        answers = tuple(map(str, stored["answers"]))
        return cls(str(stored["implementation"]), checks, answers, str(stored["failure"]), bool(stored["lasting"]))


def answers(implementation: Implementation) -> tuple[str, ...]:
    """Return the answers of an implementation for the common messages; see `Examination`."""
    return tuple(_answer(implementation, case) for case in cases(implementation.description))


def is_fault(answer: str) -> bool:
    """Return whether an answer is an exception, which has a colon after its name."""
    return ": " in answer


def _answer(implementation: Implementation, case: Case) -> str:
    try:
        output = case.output(implementation)
    except ArgumentError:
        return UNSUPPORTED
    except FAULTS as error:
        return fault(error)
    return hashlib.blake2b(output, digest_size=16).hexdigest()
