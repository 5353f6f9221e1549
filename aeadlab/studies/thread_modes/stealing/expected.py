"""Modes of many simulated runs: their ratio, and the share of the upper mode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pandas import DataFrame

from aeadlab.studies.thread_modes.stealing.division import levels
from aeadlab.studies.thread_modes.stealing.simulation import simulate

_UNPREDICTED = {"outside", "min_len", "max_len", "renewal"}
"""Options under which ranges are split differently from the assumption of `levels`."""


def expected_modes(
    counts: Iterable[int],
    *,
    runs: int = 100,
    blocks_per_thread: int = 64,
    block_seconds: float = 16384 * 25e-9,
    **options: Any,
) -> DataFrame:
    """Simulate a number of runs at each of several thread counts, and tabulate their modes.

    A run belongs to the upper mode if its time is beyond 0.8 of the distance between both modes of `levels`. The
    columns are ``threads``, ``predicted_ratio`` (of `levels`; NaN for options that change it), ``ratio`` (median of the
    upper over median of the lower mode, NaN where there is one), ``upper_share``, ``lower_over_even`` (median of the
    lower mode relative to perfect balance), ``fewest_leaves`` and ``most_leaves``.

    Parameters
    ----------
    blocks_per_thread, block_seconds
        Block count and time of a block; the default is 16 KiB of ``baseline/delay``, which waits 25 ns per byte.
    **options
        Passed to `aeadlab.studies.thread_modes.stealing.simulate`.
    """
    rows = []
    for threads in counts:
        blocks = blocks_per_thread * threads
        simulated = [simulate(threads, blocks, block_seconds, seed=seed, **options) for seed in range(runs)]
        relative = np.array([run.seconds / (blocks_per_thread * block_seconds) for run in simulated])
        predicted = levels(threads, blocks)
        slow = relative > predicted.lower + 0.8 * (predicted.upper - predicted.lower)
        slow &= predicted.ratio > 1
        lower = float(np.median(relative[~slow])) if (~slow).any() else float("nan")
        sizes = [len(run.leaves) for run in simulated]
        rows.append(
            {
                "threads": threads,
                "predicted_ratio": float("nan") if _UNPREDICTED & options.keys() else predicted.ratio,
                "ratio": float(np.median(relative[slow])) / lower if slow.any() else float("nan"),
                "upper_share": float(slow.mean()),
                "lower_over_even": lower,
                "fewest_leaves": min(sizes),
                "most_leaves": max(sizes),
            }
        )
    return DataFrame(rows)
