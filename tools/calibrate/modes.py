"""False positives and power of `aeadlab.stats.modes`, by simulation: ``python -m tools.calibrate.modes``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aeadlab.stats import modes

Floats = NDArray[np.float64]
Model = Callable[[np.random.Generator, int, int], Floats]
"""From random numbers, the number of samples and that of processes to times, in units of their level."""

SIZES: Final = (100, 200)
PROCESSES: Final = 10
RATIO: Final = 1.25
SHARES: Final = (0.06, 0.12, 0.33, 0.5)
NOISE: Final = 0.01


def _noise(random: np.random.Generator, n: int, deviation: float = NOISE) -> Floats:
    return random.lognormal(0, deviation, n)


def _offsets(random: np.random.Generator, n: int, processes: int) -> Floats:
    return (1 + random.uniform(-0.05, 0.05, processes))[process_of(n, processes)]


def _two_levels(random: np.random.Generator, n: int, processes: int) -> Floats:
    return random.choice([0.95, 1.05], processes)[process_of(n, processes)]


ONE_MODE: Final[dict[str, Model]] = {
    "lognormal, deviation 0.3": lambda random, n, _: _noise(random, n, 0.3),
    "exponential": lambda random, n, _: random.exponential(1, n),
    "1 + exponential / 10": lambda random, n, _: 1 + random.exponential(0.1, n),
    "Student's t with 2 degrees of freedom, in log time": lambda random, n, _: np.exp(NOISE * random.standard_t(2, n)),
    "5 % stragglers": lambda random, n, _: (
        _noise(random, n) * (1 + (random.random(n) < 0.05) * random.exponential(0.3, n))
    ),
    "linear trend of 30 %": lambda random, n, _: np.linspace(1, 1.3, n) * _noise(random, n),
    "random walk, steps of 1 %": lambda random, n, _: np.exp(random.normal(0, 0.01, n).cumsum()) * _noise(random, n),
    "process offsets within 5 %": lambda random, n, processes: _offsets(random, n, processes) * _noise(random, n),
    "process offsets of -5 or +5 %": lambda random, n, processes: _two_levels(random, n, processes) * _noise(random, n),
}
"""Models without a second mode of the case."""


def process_of(n: int, processes: int) -> NDArray[np.intp]:
    """Return the process of each of n samples; the rounds of a process are contiguous."""
    return np.arange(n) * processes // n


def false_positives(
    sizes: Sequence[int] = SIZES,
    runs: int = 1000,
    models: Collection[str] = tuple(ONE_MODE),
    processes: int = PROCESSES,
) -> pd.DataFrame:
    """Return the share of simulated runs of each model in which two modes are found.

    The columns are ``model``, ``n`` (samples), ``processes`` and ``rate``. The random numbers of a row depend on
    nothing but its model, n and processes.
    """
    rows = []
    for name in models:
        for n in sizes:
            random = np.random.default_rng((crc32(name.encode()), n, processes))
            found = sum(_two(ONE_MODE[name](random, n, processes), processes) for _ in range(runs))
            rows.append({"model": name, "n": n, "processes": processes, "rate": found / runs})
    return pd.DataFrame(rows)


def power(
    sizes: Sequence[int] = SIZES,
    shares: Sequence[float] = SHARES,
    runs: int = 1000,
    ratio: float = RATIO,
    processes: int = PROCESSES,
) -> pd.DataFrame:
    """Return the share of simulated runs in which a second mode is found.

    Each sample is in the upper mode with the same probability, so that some runs have few such samples or none. Within
    each mode log times have a deviation of 1 %; processes differ by up to 5 %. The columns are ``share`` (of the upper
    mode), ``n``, ``processes`` and ``power``.
    """
    rows = []
    for share in shares:
        for n in sizes:
            random = np.random.default_rng((round(1000 * share), n, processes))
            found = 0
            for _ in range(runs):
                upper = np.where(random.random(n) < share, ratio, 1.0)
                found += _two(upper * _offsets(random, n, processes) * _noise(random, n), processes)
            rows.append({"share": share, "n": n, "processes": processes, "power": found / runs})
    return pd.DataFrame(rows)


def _two(seconds: Floats, processes: int) -> bool:
    n = seconds.size
    return modes(seconds, np.arange(n), process_of(n, processes)).kind == "two"


def markdown(table: pd.DataFrame, rows: str, value: str) -> str:
    """Return a table of either function with one line for each model or share and one column for each n, in percent."""
    wide = table.pivot(index=rows, columns="n", values=value).reindex(table[rows].unique())
    lines = [f"| {rows} | {' | '.join(f'n = {n}' for n in wide.columns)} |", "|---" * (wide.shape[1] + 1) + "|"]
    for name, values in wide.iterrows():
        label = name if isinstance(name, str) else f"{100 * float(str(name)):g} %"
        lines.append(f"| {label} | {' | '.join(f'{100 * share:.1f} %' for share in values)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown(false_positives(), "model", "rate"))
    print()
    print(markdown(power(), "share", "power"))
