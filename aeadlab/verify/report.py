"""Results of verification: counts per check and source, and the first failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from aeadlab.display.printable import printable
from aeadlab.errors import ArgumentError, Error, VerificationError

MAX_FAILURES = 5
"""Number of failures that a check lists."""
FAULTS = (
    Error,
    ArithmeticError,
    AttributeError,
    BufferError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Exceptions of a faulty implementation, which verification counts as failures."""


@dataclass(frozen=True)
class Check:
    """Result of one check of one implementation.

    Attributes
    ----------
    name
        ``known answers``, ``agreement``, ``round trip``, ``tamper``, ``many blocks``, ``contexts``, ``randomness`` or
        ``files``.
    run, failed
        Number of cases that ran, and of those that failed.
    failures
        Descriptions of the first failures.
    skipped
        Number of cases that do not apply, by reason.
    sources
        Number of cases that ran, by publisher, compared implementation or kind of case.
    """

    name: str
    run: int
    failed: int
    failures: tuple[str, ...]
    skipped: Mapping[str, int]
    sources: Mapping[str, int]

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the check that `dataclasses.asdict` converted; other keys are ignored."""
        numbers = stored["run"], stored["failed"]
        return cls(stored["name"], *numbers, tuple(stored["failures"]), stored["skipped"], stored["sources"])

    @property
    def ok(self) -> bool:
        """Whether a case ran and none failed."""
        return self.run > 0 and self.failed == 0

    @property
    def reason(self) -> str:
        """Reason why the check is not ok, or ``""``."""
        if self.ok:
            return ""
        if self.failed:
            return f"{self.name}: {self.failed} of {self.run} failed, first: {self.failures[0]}"
        reasons = ", ".join(f"{reason} ({count})" for reason, count in self.skipped.items())
        return f"{self.name}: no case ran{': ' + reasons if reasons else ''}"


@dataclass(frozen=True)
class Report:
    """Result of the verification of one implementation.

    Attributes
    ----------
    implementation, version
        Its name, and the version that its library reports.
    checks
        The applicable checks.
    unverifiable
        Whether no check failed, but there is neither a known answer nor another library or reference.
    reason
        Reason why the implementation is not ok, or ``""``.
    """

    implementation: str
    version: str
    checks: tuple[Check, ...]
    unverifiable: bool
    reason: str

    @property
    def ok(self) -> bool:
        """Whether the implementation may be timed."""
        return not self.reason

    @property
    def verdict(self) -> str:
        """``ok``, ``FAILED``, or ``?`` if it is unverifiable."""
        return "?" if self.unverifiable else "ok" if self.ok else "FAILED"

    def check(self, name: str) -> Check | None:
        """Return the check of this name, or None if it does not apply."""
        return next((check for check in self.checks if check.name == name), None)

    def as_dict(self) -> dict[str, object]:
        """Return the report for JSON."""
        checks = [{**asdict(check), "ok": check.ok} for check in self.checks]
        return {**asdict(self), "checks": checks, "ok": self.ok}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the report that `as_dict` converted."""
        checks = tuple(map(Check.from_dict, stored["checks"]))
        return cls(stored["implementation"], stored["version"], checks, stored["unverifiable"], stored["reason"])


@dataclass
class Tally:
    """Counter of the cases of one check."""

    name: str
    run: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)

    def add(self, failure: str, *sources: str) -> None:
        """Count a case that ran; it failed unless `failure` is empty."""
        self.run += 1
        self.sources.update(sources)
        if failure:
            self.failed += 1
            if len(self.failures) < MAX_FAILURES:
                self.failures.append(failure)

    def skip(self, reason: str) -> None:
        """Count a case that does not apply."""
        self.skipped[reason] += 1

    def check(self) -> Check:
        """Return the check with the current counts."""
        sources = dict(sorted(self.sources.items()))
        return Check(self.name, self.run, self.failed, tuple(self.failures), dict(self.skipped), sources)


def counted(name: str, calls: Callable[[], Iterable[tuple[str, int]]]) -> Check:
    """Return the check of a native function that returns the uses which it tried, each with its number of cases.

    An ArgumentError skips the check, and a VerificationError or the end of a child process is its failure.
    """
    tally = Tally(name)
    try:
        for use, cases in calls():
            tally.run += cases
            tally.sources[use] += cases
    except ArgumentError as error:
        tally.skip(str(error))
    except VerificationError as error:
        tally.add(str(error), name)
    except FAULTS as error:
        tally.add(fault(error), name)
    return tally.check()


def fault(error: BaseException) -> str:
    """Return an exception in one line."""
    return printable(f"{type(error).__name__}: {error}")


def excerpt(octets: bytes) -> str:
    """Return the first bytes of a value in hexadecimal, with its length."""
    return f"{octets[:16].hex() or 'empty'}{'...' if len(octets) > 16 else ''} ({len(octets)} bytes)"
