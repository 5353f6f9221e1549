"""Quantities about pairs of whole messages in one thread: how many times as long one takes as the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity, greatest, least, scaled
from aeadlab.judgement.evidence import Evidence


class Whole(NamedTuple):
    """An implementation over a whole message in one thread.

    Attributes
    ----------
    length
        Bytes of the message; None for the run's longest.
    mask
        CPU features that are hidden from it, as `aeadlab.bench.masks` names them; ``""`` for none.
    """

    name: str
    op: str
    length: int | None = None
    mask: str = ""


Pair: TypeAlias = tuple[Whole, Whole]
"""What is above the line of a ratio of times, and what is below."""


def least_ratio(pairs: Sequence[Pair], per_byte: bool = False) -> Test:
    """The least of the ratios of all pairs; of times per byte where `per_byte`, which takes lengths."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        return least(_ratios(evidence, pairs, per_byte))

    return test


def greatest_ratio(pairs: Sequence[Pair], per_byte: bool = False) -> Test:
    """The greatest of the ratios of all pairs; of times per byte where `per_byte`, which takes lengths."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        return greatest(_ratios(evidence, pairs, per_byte))

    return test


def farthest_apart(pairs: Sequence[Pair], per_byte: bool = False) -> Test:
    """The greatest factor, up or down, between the two of a pair; of times per byte where `per_byte`."""
    return greatest_ratio([*pairs, *((under, over) for over, under in pairs)], per_byte)


def _ratios(evidence: Evidence, pairs: Sequence[Pair], per_byte: bool) -> list[Quantity]:
    both = [each for pair in pairs for each in pair]
    if any(each.length is not None for each in both):
        evidence = evidence.every_length
    if any(each.mask for each in both):
        evidence = evidence.masked
    found = []
    for over, under in pairs:
        ratio = evidence.ratio(_case(evidence, over), _case(evidence, under))
        found.append(scaled(ratio, (under.length or 1) / (over.length or 1)) if per_byte else ratio)
    return found


def _case(evidence: Evidence, asked: Whole) -> list[int]:
    length = {} if asked.length is None else {"bytes": asked.length}
    return evidence.find(asked.name, engine="whole", op=asked.op, threads=1, mask=asked.mask, **length)
