"""What a document claims, and what was found about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from aeadlab import published
from aeadlab.judgement.estimate import Estimate, Quantity
from aeadlab.judgement.ranges import Range, Rule, Verdict
from aeadlab.units import signed_percent, significant

if TYPE_CHECKING:
    from aeadlab.judgement.evidence import Evidence

Unit = Literal["times", "percent more", "percent", "threads", "counts"]

_WRITTEN: Final[dict[Unit, Callable[[float], str]]] = {
    "times": significant,
    "percent more": lambda ratio: f"{signed_percent(100 * (ratio - 1))} %",
    "percent": lambda share: f"{significant(100 * share)} %",
    "threads": lambda count: f"{count:g}",
    "counts": lambda count: f"{count:g}",
}

Numbers: TypeAlias = tuple[float, ...]
Test: TypeAlias = "Callable[[Evidence, Numbers], Quantity]"
"""From a record and the published numbers to the quantity that the claim is about.

It raises `aeadlab.judgement.evidence.Undecided` where the record does not have it.
"""


@dataclass(frozen=True)
class Number:
    """A published number, by what finds it in ``data/published``; fields that are ``""`` or 0 do not matter."""

    place: str
    quantity: str
    implementation: str = ""
    operation: str = ""
    bytes: int = 0
    variant: str = ""
    software: str = ""

    def value(self, document: str) -> float:
        """The number, in the unit that is printed; errors as `aeadlab.published.number`."""
        return _value(document, self)


@cache
def _value(document: str, number: Number) -> float:
    return published.number(document, **{name: value for name, value in vars(number).items() if value})


@dataclass(frozen=True)
class Claim:
    """A finding that a document states.

    Attributes
    ----------
    key
        Its name, for users and tests.
    document
        One of `aeadlab.published.DOCUMENTS`.
    place
        Where it is said, as the column ``place`` of the published numbers has it; a part of the document that prints no
        number has its own name.
    statement
        What is said, in our words; ``{0}`` stands for the first of `numbers`.
    measure
        What is measured for it, in words that fit before a number.
    study
        Whose record decides; ``""`` where none is needed, or none could.
    test
        Gives the quantity.
    rule
        Gives the range of the quantity that counts as reproduced.
    differs
        Why it may come out otherwise here.
    unit
        How the quantity is written: a ratio as it is, in percent above 1 or in percent of 1, or a number of threads or
        of thread counts.
    numbers
        What the document prints.
    expected
        From these numbers to the quantity as published; None where it does not follow from them.
    """

    document: str
    key: str
    place: str
    statement: str
    measure: str
    study: str
    test: Test
    rule: Rule
    differs: str
    unit: Unit = "times"
    numbers: tuple[Number, ...] = ()
    expected: Callable[..., float] | None = None

    def printed(self) -> Numbers:
        """The published numbers; errors as `aeadlab.published.number`."""
        return tuple(number.value(self.document) for number in self.numbers)

    def written(self, value: float) -> str:
        """A value of the quantity in its unit; a dash where it is unknown."""
        return _WRITTEN[self.unit](value) if isfinite(value) else "-"


@dataclass(frozen=True)
class Finding:
    """What was found about a claim.

    Attributes
    ----------
    statement
        The claim's, with the published numbers.
    published
        The quantity as published; NaN where it is not.
    counts
        The range that counts as reproduced.
    estimate
        What was measured; None where nothing could be.
    reason
        Why the verdict is ``inconclusive``, else ``""``.
    record
        Name of the record that was asked, ``""`` where there was none.
    """

    claim: Claim
    statement: str
    published: float
    counts: Range
    verdict: Verdict
    estimate: Estimate | None = None
    reason: str = ""
    record: str = ""

    @property
    def measured(self) -> str:
        """The estimate with its interval, as text."""
        if self.estimate is None:
            return "-"
        value, low, high = map(self.claim.written, (self.estimate.value, self.estimate.low, self.estimate.high))
        if self.estimate.low == self.estimate.high:
            return value
        ends = {
            (True, True): f"{low} to {high}",
            (False, True): f"at most {high}",
            (True, False): f"at least {low}",
            (False, False): "interval unknown",
        }
        return f"{value} ({ends[self.estimate.low > 0, isfinite(self.estimate.high)]})"

    @property
    def why(self) -> str:
        """Why it is inconclusive, or why it may differ; ``""`` where it is reproduced."""
        return {"reproduced": "", "not reproduced": self.claim.differs, "inconclusive": self.reason}[self.verdict]

    def as_dict(self) -> dict[str, Any]:
        """All columns of the table of findings; numbers that are unknown are None."""
        seen = self.estimate or Estimate(nan, nan, nan, nan)
        numbers = {
            "published": self.published,
            "counts_from": self.counts.low,
            "counts_to": self.counts.high,
            "value": seen.value,
            "low": seen.low if seen.low > 0 else nan,
            "high": seen.high,
            "noise": seen.noise,
        }
        return {
            "document": self.claim.document,
            "key": self.claim.key,
            "place": self.claim.place,
            "statement": self.statement,
            "measure": self.claim.measure,
            "verdict": self.verdict,
            "measured": self.measured,
            "unit": self.claim.unit,
            **{name: number if isfinite(number) else None for name, number in numbers.items()},
            "reason": self.reason,
            "differs": self.claim.differs,
            "study": self.claim.study,
            "record": self.record,
        }
