"""Quantities about random generators: short requests, long ones, and several streams at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Literal

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Quantity, least, quotient, scaled
from aeadlab.judgement.evidence import Evidence
from aeadlab.judgement.threads import needs
from aeadlab.workloads import INLINED, REQUEST, STREAMS, WORD

Requests = Literal["short", "long", "at once"]
"""Words to one stream, long requests to one stream, or to `streams` that each make as much as the one."""


def streams(evidence: Evidence) -> int:
    """As many as there are logical cores, at most as many as the document has.

    Raises
    ------
    Undecided
        If there is one core, or the record does not say how many there are.
    """
    needs(evidence, 2)
    return min(STREAMS, evidence.cores or 0)


def times_over(names: Sequence[str], others: Sequence[str], requests: Sequence[Requests]) -> Test:
    """The least ratio, in any of these tests, of the time of one of `names` to that of one of the others."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        every = evidence.every_length
        return least([
            every.ratio(_cases(every, name, asked), _cases(every, other, asked))
            for name, other, asked in product(names, others, requests)
        ])  # fmt: skip

    return test


def scaling(names: Sequence[str]) -> Test:
    """The least scaling factor of these, on machines that have a core for each of the document's streams."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        needs(evidence.every_length, STREAMS)
        return least([_scaling(evidence.every_length, name) for name in names])

    return test


def scales_better(name: str, others: Sequence[str]) -> Test:
    """The least ratio of the scaling factor of one to those of others."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        every = evidence.every_length
        return least([quotient(_scaling(every, name), _scaling(every, other)) for other in others])

    return test


def at_once_over_in_turn(names: Sequence[str]) -> Test:
    """The least time, of these, of streams at once over that of the same streams one after the other."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        every = evidence.every_length
        ratios = [every.ratio(_cases(every, name, "at once"), _cases(every, name, "long")) for name in names]
        return least([scaled(ratio, 1 / streams(every)) for ratio in ratios])

    return test


def _scaling(evidence: Evidence, name: str) -> Quantity:
    """Time of one stream over that of several at once, each of which makes as much: 1 where none disturbs another."""
    return evidence.ratio(_cases(evidence, name, "long"), _cases(evidence, name, "at once"))


def _cases(evidence: Evidence, name: str, requests: Requests) -> list[int]:
    asked = {"engine": "whole", "op": "generate"}
    if requests == "short":
        # What is inlined is asked for words and not for requests.
        return evidence.find(name, **asked, block_size=0 if name.endswith(f".{INLINED}") else WORD, threads=1)
    count = 1 if requests == "long" else streams(evidence)
    alone = evidence.find(name, **asked, block_size=REQUEST, threads=1)
    # The document's own runs may be there as well: few, and hundreds of times as long.
    each = int(evidence.cases.loc[alone, "bytes"].min())
    return evidence.find(name, **asked, block_size=REQUEST, threads=count, bytes=count * each)
