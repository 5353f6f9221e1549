"""What many simulated runs look like: how far apart their modes are, and how often a run is in the upper one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pandas import DataFrame

from aeadlab.stealing.division import levels
from aeadlab.stealing.simulation import simulate

_OTHERWISE = {"outside", "min_len", "max_len", "renewal"}
"""Options with which ranges are divided otherwise than `levels` takes them to be."""


def expected_modes(
    counts: Iterable[int],
    *,
    runs: int = 100,
    blocks_per_thread: int = 64,
    block_seconds: float = 16384 * 25e-9,
    **options: Any,
) -> DataFrame:
    """Simulate runs at several thread counts.

    A run counts as one of the upper mode beyond 0.8 of the way from the lower one to it, as `levels` has them.

    Parameters
    ----------
    counts
        Thread counts, each at least 1.
    runs
        Simulated for each.
    blocks_per_thread, block_seconds
        Of the message; the block is one of 16 KiB of ``baseline/delay``, which waits 25 ns a byte.
    **options
        As for `aeadlab.stealing.simulate`.

    Returns
    -------
    DataFrame
        A row per thread count: ``threads``, ``predicted_ratio`` (of `levels`; NaN for options that change it),
        ``ratio`` (median of the upper over median of the lower mode, NaN where there is one), ``upper_share``,
        ``lower_over_even`` (median of the lower mode over an even division), ``fewest_leaves`` and ``most_leaves``.

    Raises
    ------
    aeadlab.errors.ArgumentError
        As `aeadlab.stealing.simulate`.
    """
    rows = []
    for threads in counts:
        blocks = blocks_per_thread * threads
        found = [simulate(threads, blocks, block_seconds, seed=seed, **options) for seed in range(runs)]
        over = np.array([run.seconds / (blocks_per_thread * block_seconds) for run in found])
        known = levels(threads, blocks)
        slow = over > known.lower + 0.8 * (known.upper - known.lower)
        slow &= known.ratio > 1
        lower = float(np.median(over[~slow])) if (~slow).any() else float("nan")
        sizes = [len(run.leaves) for run in found]
        rows.append(
            {
                "threads": threads,
                "predicted_ratio": float("nan") if _OTHERWISE & options.keys() else known.ratio,
                "ratio": float(np.median(over[slow])) / lower if slow.any() else float("nan"),
                "upper_share": float(slow.mean()),
                "lower_over_even": lower,
                "fewest_leaves": min(sizes),
                "most_leaves": max(sizes),
            }
        )
    return DataFrame(rows)
