"""What many simulated runs look like: how far apart their modes are, and how often a run is in the upper one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pandas import DataFrame

from aeadlab.stealing.division import busiest
from aeadlab.stealing.simulation import simulate


def expected_modes(
    counts: Iterable[int],
    *,
    runs: int = 100,
    blocks_per_thread: int = 64,
    block_seconds: float = 16384 * 25e-9,
    **options: Any,
) -> DataFrame:
    """Simulate runs at several thread counts.

    A run counts as one of the upper mode beyond 0.8 of the way from an even division to what `busiest` says.

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
        A row per thread count: ``threads``, ``predicted_ratio`` (of `busiest`), ``ratio`` (median of the upper over
        median of the lower mode, NaN where there is one), ``upper_share``, ``lower_over_even`` (median of the lower
        mode over an even division), ``fewest_leaves`` and ``most_leaves``.

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
        upper = busiest(threads, blocks)
        slow = over > 1 + 0.8 * (upper - 1) if upper > 1 else np.zeros(runs, dtype=bool)
        lower = float(np.median(over[~slow])) if (~slow).any() else float("nan")
        sizes = [len(run.leaves) for run in found]
        rows.append(
            {
                "threads": threads,
                "predicted_ratio": upper,
                "ratio": float(np.median(over[slow])) / lower if slow.any() else float("nan"),
                "upper_share": float(slow.mean()),
                "lower_over_even": lower,
                "fewest_leaves": min(sizes),
                "most_leaves": max(sizes),
            }
        )
    return DataFrame(rows)
