"""What a number of processes and rounds can show: the width of intervals and the smallest detectable difference.

The interval of a ratio is simulated with a stated noise, by the procedure that `aeadlab.stats.ratio_interval` uses.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

import numpy as np

from aeadlab.stats.noise_floor import MARGIN
from aeadlab.stats.processes import CONFIDENCE, FEWEST, Samples

SAMPLE_NOISE: Final = 0.01
"""Standard deviation of the log time of samples within a process."""

PROCESS_NOISE: Final = 0.02
"""Half-width of the uniform distribution of the offsets of a case's log time between processes."""

POWER: Final = 0.8
"""Probability with which the smallest detectable difference is found."""

_RUNS: Final = 1000


class Resolution(NamedTuple):
    """What the times of two cases show, as relative numbers; NaN below three processes, which support no verdict.

    Attributes
    ----------
    width
        Median width of the 95 % interval of their ratio, relative to the ratio.
    difference
        Smallest true difference whose interval lies outside the margin of 1 % with a probability of `POWER`.
    """

    width: float
    difference: float

    def __str__(self) -> str:
        if self.width != self.width:
            return f"no verdicts with fewer than {FEWEST} processes"
        width, difference = (f"{100 * number:.1f} %" for number in self)
        return f"95 % intervals about {width} wide, differences from {difference} on are found"


NOISE: Final = f"samples vary by {100 * SAMPLE_NOISE:g} % and processes by up to ±{100 * PROCESS_NOISE:g} %"
"""The noise of `resolution` in words."""


@lru_cache(maxsize=64)
def resolution(processes: int, rounds: int) -> Resolution:
    """Return what a comparison of two cases can show with `rounds` rounds in each of `processes` processes.

    It is simulated with normal samples and uniform offsets of `SAMPLE_NOISE` and `PROCESS_NOISE`, independent for both
    cases, and repeatable. A difference shifts the whole interval, so the smallest one that is found follows from the
    quantile of the interval's lower end without a search.
    """
    if processes < FEWEST:
        return Resolution(float("nan"), float("nan"))
    rng = np.random.default_rng((processes, rounds))
    offsets = rng.uniform(-PROCESS_NOISE, PROCESS_NOISE, (2, _RUNS, processes, 1))
    logs = offsets + rng.normal(0.0, SAMPLE_NOISE, (2, _RUNS, processes, rounds))
    process = np.repeat(np.arange(processes), rounds)
    differences = (logs[1] - logs[0]).reshape(_RUNS, -1)
    low, high = Samples.of(differences, np.broadcast_to(process, differences.shape)).bounds(CONFIDENCE)
    return Resolution(float(np.median(np.expm1(high - low))), exp(MARGIN - float(np.quantile(low, 1 - POWER))) - 1)
