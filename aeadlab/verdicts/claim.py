"""A claim of a document, and the finding about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, Concatenate, Final, Literal, ParamSpec, TypeAlias

from aeadlab.display.units import signed_percent, significant
from aeadlab.verdicts import published
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.ranges import Criterion, Range, Verdict

if TYPE_CHECKING:
    from aeadlab.verdicts.evidence import Evidence

Unit = Literal["times", "percent more", "percent", "threads", "counts"]

_FORMATS: Final[dict[Unit, Callable[[float], str]]] = {
    "times": significant,
    "percent more": lambda ratio: f"{signed_percent(100 * (ratio - 1))} %",
    "percent": lambda share: f"{significant(100 * share)} %",
    "threads": lambda count: f"{count:g}",
    "counts": lambda count: f"{count:g}",
}

Numbers: TypeAlias = tuple[float, ...]
Estimator: TypeAlias = "Callable[[Evidence, Numbers], Quantity]"
"""From the evidence of a record and the published numbers to the quantity of a claim.

It raises `aeadlab.verdicts.evidence.Inconclusive` where the record does not contain the quantity.
"""

_P = ParamSpec("_P")


def estimator(function: Callable[Concatenate[Evidence, Numbers, _P], Quantity]) -> Callable[_P, Estimator]:
    """Decorate an estimator that has further parameters: called with these alone, it returns the `Estimator`."""

    @wraps(function)
    def with_parameters(*args: _P.args, **kwargs: _P.kwargs) -> Estimator:
        return lambda evidence, numbers: function(evidence, numbers, *args, **kwargs)

    return with_parameters


@dataclass(frozen=True)
class Number:
    """The columns that select one number of ``data/published``; a field that is ``""`` or 0 is not compared."""

    place: str
    quantity: str
    implementation: str = ""
    operation: str = ""
    bytes: int = 0
    variant: str = ""
    software: str = ""

    def value(self, document: str) -> float:
        """Return the number in the printed unit; errors as `aeadlab.verdicts.published.number`."""
        return _value(document, self)


@cache
def _value(document: str, number: Number) -> float:
    return published.number(document, **{name: value for name, value in vars(number).items() if value})


@dataclass(frozen=True)
class Claim:
    """A finding that a document states, and the rule by which it is checked.

    Attributes
    ----------
    document
        One of `aeadlab.verdicts.published.DOCUMENTS`.
    key
        Name of the claim, unique among all claims.
    place
        The section or table that states it, as in the column ``place`` of the published numbers.
    statement
        The claim in the words of this project; ``{0}`` is replaced by the first of `numbers`.
    measure
        The quantity, as a noun phrase.
    study
        The study whose record decides; ``""`` where no record is required or none can decide.
    estimator
        Computes the quantity.
    criterion
        Gives the accepted range of the quantity.
    differs
        Reason why the result may differ on another computer.
    unit
        Format of the quantity: a ratio, percent above 1, percent of 1, a thread count or another count.
    numbers
        The published numbers.
    expected
        Computes the published value of the quantity from these numbers; None where it does not follow from them.
    """

    document: str
    key: str
    place: str
    statement: str
    measure: str
    study: str
    estimator: Estimator
    criterion: Criterion
    differs: str
    unit: Unit = "times"
    numbers: tuple[Number, ...] = ()
    expected: Callable[..., float] | None = None

    def published_numbers(self) -> Numbers:
        """Return the published numbers; errors as `aeadlab.verdicts.published.number`."""
        return tuple(number.value(self.document) for number in self.numbers)

    def format_value(self, value: float) -> str:
        """Return a value of the quantity with its unit; a hyphen where it is unknown."""
        return _FORMATS[self.unit](value) if isfinite(value) else "-"


@dataclass(frozen=True)
class Finding:
    """The verdict on a claim.

    Attributes
    ----------
    statement
        The statement of the claim with the published numbers.
    published
        The published value of the quantity; NaN where there is none.
    accepted
        The accepted range.
    estimate
        The measured value; None where the record does not contain it.
    reason
        Reason for the verdict ``inconclusive``, else ``""``.
    record
        File name of the record, ``""`` where there was none.
    """

    claim: Claim
    statement: str
    published: float
    accepted: Range
    verdict: Verdict
    estimate: Estimate | None = None
    reason: str = ""
    record: str = ""

    @property
    def measured(self) -> str:
        """The estimate and its interval as text."""
        if self.estimate is None:
            return "-"
        value, low, high = map(self.claim.format_value, (self.estimate.value, self.estimate.low, self.estimate.high))
        if self.estimate.low == self.estimate.high:
            return value
        interval = {
            (True, True): f"{low} to {high}",
            (False, True): f"at most {high}",
            (True, False): f"at least {low}",
            (False, False): "interval unknown",
        }
        return f"{value} ({interval[self.estimate.low > 0, isfinite(self.estimate.high)]})"

    @property
    def why(self) -> str:
        """Reason for the verdict ``inconclusive``, or for a different result here; ``""`` if reproduced."""
        return {"reproduced": "", "not reproduced": self.claim.differs, "inconclusive": self.reason}[self.verdict]

    def as_dict(self) -> dict[str, Any]:
        """Return one row of `aeadlab.verdicts.findings.Findings.table`; unknown numbers are None."""
        estimate = self.estimate or Estimate(nan, nan, nan, nan)
        numbers = {
            "published": self.published,
            "counts_from": self.accepted.low,
            "counts_to": self.accepted.high,
            "value": estimate.value,
            "low": estimate.low if estimate.low > 0 else nan,
            "high": estimate.high,
            "noise": estimate.noise,
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
