"""What verification found: counts per check and per source, and the first failures in words."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from aeadlab.errors import Error

SHOWN = 5
FAULTS = (
    Error,
    ArithmeticError,
    AttributeError,
    builtins.BufferError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a faulty implementation may raise; verification counts it as a failure and goes on."""


@dataclass(frozen=True)
class Check:
    """Outcome of one check of one implementation.

    Attributes
    ----------
    name
        ``known answers``, ``agreement``, ``round trip``, ``tamper`` or ``randomness``.
    run, failed
        How many cases ran, and how many of them failed.
    failures
        The first of them, in words.
    skipped
        How many did not apply, by reason.
    sources
        How many ran, by who published them, by the implementation compared with, or by what was tried.
    """

    name: str
    run: int
    failed: int
    failures: tuple[str, ...]
    skipped: Mapping[str, int]
    sources: Mapping[str, int]

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The opposite of `dataclasses.asdict`, whatever else there is."""
        numbers = stored["run"], stored["failed"]
        return cls(stored["name"], *numbers, tuple(stored["failures"]), stored["skipped"], stored["sources"])

    @property
    def ok(self) -> bool:
        """Whether something ran and nothing failed."""
        return self.run > 0 and self.failed == 0

    @property
    def reason(self) -> str:
        """Why it is not ok, or ``""``."""
        if self.ok:
            return ""
        if self.failed:
            return f"{self.name}: {self.failed} of {self.run} failed, first: {self.failures[0]}"
        why = ", ".join(f"{reason} ({count})" for reason, count in self.skipped.items())
        return f"{self.name}: none ran, which is not a pass{': ' + why if why else ''}"


@dataclass(frozen=True)
class Report:
    """Outcome of verifying one implementation.

    Attributes
    ----------
    implementation, version
        Its name, and the version that its library reports.
    checks
        The checks that apply to it.
    unverifiable
        Whether nothing failed, but there is neither a known answer nor a second library or reference to agree with.
    reason
        Why it is not ok, or ``""``.
    """

    implementation: str
    version: str
    checks: tuple[Check, ...]
    unverifiable: bool
    reason: str

    @property
    def ok(self) -> bool:
        """Whether it may be timed."""
        return not self.reason

    def check(self, name: str) -> Check | None:
        """The check of this name, or None where it does not apply."""
        return next((check for check in self.checks if check.name == name), None)

    def as_dict(self) -> dict[str, object]:
        """The report as JSON can hold it."""
        checks = [{**asdict(check), "ok": check.ok} for check in self.checks]
        return {**asdict(self), "checks": checks, "ok": self.ok}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The opposite of `as_dict`."""
        checks = tuple(map(Check.from_dict, stored["checks"]))
        return cls(stored["implementation"], stored["version"], checks, stored["unverifiable"], stored["reason"])


@dataclass
class Tally:
    """Counts the cases of one check."""

    name: str
    run: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)

    def add(self, wrong: str, *sources: str) -> None:
        """Count a case that ran; it failed unless `wrong` is empty."""
        self.run += 1
        self.sources.update(sources)
        if wrong:
            self.failed += 1
            if len(self.failures) < SHOWN:
                self.failures.append(wrong)

    def skip(self, reason: str) -> None:
        """Count a case that does not apply."""
        self.skipped[reason] += 1

    def check(self) -> Check:
        """The counts so far."""
        sources = dict(sorted(self.sources.items()))
        return Check(self.name, self.run, self.failed, tuple(self.failures), dict(self.skipped), sources)


def fault(error: BaseException) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}"


def excerpt(octets: bytes) -> str:
    """The first bytes of a value in hexadecimal, with its length."""
    return f"{octets[:16].hex() or 'nothing'}{'...' if len(octets) > 16 else ''} ({len(octets)} bytes)"
