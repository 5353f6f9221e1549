"""How evenly threads that wait instead of computing do so: what the virtual cores of `baseline/delay` are good for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product

import numpy as np
from pandas import DataFrame

from aeadlab.catalogue import load
from aeadlab.kinds import DELAY
from aeadlab.stats import median_interval
from aeadlab.stealing.observed import observe

BLOCKS_PER_THREAD = 64


def seconds_per_byte() -> float:
    """For which `baseline/delay` waits in this process: it says so in nanoseconds."""
    return 1e-9 * float(load().find(DELAY).description.kernel.split()[0])


def waiting(
    threads: Iterable[int] = (1, 5, 16, 32, 64),
    block_sizes: Iterable[int] = (4 << 10, 8 << 10, 16 << 10, 32 << 10),
    runs: int = 7,
) -> DataFrame:
    """Trace runs in which every thread has the same blocks, and compare with an even division.

    Parameters
    ----------
    threads
        1 to 256 each.
    block_sizes
        Bytes.
    runs
        Of each.

    Returns
    -------
    DataFrame
        A row for each pair: ``threads``, ``block_size``, ``wakes_per_s`` (that the computer is asked for),
        ``block_median`` and ``block_p99`` (time of a block over what it was told to wait) and ``over_even`` (median
        time of a run over that of an even division) with ``over_even_low`` and ``over_even_high``, NaN below 6 runs.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a number is out of range.
    """
    rows, each = [], seconds_per_byte()
    for count, size in product(threads, block_sizes):
        told = size * each
        traced = list(islice(observe(count, "static", blocks=BLOCKS_PER_THREAD * count, block_size=size), runs))
        blocks = np.concatenate([run.spans["end_ns"] - run.spans["start_ns"] for run in traced]) * 1e-9 / told
        over = median_interval([run.seconds / (BLOCKS_PER_THREAD * told) for run in traced])
        rows.append(
            {
                "threads": count,
                "block_size": size,
                "wakes_per_s": count / told,
                "block_median": float(np.median(blocks)),
                "block_p99": float(np.quantile(blocks, 0.99)),
                **dict(zip(("over_even", "over_even_low", "over_even_high"), over, strict=True)),
            }
        )
    return DataFrame(rows)
