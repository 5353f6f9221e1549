"""Quantities about random generators: short requests, long requests, and several streams in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Literal

from aeadlab.display.units import size_name
from aeadlab.studies.netbsd.study import REQUEST, STREAMS, WORD, WORD_BY_WORD
from aeadlab.verdicts.claim import Numbers, estimator, revised
from aeadlab.verdicts.estimate import (
    CONFIDENCE,
    Quantity,
    quotient,
    scaled,
    smallest,
    with_detail,
    with_limitations,
)
from aeadlab.verdicts.evidence import Evidence

Requests = Literal["short", "long", "parallel"]
"""Words from one stream, long requests to one stream, or long requests to several streams that each produce as much."""


def _streams(evidence: Evidence) -> int:
    """Return the number of parallel streams: that of the logical cores, at most that of the document."""
    evidence.require_cores(2)
    return min(STREAMS, evidence.cores or 0)


@estimator
@revised(2)
def smallest_time_ratio(
    evidence: Evidence,
    _: Numbers,
    names: Sequence[str],
    others: Sequence[str],
    requests: Sequence[Requests],
    in_parallel: Sequence[str] = (),
) -> Quantity:
    """Return the smallest ratio, over all requests, of the time of one of `names` to that of one of `others`.

    With `in_parallel` these take the place of `names` for parallel streams.
    """
    every = evidence.with_all_lengths
    choices = [
        choice
        for request in requests
        for choice in product(in_parallel if in_parallel and request == "parallel" else names, others, [request])
    ]
    ratios = [every.ratio(_cases(every, a, request), _cases(every, b, request)) for a, b, request in choices]
    return _limited(smallest(ratios), every, others[0], requests)


@estimator
def lock_cost(evidence: Evidence, _: Numbers, locked: str, private: str, unlocked: str, requests: Requests) -> Quantity:
    """Return the time with a lock over the time with a private state; beside it is that over an atomic state."""
    every = evidence.with_all_lengths
    over = _cases(every, locked, requests)
    cost, beside = (every.ratio(over, _cases(every, name, requests)) for name in (private, unlocked))
    cost = _limited(cost, every, locked, [requests])

    return lambda confidence: replace(cost(confidence), beside=("over a shared atomic state {}", beside(CONFIDENCE)))


@estimator
@revised(2)
def scaling_efficiency(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest scaling efficiency; require a core for each stream of the document."""
    every = evidence.with_all_lengths
    every.require_cores(STREAMS)
    return _limited(smallest([_scaling_efficiency(every, name) for name in names]), every, names[0], ["parallel"])


@estimator
@revised(2)
def relative_scaling(evidence: Evidence, _: Numbers, name: str, others: Sequence[str]) -> Quantity:
    """Return the smallest ratio of the scaling efficiency of one generator to those of others.

    Beside it is the ratio of the times of the parallel streams alone.
    """
    every = evidence.with_all_lengths
    own = _scaling_efficiency(every, name)
    ratios = [quotient(own, _scaling_efficiency(every, other)) for other in others]
    limited = _limited(smallest(ratios), every, name, ["parallel"])
    cases = _cases(every, name, "parallel")
    alone = smallest([every.ratio(_cases(every, other, "parallel"), cases) for other in others])
    return lambda confidence: replace(
        limited(confidence), beside=("ratio of the parallel times alone {}", alone(CONFIDENCE))
    )


@estimator
@revised(2)
def parallel_to_sequential(evidence: Evidence, _: Numbers, names: Sequence[str]) -> Quantity:
    """Return the smallest ratio of the time of parallel streams to that of the same streams one after the other."""
    every = evidence.with_all_lengths
    ratios = [every.ratio(_cases(every, name, "parallel"), _cases(every, name, "long")) for name in names]
    return _limited(smallest([scaled(ratio, 1 / _streams(every)) for ratio in ratios]), every, names[0], ["parallel"])


def _limited(quantity: Quantity, evidence: Evidence, name: str, requests: Sequence[Requests]) -> Quantity:
    """Return a quantity with its streams and their length in the detail, and without a size of fewer streams than four.

    Both may be less than in the document, whose streams produce 4 GB each.
    """
    if {*requests} == {"short"}:
        return quantity
    count = _streams(evidence) if "parallel" in requests else 1
    streams = "one stream" if count == 1 else f"{count} streams"
    quantity = with_detail(quantity, f"{streams} of {size_name(_stream_bytes(evidence, name))}")
    if count == 1 or count == STREAMS:
        return quantity
    reason = f"{streams} decide the direction only, the document has {STREAMS}"
    return with_limitations(quantity, no_size=reason)


def _scaling_efficiency(evidence: Evidence, name: str) -> Quantity:
    """Return the time of one stream over that of parallel streams that each produce as much; 1 is perfect scaling."""
    return evidence.ratio(_cases(evidence, name, "long"), _cases(evidence, name, "parallel"))


def _cases(evidence: Evidence, name: str, requests: Requests) -> list[int]:
    columns = {"engine": "whole", "op": "generate"}
    if requests == "short":
        request = 0 if name.rpartition(".")[2] in WORD_BY_WORD else WORD
        return evidence.find(name, **columns, block_size=request, threads=1)
    count = 1 if requests == "long" else _streams(evidence)
    total = count * _stream_bytes(evidence, name)
    return evidence.find(name, **columns, block_size=REQUEST, threads=count, bytes=total)


def _stream_bytes(evidence: Evidence, name: str) -> int:
    """Return the bytes that one stream produces: the fewest, since the document's 4 GB have too few samples."""
    single = evidence.find(name, engine="whole", op="generate", block_size=REQUEST, threads=1)
    return int(evidence.cases.loc[single, "bytes"].min())
