"""The choice as a function of the samples: the simplest settings that are not distinguishable from the fastest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aeadlab.display.units import size_name
from aeadlab.errors import MeasurementError
from aeadlab.stats import NoiseFloor, confidence_of_chosen, ratio_interval, smallest_count, verdict
from aeadlab.stats.interval import unit
from aeadlab.stats.noise_floor import MARGIN, bias
from aeadlab.stats.processes import CONFIDENCE

MAX_LOSS = 0.05
"""On a noisy machine, settings whose median is slower by more than this are not chosen."""

Times = NDArray[np.float64]
Processes = NDArray[np.int64]


class Settings(NamedTuple):
    """Implementation, block size in bytes and thread count of a ParSplit."""

    implementation: str
    block_size: int
    threads: int


@dataclass(frozen=True)
class Choice:
    """The chosen settings, and the settings that they were compared with."""

    chosen: Settings
    fastest: Settings
    """The settings of the smallest median time, which may differ from `chosen`."""
    equal: tuple[Settings, ...]
    """All settings that are not distinguishable from the fastest, including `chosen`."""
    ratio: tuple[float, float, float]
    """Time of `chosen` relative to the fastest: median over rounds and its interval, at the level of `basis`."""
    runner_up: tuple[Settings, tuple[float, float, float]] | None
    """The fastest settings of another implementation, with their time relative to `chosen`; None if there are none."""
    noise: float
    """Noise floor as a ratio minus one."""
    basis: str
    """The numbers of processes and rounds of the comparisons, and of pairs for which these hold at once."""

    def explain(self) -> str:
        """Return the reason for the choice in sentences."""
        chosen, fastest = self.chosen, self.fastest
        text = f"{_describe(chosen)} is "
        if chosen == fastest:
            text += "the fastest"
            if len(self.equal) > 1:
                text += f", and the simplest of {len(self.equal)} that differ by less than the noise"
        else:
            reason = "its blocks are larger" if chosen.block_size > fastest.block_size else "it is preferred by name"
            if chosen.threads < fastest.threads:
                reason = "it has fewer threads"
            ratio = _times(self.ratio)
            text += f"not distinguishable from the fastest, {_describe(fastest)} ({ratio} its time), and {reason}"
        if self.runner_up is not None and self.runner_up[0] != fastest:
            other, ratios = self.runner_up
            text += f". The best of another implementation, {_describe(other)}, takes {_times(ratios)} as long"
            if other in self.equal:
                text += ", which is within the noise"
        return f"{text}. Differences under {self.noise:.1%} count as noise ({self.basis})."


def choose(times: Mapping[Settings, Times], process: Processes, repeated: Times | None, order: Sequence[str]) -> Choice:
    """Choose by times that were taken in common rounds.

    The simplest settings have the fewest threads, then the largest blocks (the library then has a larger share of the
    time, and fewer calls are made under one key), then the implementation that comes first in `order`.

    Parameters
    ----------
    times
        Seconds of each candidate, one for each round, all of the same length; NaN where a sample is missing.
    process
        The process of each round.
    repeated
        Second arm of the first candidate's A/A pair, in seconds; None if it failed.
    order
        Names of implementations, the preferred one first.
    """
    required = smallest_count()
    measured = {key: seconds for key, seconds in times.items() if np.count_nonzero(np.isfinite(seconds)) >= required}
    if not measured:
        raise MeasurementError(f"no candidate has {required} samples, which a choice requires")
    width = MARGIN
    if repeated is not None and np.isfinite(repeated).any():
        _, low, high = ratio(repeated, next(iter(times.values())), process)
        width = max(width, float(bias(log(low), log(high))) if np.isfinite(low) else 0.0)
    noise = NoiseFloor(width, int(repeated is not None))
    processes = np.unique(process).size
    medians = {key: float(np.nanmedian(seconds)) for key, seconds in measured.items()}
    fastest = min(medians, key=medians.__getitem__)
    equal, confidence = [], confidence_of_chosen(len(measured))
    for key, seconds in measured.items():
        centre, low, high = ratio(seconds, measured[fastest], process, confidence)
        # Candidates that share too few rounds have no interval, which is no evidence that they are equal.
        undecided = verdict(low, high, noise, processes) == "no credible difference"
        if key == fastest or (np.isfinite(low) and undecided and centre <= 1 + MAX_LOSS):
            equal.append(key)
    chosen = min(equal, key=lambda key: (key.threads, -key.block_size, order.index(key.implementation)))
    others = [key for key in measured if key.implementation != chosen.implementation]
    runner_up = min(others, key=medians.__getitem__, default=None)
    return Choice(
        chosen,
        fastest,
        tuple(equal),
        ratio(measured[chosen], measured[fastest], process, confidence),
        None if runner_up is None else (runner_up, ratio(measured[runner_up], measured[chosen], process, confidence)),
        exp(noise.width) - 1,
        f"{unit(processes, process.size)}; 95 % for all pairs of {len(measured)} settings at once",
    )


def ratio(
    times: Times, reference: Times, process: Processes, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return `times` over `reference`, paired by round: median and its interval, NaN without a common round."""
    both = np.isfinite(times) & np.isfinite(reference)
    if not both.any():
        return (float("nan"),) * 3
    centre, low, high = ratio_interval(times[both], reference[both], np.flatnonzero(both), process[both], confidence)
    return centre, low, high


def _describe(settings: Settings) -> str:
    threads = f"{settings.threads} thread{'s' * (settings.threads > 1)}"
    return f"{settings.implementation} in blocks of {size_name(settings.block_size)} with {threads}"


def _times(ratio: tuple[float, float, float]) -> str:
    return f"{ratio[0]:.3f} [{ratio[1]:.3f}, {ratio[2]:.3f}] times"
