"""Quantities of claims in several documents: ratios of single-threaded times, and quantities that no record has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from aeadlab.dimensions import DEFAULT_CONDITIONS
from aeadlab.errors import ArgumentError
from aeadlab.verdicts.claim import Estimator, Numbers, estimator
from aeadlab.verdicts.estimate import Quantity, largest, lower_median, scaled, smallest
from aeadlab.verdicts.evidence import Evidence, Inconclusive


class Operation(NamedTuple):
    """An operation of an implementation in one thread.

    Attributes
    ----------
    length
        Bytes of the message, or of all messages of ``cells`` together; None for the longest of the run.
    mask
        CPU features hidden from the implementation, a name of `aeadlab.bench.masks.masks`; ``""`` for none.
    engine
        ``whole`` for one message, ``cells`` for one after the other, as in `aeadlab.bench.case.Case`.
    aad_bytes
        Bytes of the associated data.
    """

    name: str
    op: str
    length: int | None = None
    mask: str = ""
    engine: str = "whole"
    placement: str = "separate"
    aad_bytes: int = 0

    @property
    def conditions(self) -> dict[str, object]:
        """The values of the conditions that records of plain cases do not vary."""
        return {name: getattr(self, name) for name in ("mask", "placement", "aad_bytes")}


Pair: TypeAlias = tuple[Operation, Operation]
"""Dividend and divisor of a ratio of times."""


@estimator
def smallest_ratio(evidence: Evidence, _: Numbers, pairs: Sequence[Pair], per_byte: bool = False) -> Quantity:
    """Return the smallest ratio of all pairs; with `per_byte` of times per byte, for operations with a length."""
    return smallest(_ratios(evidence, pairs, per_byte))


@estimator
def largest_ratio(evidence: Evidence, _: Numbers, pairs: Sequence[Pair], per_byte: bool = False) -> Quantity:
    """Return the largest ratio of all pairs; `per_byte` as in `smallest_ratio`."""
    return largest(_ratios(evidence, pairs, per_byte))


@estimator
def median_ratio(evidence: Evidence, _: Numbers, pairs: Sequence[Pair]) -> Quantity:
    """Return the lower median of the ratios of all pairs, which at least three of four pairs reach."""
    return lower_median(_ratios(evidence, pairs, per_byte=False))


def largest_factor(pairs: Sequence[Pair], per_byte: bool = False) -> Estimator:
    """Return the largest factor between the two times of a pair; `per_byte` as in `smallest_ratio`."""
    return largest_ratio([*pairs, *((under, over) for over, under in pairs)], per_byte)


@estimator
def in_cpu_time(evidence: Evidence, numbers: Numbers, quantity: Estimator) -> Quantity:
    """Return a quantity of CPU times (`Evidence.with_cpu_time`) in place of wall times."""
    return quantity(evidence.with_cpu_time, numbers)


@estimator
def undecidable(_: Evidence, __: Numbers, reason: str) -> Quantity:
    """Raise `Inconclusive` for this reason, for a claim that no record of this lab can decide."""
    raise Inconclusive(reason)


def _ratios(evidence: Evidence, pairs: Sequence[Pair], per_byte: bool) -> list[Quantity]:
    operations = [operation for pair in pairs for operation in pair]
    if any(operation.length is not None for operation in operations):
        evidence = evidence.with_all_lengths
    evidence = evidence.with_conditions(
        *(name for o in operations for name, value in o.conditions.items() if value != DEFAULT_CONDITIONS[name])
    )
    ratios = []
    for over, under in pairs:
        if over.length != under.length and not per_byte:
            raise ArgumentError(f"mixed sizes: {over.name} with {over.length} B, {under.name} with {under.length} B")
        ratio = evidence.ratio(_cases(evidence, over), _cases(evidence, under))
        ratios.append(scaled(ratio, (under.length or 1) / (over.length or 1)) if per_byte else ratio)
    return ratios


def _cases(evidence: Evidence, operation: Operation) -> list[int]:
    length = {} if operation.length is None else {"bytes": operation.length}
    engine, conditions = operation.engine, operation.conditions
    return evidence.find(operation.name, engine=engine, op=operation.op, threads=1, **conditions, **length)
