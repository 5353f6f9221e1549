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
from aeadlab.stats import NoiseFloor, median_interval, smallest_count, verdict
from aeadlab.stats.noise_floor import band_width

MIN_GAIN = 0.01
"""A smaller gain does not justify a further thread, even if it is significant."""
MAX_LOSS = 0.05
"""On a noisy machine, settings whose median is slower by more than this are not chosen."""

Times = NDArray[np.float64]


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
    """Time of `chosen` relative to the fastest: median over rounds and its 95 % interval."""
    runner_up: tuple[Settings, tuple[float, float, float]] | None
    """The fastest settings of another implementation, with their time relative to `chosen`; None if there are none."""
    noise: float
    """Noise floor as a ratio minus one."""

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
        return f"{text}. Differences under {self.noise:.1%} count as noise."


def choose(times: Mapping[Settings, Times], repeated: Times | None, order: Sequence[str]) -> Choice:
    """Choose by times that were taken in common rounds.

    The simplest settings have the fewest threads, then the largest blocks (the library then has a larger share of the
    time, and fewer calls are made under one key), then the implementation that comes first in `order`.

    Parameters
    ----------
    times
        Seconds of each candidate, one for each round, all of the same length; NaN where a sample is missing.
    repeated
        Second arm of the first candidate's A/A pair, in seconds; None if it failed.
    order
        Names of implementations, the preferred one first.
    """
    required = smallest_count()
    measured = {key: seconds for key, seconds in times.items() if np.count_nonzero(np.isfinite(seconds)) >= required}
    if not measured:
        raise MeasurementError(f"no candidate has {required} samples, which a choice requires")
    _, low, high = (np.nan,) * 3 if repeated is None else ratio(repeated, next(iter(times.values())))
    # Without an interval of the A/A pair, the smallest gain of interest is the noise floor.
    noise = NoiseFloor(max(float(band_width(low, high)) if np.isfinite(low) else 0.0, log(1 + MIN_GAIN)), 1)
    medians = {key: float(np.nanmedian(seconds)) for key, seconds in measured.items()}
    fastest = min(medians, key=medians.__getitem__)
    equal = []
    for key, seconds in measured.items():
        centre, low, high = ratio(seconds, measured[fastest])
        # Candidates that share too few rounds have no interval, which is no evidence that they are equal.
        if key == fastest or (
            np.isfinite(low) and verdict(low, high, noise) == "no credible difference" and centre <= 1 + MAX_LOSS
        ):
            equal.append(key)
    chosen = min(equal, key=lambda key: (key.threads, -key.block_size, order.index(key.implementation)))
    others = [key for key in measured if key.implementation != chosen.implementation]
    runner_up = min(others, key=medians.__getitem__, default=None)
    return Choice(
        chosen,
        fastest,
        tuple(equal),
        ratio(measured[chosen], measured[fastest]),
        None if runner_up is None else (runner_up, ratio(measured[runner_up], measured[chosen])),
        exp(noise.width) - 1,
    )


def ratio(times: Times, reference: Times) -> tuple[float, float, float]:
    """Return `times` over `reference`, paired by round: median and its 95 % interval, NaN below six pairs."""
    both = np.isfinite(times) & np.isfinite(reference)
    if not both.any():
        return (float("nan"),) * 3
    centre, low, high = median_interval(np.log(times[both] / reference[both]))
    return exp(centre), exp(low), exp(high)


def _describe(settings: Settings) -> str:
    threads = f"{settings.threads} thread{'s' * (settings.threads > 1)}"
    return f"{settings.implementation} in blocks of {size_name(settings.block_size)} with {threads}"


def _times(ratio: tuple[float, float, float]) -> str:
    return f"{ratio[0]:.3f} [{ratio[1]:.3f}, {ratio[2]:.3f}] times"
