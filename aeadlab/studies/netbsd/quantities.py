"""Quantities about random generators: short requests, long requests, and several streams in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

from aeadlab.display.units import significant
from aeadlab.studies.netbsd.study import REQUEST, STREAMS, WORD, WORD_BY_WORD
from aeadlab.verdicts.claim import Numbers, estimator
from aeadlab.verdicts.estimate import CONFIDENCE, Estimate, Quantity, quotient, scaled, smallest
from aeadlab.verdicts.evidence import Evidence

Requests = Literal["short", "long", "parallel"]
"""Words from one stream, long requests to one stream, or long requests to several streams that each produce as much."""


def _streams(evidence: Evidence) -> int:
    """Return the number of parallel streams: that of the logical cores, at most that of the document."""
    evidence.require_cores(2)
    return min(STREAMS, evidence.cores or 0)


@estimator
def smallest_time_ratio(
    evidence: Evidence, _: Numbers, names: Sequence[str], others: Sequence[str], requests: Sequence[Requests]
) -> Quantity:
    """Return the smallest ratio, over all requests, of the time of one of `names` to that of one of `others`."""
    every, choices = evidence.with_all_lengths, product(names, others, requests)
    return smallest([every.ratio(_cases(every, a, request), _cases(every, b, request)) for a, b, request in choices])


@estimator
def lock_cost(evidence: Evidence, _: Numbers, locked: str, private: str, unlocked: str, requests: Requests) -> Quantity:
    """Return the time with a lock over the time with a private state; the detail has that over an atomic state."""
    every = evidence.with_all_lengths
    over = _cases(every, locked, requests)
    cost, beside = (every.ratio(over, _cases(every, name, requests)) for name in (private, unlocked))

    def quantity(confidence: float) -> Estimate:
        atomic = beside(CONFIDENCE)
        values = (significant(value) for value in (atomic.value, atomic.low, atomic.high))
        return replace(cost(confidence), detail="over a shared atomic state {} ({} to {})".format(*values))

    return quantity


@estimator
def scaling_efficiency(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest scaling efficiency; require a core for each stream of the document."""
    evidence.with_all_lengths.require_cores(STREAMS)
    return smallest([_scaling_efficiency(evidence.with_all_lengths, name) for name in names])


@estimator
def relative_scaling(evidence: Evidence, _: Numbers, name: str, others: Sequence[str]) -> Quantity:
    """Return the smallest ratio of the scaling efficiency of one generator to those of others."""
    every = evidence.with_all_lengths
    own = _scaling_efficiency(every, name)
    return smallest([quotient(own, _scaling_efficiency(every, other)) for other in others])


@estimator
def parallel_to_sequential(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest ratio of the time of parallel streams to that of the same streams one after the other."""
    every = evidence.with_all_lengths
    ratios = [every.ratio(_cases(every, name, "parallel"), _cases(every, name, "long")) for name in names]
    return smallest([scaled(ratio, 1 / _streams(every)) for ratio in ratios])


def _scaling_efficiency(evidence: Evidence, name: str) -> Quantity:
    """Return the time of one stream over that of parallel streams that each produce as much; 1 is perfect scaling."""
    return evidence.ratio(_cases(evidence, name, "long"), _cases(evidence, name, "parallel"))


def _cases(evidence: Evidence, name: str, requests: Requests) -> list[int]:
    columns = {"engine": "whole", "op": "generate"}
    if requests == "short":
        request = 0 if name.rpartition(".")[2] in WORD_BY_WORD else WORD
        return evidence.find(name, **columns, block_size=request, threads=1)
    count = 1 if requests == "long" else _streams(evidence)
    single = evidence.find(name, **columns, block_size=REQUEST, threads=1)
    # The record may also contain the document's own runs, which are a few and hundreds of times as long.
    each = int(evidence.cases.loc[single, "bytes"].min())
    return evidence.find(name, **columns, block_size=REQUEST, threads=count, bytes=count * each)
