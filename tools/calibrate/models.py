"""The noise models under which the procedures are simulated: logarithms of times of equal code."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Model: TypeAlias = Callable[[np.random.Generator, int, int, int], Floats]
"""From a generator and the numbers of cases, processes and rounds in each process to log times of that shape."""

SAMPLE: Final = 0.01
"""Standard deviation of a sample in log time."""
SLOW: Final = log(1.25)
SLOW_SHARE: Final = 0.3


def _independent(rng: np.random.Generator, *shape: int) -> Floats:
    """Normal noise; one sample in twenty is slower by 20 % on average, exponentially distributed."""
    strays = (rng.random(shape) < 0.05) * rng.exponential(0.2, shape)
    return rng.normal(0, SAMPLE, shape) + strays


def _offsets(width: float, sample: float = SAMPLE) -> Model:
    """Normal noise, and an offset of each case in each process, uniform up to `width` on either side."""

    def model(rng: np.random.Generator, cases: int, processes: int, rounds: int) -> Floats:
        offset = rng.uniform(-width, width, (cases, processes, 1))
        return rng.normal(0, sample, (cases, processes, rounds)) + offset

    return model


def _correlated(correlation: float) -> Model:
    """Autoregressive noise of each case, which goes on from one process to the next without a gap."""

    def model(rng: np.random.Generator, cases: int, processes: int, rounds: int) -> Floats:
        noise = rng.normal(0, 2 * SAMPLE, (cases, processes * rounds))
        for at in range(1, noise.shape[1]):
            noise[:, at] = correlation * noise[:, at - 1] + (1 - correlation**2) ** 0.5 * noise[:, at]
        return noise.reshape(cases, processes, rounds)

    return model


def _walk(rng: np.random.Generator, cases: int, processes: int, rounds: int) -> Floats:
    """Normal noise on a random walk of the machine, which all cases share."""
    walk = np.cumsum(rng.normal(0, 0.003, processes * rounds)).reshape(processes, rounds)
    return rng.normal(0, SAMPLE, (cases, processes, rounds)) + walk


def _two_modes(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.normal(0, SAMPLE, shape) + SLOW * (rng.random(shape) < SLOW_SHARE)


def _heavy_tail(rng: np.random.Generator, *shape: int) -> Floats:
    """Student's t with two degrees of freedom, whose variance is infinite."""
    return SAMPLE * rng.standard_t(2, shape)


MODELS: Final[dict[str, Model]] = {
    "independent, 5 % stragglers": _independent,
    "process offsets ±2 %": _offsets(0.02),
    "process offsets ±2 %, samples 3 %": _offsets(0.02, 3 * SAMPLE),
    "process offsets ±5 %": _offsets(0.05),
    "autoregressive 0.3": _correlated(0.3),
    "autoregressive 0.6": _correlated(0.6),
    "shared random walk": _walk,
    "two modes, 30 % slower by 25 %": _two_modes,
    "heavy tail": _heavy_tail,
}

WITHOUT_MEDIAN: Final = frozenset({"shared random walk"})
"""Models whose times have no median that does not depend on the length of the run."""


def true_median(model: Model) -> float:
    """Return the median of a model's log times, from a million samples of single processes and rounds."""
    rng = np.random.default_rng(1)
    return float(np.median([np.median(model(rng, 1000, 1, 1)) for _ in range(1000)]))
