"""Quantities about how time grows with the length of a message, whatever lengths a run has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity
from aeadlab.judgement.evidence import Evidence, Undecided
from aeadlab.judgement.pairs import Pair, Whole, farthest_apart


def disproportion(names: Sequence[str], ops: Sequence[str]) -> Test:
    """The greatest factor, up or down, between times per byte of the shortest and the longest message."""

    def test(evidence: Evidence, numbers: Numbers) -> Quantity:
        ends = [_ends(evidence, name, op) for name, op in product(names, ops)]
        return farthest_apart(ends, per_byte=True)(evidence, numbers)

    return test


def _ends(evidence: Evidence, name: str, op: str) -> Pair:
    every = evidence.every_length
    lengths = every.cases.loc[every.find(name, engine="whole", op=op, threads=1), "bytes"]
    if lengths.nunique() < 2:
        raise Undecided(f"{name} was measured with one length, two are wanted")
    return Whole(name, op, int(lengths.max())), Whole(name, op, int(lengths.min()))
