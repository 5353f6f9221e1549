"""A claim of a document, and the finding about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from math import inf, isfinite, isnan, nan
from typing import TYPE_CHECKING, Any, Concatenate, Final, Literal, ParamSpec, TypeAlias, TypeVar

from aeadlab.display.units import signed_percent, significant
from aeadlab.errors import ArgumentError
from aeadlab.verdicts import published
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.ranges import Criterion, Range, Verdict, at_least, at_most, similar_effect

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
        return _Parameterized(function, args, kwargs)

    return with_parameters


_F = TypeVar("_F", bound="Callable[..., Quantity]")


def revised(version: int) -> Callable[[_F], _F]:
    """Decorate the function of an estimator that computes another quantity than before, below `estimator`.

    The version is part of the criterion (`aeadlab.verdicts.criteria.described`), which the name and the arguments of
    an estimator alone do not change. The first version is 1 and needs no decorator.
    """

    def mark(function: _F) -> _F:
        vars(function)["version"] = version
        return function

    return mark


@dataclass(frozen=True, repr=False, eq=False)
class _Parameterized:
    """An estimator with its further parameters; its text is the same in every process."""

    function: Callable[..., Quantity]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __call__(self, evidence: Evidence, numbers: Numbers) -> Quantity:
        return self.function(evidence, numbers, *self.args, **self.kwargs)

    def __repr__(self) -> str:
        given = [*map(_text, self.args), *(f"{name}={_text(value)}" for name, value in sorted(self.kwargs.items()))]
        version = vars(self.function).get("version", 1)
        name = self.function.__name__ if version == 1 else f"{self.function.__name__} version {version}"
        return f"{name}({', '.join(given)})"


def _text(value: object) -> str:
    """Return a value as text without addresses in memory, and without the defaults of a named tuple's fields."""
    if defaults := getattr(value, "_field_defaults", {}):
        fields = value._asdict().items()  # type: ignore[attr-defined]
        return f"({', '.join(f'{name}={_text(each)}' for name, each in fields if defaults.get(name) != each)})"
    if isinstance(value, (list, tuple, set, frozenset)):
        texts = map(_text, value)
        return f"({', '.join(sorted(texts) if isinstance(value, (set, frozenset)) else texts)})"
    name = getattr(value, "__qualname__", "")
    return str(name) if callable(value) and name else repr(value)


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
    substitute
        What was measured in place of what the document measured, a sentence; ``""`` where it is the same.
    unit
        Format of the quantity: a ratio, percent above 1, percent of 1, a thread count or another count.
    numbers
        The published numbers.
    expected
        Computes the published value of the quantity from these numbers; None where it does not follow from them.
    sizes
        Computes the published values of several computers from these numbers, where a claim has more than one: sizes
        are accepted from half of the smallest to twice the largest.
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
    sizes: Callable[..., Sequence[float]] | None = None
    substitute: str = ""

    def __post_init__(self) -> None:
        for name in ("document", "key", "place", "statement", "measure"):
            if not getattr(self, name).strip():
                raise ArgumentError(f"claim {self.key!r} of {self.document or 'no document'} has no {name}")

    def published_numbers(self) -> Numbers:
        """Return the published numbers; errors as `aeadlab.verdicts.published.number`."""
        return tuple(number.value(self.document) for number in self.numbers)

    def published_value(self) -> float:
        """Return the published value of the quantity; NaN where it does not follow from the published numbers."""
        return self.expected(*self.published_numbers()) if self.expected else nan

    def accepted(self, published: float) -> Range:
        """Return the accepted range, from the published value."""
        return self.accepted_sizes(published) if self.criterion is similar_effect else self.criterion(published)

    def accepted_sizes(self, published: float) -> Range:
        """Return the range of effects of a similar size as the published one, or as those of several computers."""
        sizes = self.sizes(*self.published_numbers()) if self.sizes else (published,)
        ranges = [similar_effect(size) for size in sizes]
        return Range(min(each.low for each in ranges), max(each.high for each in ranges))

    def format_value(self, value: float) -> str:
        """Return a value of the quantity with its unit; a hyphen where it is unknown."""
        return _FORMATS[self.unit](value) if isfinite(value) else "-"


@dataclass(frozen=True)
class Aspect:
    """A second verdict on a claim: on its size if its criterion is of direction only, or on its direction.

    A published ratio of 16 and a measured one of 1.6 have the same direction, and not the same size. The accepted sizes
    are 0.5 to 2 times the published distance from 1.

    Attributes
    ----------
    name
        ``size`` or ``direction``.
    accepted
        The accepted range.
    reason, p_value, p_adjusted, version
        As of a `Finding`.
    """

    name: Literal["size", "direction"]
    accepted: Range
    verdict: Verdict = "inconclusive"
    reason: str = ""
    p_value: float = nan
    p_adjusted: float = nan
    version: int = 0

    @property
    def levels(self) -> str:
        """The error levels of the verdict in words, ``""`` for an inconclusive one."""
        return _levels(self.p_value, self.p_adjusted)


def _levels(p_value: float, p_adjusted: float) -> str:
    return "" if isnan(p_adjusted) else f"p = {p_value:.2g}, corrected {p_adjusted:.2g}"


def aspect_of(claim: Claim, published: float, accepted: Range) -> Aspect | None:
    """Return the second verdict that a claim gets, not yet decided; None without a published ratio other than 1.

    Bounds that the document states, such as *at least five times*, have no size.
    """
    if claim.unit not in ("times", "percent more") or not published > 0 or published == 1:
        return None
    if claim.criterion is similar_effect:
        return Aspect("direction", Range(1, inf) if published > 1 else Range(-inf, 1))
    one_sided = isfinite(accepted.low) != isfinite(accepted.high)
    contradicts = accepted.verdict(published, published) != "reproduced"
    if not one_sided or contradicts or claim.criterion in (at_least, at_most):
        return None
    # A limit beyond 1 on the published side, such as "less than 10 % slower", states no size.
    if accepted.high > 1 if isfinite(accepted.high) else accepted.low < 1:
        return None
    return Aspect("size", claim.accepted_sizes(published))


def criteria_of(claim: Claim) -> dict[str, Range]:
    """Return the accepted range of a claim, by ``""``, and that of its second verdict, if it has one, by its name."""
    published = claim.published_value()
    accepted = claim.accepted(published)
    aspect = aspect_of(claim, published, accepted)
    return {"": accepted} | ({aspect.name: aspect.accepted} if aspect else {})


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
    p_value, p_adjusted
        Smallest error level at which the verdict holds, by itself and with all claims of the document at once; NaN for
        a claim that is inconclusive by itself, or whose quantity is computed and not timed.
    aspect
        The verdict on the size of a claim of direction, or on the direction of one of size; None where there is none.
    version
        Number of the criterion's version; 0 if it is not registered.
    prediction
        The quantity on the document's computer by a model of the record, which decides nothing; None for none.
    """

    claim: Claim
    statement: str
    published: float
    accepted: Range
    verdict: Verdict
    estimate: Estimate | None = None
    reason: str = ""
    record: str = ""
    p_value: float = nan
    p_adjusted: float = nan
    aspect: Aspect | None = None
    version: int = 0
    prediction: Estimate | None = None

    @property
    def verdicts(self) -> str:
        """The verdict and that on size or direction in words."""
        return f"{self.verdict}; {self.aspect.name} {self.aspect.verdict}" if self.aspect else self.verdict

    @property
    def basis(self) -> str:
        """Unit, margin and error levels of the verdict in words, ``""`` for a quantity that is not timed."""
        if self.estimate is None or not self.estimate.processes:
            return ""
        margin = f"margin {self.estimate.margin}" if self.estimate.noise else ""
        return "; ".join(filter(None, (self.estimate.unit, margin, _levels(self.p_value, self.p_adjusted))))

    @property
    def short_basis(self) -> str:
        """Processes and rounds, margin, and corrected level of the verdict: ``10/100; 1 %; 0.0066``."""
        if self.estimate is None or not self.estimate.processes:
            return "-"
        level = "-" if isnan(self.p_adjusted) else f"{self.p_adjusted:.2g}"
        return f"{self.estimate.processes}/{self.estimate.rounds}; {self.estimate.margin or '-'}; {level}"

    @property
    def measured(self) -> str:
        """The estimate, its interval, the estimate beside it and its detail as text."""
        return self._text(self.estimate)

    @property
    def interval(self) -> str:
        """The estimate and its interval as text."""
        return self._interval(self.estimate) if self.estimate else "-"

    @property
    def predicted(self) -> str:
        """The prediction, its interval and its detail as text."""
        return self._text(self.prediction)

    def _text(self, estimate: Estimate | None) -> str:
        if estimate is None:
            return "-"
        words, other = estimate.beside or ("", None)
        beside = words.format(self._interval(other)) if other else ""
        return "; ".join(filter(None, (self._interval(estimate), beside, estimate.detail)))

    def _interval(self, estimate: Estimate) -> str:
        value, low, high = map(self.claim.format_value, (estimate.value, estimate.low, estimate.high))
        if estimate.low == estimate.high:
            return value
        interval = {
            (True, True): f"{low} to {high}",
            (False, True): f"at most {high}",
            (True, False): f"at least {low}",
            (False, False): "interval unknown",
        }
        return f"{value} ({interval[self._has_low(estimate), isfinite(estimate.high)]})"

    def _has_low(self, estimate: Estimate) -> bool:
        """Return whether the lower end is known: it is 0 where that of a ratio of times is not, and of some counts."""
        return estimate.low != 0 or self.claim.unit == "counts"

    def _aspect_verdict(self, name: str) -> Verdict | None:
        """Return the verdict on size or direction: that of the aspect, or of the claim itself if this is the other."""
        if self.aspect is None:
            return None
        return self.aspect.verdict if self.aspect.name == name else self.verdict

    @property
    def why(self) -> str:
        """Reason for the verdict ``inconclusive``, or for a different result here; ``""`` if reproduced.

        The reason of an inconclusive verdict on size or direction follows, unless it is that of the claim itself.
        """
        own = {"reproduced": "", "not reproduced": self.claim.differs, "inconclusive": self.reason}[self.verdict]
        if self.aspect is None or not self.aspect.reason or self.aspect.reason in self.reason:
            return own
        name = self.aspect.name
        if own.endswith("."):
            return f"{own} {name.capitalize()}: {self.aspect.reason}."
        return "; ".join(filter(None, (own, f"{name}: {self.aspect.reason}")))

    def as_dict(self) -> dict[str, Any]:
        """Return one row of `aeadlab.verdicts.findings.Findings.table`; unknown numbers are None."""
        nothing = Estimate(nan, nan, nan, nan)
        estimate, prediction = self.estimate or nothing, self.prediction or nothing
        numbers = {
            "published": self.published,
            "counts_from": self.accepted.low,
            "counts_to": self.accepted.high,
            "value": estimate.value,
            "low": estimate.low if self._has_low(estimate) else nan,
            "high": estimate.high,
            "noise": estimate.noise,
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
            "aspect_p_value": self.aspect.p_value if self.aspect else nan,
            "aspect_p_adjusted": self.aspect.p_adjusted if self.aspect else nan,
            "predicted": prediction.value,
            "predicted_low": prediction.low,
            "predicted_high": prediction.high,
        }
        return {
            "document": self.claim.document,
            "key": self.claim.key,
            "place": self.claim.place,
            "statement": self.statement,
            "measure": self.claim.measure,
            "verdict": self.verdict,
            "direction": self._aspect_verdict("direction"),
            "size": self._aspect_verdict("size"),
            "criterion_version": self.version,
            "aspect_version": self.aspect.version if self.aspect else 0,
            "measured": self.measured,
            "unit": self.claim.unit,
            **{name: number if isfinite(number) else None for name, number in numbers.items()},
            "processes": estimate.processes,
            "rounds": estimate.rounds,
            "reason": self.reason,
            "aspect_reason": self.aspect.reason if self.aspect else "",
            "differs": self.claim.differs,
            "substitute": self.claim.substitute,
            "study": self.claim.study,
            "record": self.record,
        }
