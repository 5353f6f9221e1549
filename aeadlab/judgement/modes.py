"""Quantities about run times with two modes: how far apart, how often, and where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from aeadlab.judgement.claim import Numbers, Test
from aeadlab.judgement.estimate import Estimate, Quantity
from aeadlab.judgement.evidence import Evidence, Undecided
from aeadlab.kinds import DELAY
from aeadlab.schedules import PAPERS
from aeadlab.stats import Modes, mode_ratio, modes, share_interval
from aeadlab.stats.interval import Floats
from aeadlab.stealing import levels
from aeadlab.studies.thread_modes import message

ENOUGH: Final = 100
"""Samples from which modes are looked for, as many as the document's."""


def _found(evidence: Evidence, threads: int, schedule: str) -> tuple[Floats, Modes]:
    # Other numbers of blocks are there as well.
    block = message(threads)[1]
    seconds, order = evidence.times(DELAY, engine="parsplit", schedule=schedule, threads=threads, block_size=block)
    if seconds.size < ENOUGH:
        raise Undecided(f"{seconds.size} undisturbed samples with {threads} threads, {ENOUGH} are wanted")
    found = modes(seconds, order, rare=True, brief=True)
    if found.kind == "drift":
        raise Undecided(f"the run drifted with {threads} threads")
    return seconds, found


def apart(threads: int) -> Test:
    """Median of the upper mode over that of the lower, with so many threads under Rayon; 1 where there is one mode."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        seconds, found = _found(evidence, threads, PAPERS)
        if found.kind != "two":
            return lambda _: Estimate(1.0, 1.0, 1.0)
        return lambda confidence: Estimate(*mode_ratio(seconds, found, confidence))

    return test


def how_many_have_two(counts: Sequence[int], schedules: Sequence[str] = (PAPERS,)) -> Test:
    """With how many of these thread counts and schedules there are two modes."""

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        found = [_found(evidence, threads, schedule)[1] for threads, schedule in product(counts, schedules)]
        two = sum(one.kind == "two" for one in found)
        return lambda _: Estimate(two, two, two)

    return test


def upper_share(counts: Sequence[int]) -> Test:
    """The share of runs under Rayon that are nearer to the upper mode than to the lower one.

    Of all these thread counts that have an upper mode, at the place where two leaves for one worker put it: it may be
    too rare at each count to be found there.
    """

    def test(evidence: Evidence, _: Numbers) -> Quantity:
        slow, total = 0, 0
        for threads in counts:
            length, block = message(threads)
            apart = levels(threads, length // block).ratio
            if apart == 1:
                continue
            seconds = _found(evidence, threads, PAPERS)[0]
            # Half of the samples are in the lower mode at least.
            lower = float(np.quantile(seconds, 0.25))
            slow, total = slow + int((seconds > lower * apart**0.5).sum()), total + seconds.size
        return lambda confidence: Estimate(*share_interval(slow, total, confidence))

    return test
