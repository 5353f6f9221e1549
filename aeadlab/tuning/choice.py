"""The choice as a function of the samples: the fastest, and of what the clock cannot tell apart the simplest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from aeadlab.automatic import Settings
from aeadlab.errors import MeasurementError
from aeadlab.stats import NoiseFloor, median_interval, smallest_count, verdict

WORTH = 0.01
"""A smaller gain is worth no further thread, whatever the clock can tell."""
MOST_LOST = 0.05
"""Of what a noisy machine cannot tell apart, nothing is taken that seemed slower by more than this."""

Times = NDArray[np.float64]


@dataclass(frozen=True)
class Choice:
    """What is taken, and against what.

    Attributes
    ----------
    taken
        The choice.
    fastest
        The least median time, which `taken` may differ from.
    equal
        All that the clock does not tell from the fastest, `taken` among them.
    ratio
        Time of `taken` over that of the fastest: median over rounds and its 95 % interval.
    runner_up
        The fastest of another implementation, with its time over that of `taken`; None where there is no other.
    noise
        Half-width of the band, as a ratio less one, within which differences say nothing.
    """

    taken: Settings
    fastest: Settings
    equal: tuple[Settings, ...]
    ratio: tuple[float, float, float]
    runner_up: tuple[Settings, tuple[float, float, float]] | None
    noise: float


def choose(times: Mapping[Settings, Times], again: Times | None, order: Sequence[str]) -> Choice:
    """Choose by times that were taken in common rounds.

    The simpler of equals has fewer threads, then larger blocks (a larger share of the time is then the library's, and
    fewer calls are made under one key), then an implementation that comes earlier in `order`.

    Parameters
    ----------
    times
        Seconds of each candidate, one per round, all of the same length; NaN where a sample is missing.
    again
        The first candidate measured a second time in each round: what it differs by is noise. None where it failed.
    order
        Names of implementations, the preferred one first.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If no candidate has been measured in enough rounds for an interval.
    """
    enough = smallest_count()
    known = {who: found for who, found in times.items() if np.count_nonzero(np.isfinite(found)) >= enough}
    if not known:
        raise MeasurementError(f"no candidate was measured {enough} times, so nothing can be chosen")
    noise = NoiseFloor(max(_noise(times, again), log(1 + WORTH)), 1)
    medians = {who: float(np.nanmedian(found)) for who, found in known.items()}
    fastest = min(medians, key=medians.__getitem__)
    equal = []
    for who, found in known.items():
        centre, low, high = ratio(found, known[fastest])
        # An unknown interval, of candidates that share too few rounds, is no reason to call them equal.
        if who == fastest or (
            np.isfinite(low) and verdict(low, high, noise) == "no credible difference" and centre <= 1 + MOST_LOST
        ):
            equal.append(who)
    taken = min(equal, key=lambda who: (who.threads, -who.block_size, order.index(who.implementation)))
    others = [who for who in known if who.implementation != taken.implementation]
    runner_up = min(others, key=medians.__getitem__, default=None)
    return Choice(
        taken,
        fastest,
        tuple(equal),
        ratio(known[taken], known[fastest]),
        None if runner_up is None else (runner_up, ratio(known[runner_up], known[taken])),
        exp(noise.width) - 1,
    )


def ratio(times: Times, reference: Times) -> tuple[float, float, float]:
    """`times` over `reference`, paired by round: median and its 95 % interval, NaN below six pairs."""
    both = np.isfinite(times) & np.isfinite(reference)
    if not both.any():
        return (float("nan"),) * 3
    centre, low, high = median_interval(np.log(times[both] / reference[both]))
    return exp(centre), exp(low), exp(high)


def _noise(times: Mapping[Settings, Times], again: Times | None) -> float:
    """How far apart the two arms of the A/A pair may lie, in log ratio."""
    if again is None:
        return 0.0
    _, low, high = ratio(again, next(iter(times.values())))
    return max(log(high), -log(low)) if np.isfinite(low) else 0.0
