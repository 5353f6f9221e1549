"""Quantities about run times with two modes: their ratio, their number and the share of the upper one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from aeadlab.catalogue.kinds import DELAY
from aeadlab.parsplit.schedules import ETH_PAPER
from aeadlab.stats import Modes, mode_ratio, modes, share_interval
from aeadlab.stats.interval import Floats
from aeadlab.studies.thread_modes.stealing import levels
from aeadlab.studies.thread_modes.study import message
from aeadlab.verdicts.claim import Numbers, estimator
from aeadlab.verdicts.estimate import Estimate, Quantity
from aeadlab.verdicts.evidence import Evidence, Inconclusive

MIN_SAMPLES: Final = 100
"""Least number of samples in which modes are identified, as many as in the paper."""


def _modes(evidence: Evidence, threads: int, schedule: str) -> tuple[Floats, Modes]:
    """Return the times in seconds at a thread count and their modes."""
    seconds, order = evidence.sample_times(
        # The record also contains other block counts.
        DELAY, engine="parsplit", schedule=schedule, threads=threads, block_size=message(threads)[1],
    )  # fmt: skip
    if seconds.size < MIN_SAMPLES:
        raise Inconclusive(f"{seconds.size} undisturbed samples with {threads} threads, {MIN_SAMPLES} are required")
    result = modes(seconds, order, rare=True, brief=True)
    if result.kind == "drift":
        raise Inconclusive(f"the run drifted with {threads} threads")
    return seconds, result


@estimator
def ratio_of_modes(evidence: Evidence, _: Numbers, threads: int) -> Quantity:
    """Return the median of the upper mode over that of the lower under Rayon; 1 where there is one mode."""
    seconds, result = _modes(evidence, threads, ETH_PAPER)
    if result.kind != "two":
        return lambda _: Estimate(1.0, 1.0, 1.0)
    return lambda confidence: Estimate(*mode_ratio(seconds, result, confidence))


@estimator
def counts_with_two_modes(
    evidence: Evidence, _: Numbers, counts: Sequence[int], schedules: Sequence[str] = (ETH_PAPER,)
) -> Quantity:
    """Return the number of combinations of thread count and schedule that have two modes."""
    kinds = [_modes(evidence, threads, schedule)[1].kind for threads, schedule in product(counts, schedules)]
    two = kinds.count("two")
    return lambda _: Estimate(two, two, two)


@estimator
def upper_mode_share(evidence: Evidence, _: Numbers, counts: Sequence[int]) -> Quantity:
    """Return the share of samples under Rayon that are nearer to the upper mode than to the lower one.

    The position of the upper mode at each thread count is the predicted one (`levels`), since the mode may be too rare
    to be identified at one count. Counts with a single predicted mode are excluded.
    """
    upper, total = 0, 0
    for threads in counts:
        length, block = message(threads)
        ratio = levels(threads, length // block).ratio
        if ratio == 1:
            continue
        seconds = _modes(evidence, threads, ETH_PAPER)[0]
        # At least half of the samples are in the lower mode.
        lower = float(np.quantile(seconds, 0.25))
        upper, total = upper + int((seconds > lower * ratio**0.5).sum()), total + seconds.size
    return lambda confidence: Estimate(*share_interval(upper, total, confidence))
