"""Traced runs of threads that wait instead of computing, of which there may be more than cores, and their accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.catalogue import load
from aeadlab.catalogue.kinds import DELAY
from aeadlab.parsplit.parsplit import ParSplit
from aeadlab.stats import median_interval
from aeadlab.studies.thread_modes.stealing.traces import keeps_first_pair, leaf_table, predicted_leaves

BLOCKS_PER_THREAD = 64


@dataclass(frozen=True)
class TracedRun:
    """A traced run.

    Attributes
    ----------
    trace
        Trace returned by `aeadlab.ParSplit.traced`.
    leaves
        Table of `leaf_table`.
    threads
        Thread count, including threads that processed no block.
    """

    trace: NDArray[Any]
    leaves: DataFrame
    threads: int

    @property
    def seconds(self) -> float:
        """Time from the start of the first block to the end of the last."""
        return float(self.leaves["end"].max() - self.leaves["start"].min())

    @property
    def keeps_first_pair(self) -> bool:
        """Whether the first worker processed the first two leaves; see the function of this name."""
        return keeps_first_pair(self.leaves, self.threads)

    def matches_the_rule(self, *, outside: bool = False) -> bool:
        """Return whether the leaves are those that the splitting rule yields for the observed block assignment."""
        leaves = list(zip(self.leaves["first"].tolist(), self.leaves["blocks"].tolist(), strict=True))
        return predicted_leaves(self.trace["thread"].tolist(), self.threads, outside=outside) == leaves


def traced_runs(
    threads: int, schedule: str = "rayon", *, blocks: int = 320, block_size: int = 16 << 10
) -> Iterator[TracedRun]:
    """Yield traced runs without end.

    Parameters
    ----------
    threads : int
        1 to 256; each thread waits as if it had a core of its own.
    schedule : str
        One of `aeadlab.parsplit.schedules.NAMES` or ``EXPERIMENTS``.
    blocks : int
        Number of blocks of the message.
    block_size : int
        Block size in bytes; a block takes 25 ns per byte.
    """
    cipher = ParSplit(DELAY, block_size, threads, schedule, serial_below=0, baseline=True)
    data = bytes(blocks * block_size)
    out = bytearray(cipher.sealed_bytes(len(data)))
    while True:
        _, trace = cipher.traced(b"", bytes(7), data, b"", out)
        yield TracedRun(trace, leaf_table(trace), threads)


def one_run_of_each_mode(
    threads: int, schedule: str = "rayon", *, most: int = 100, **message: int
) -> dict[str, TracedRun]:
    """Return a traced run of each mode, ``lower`` and ``upper``, that occurs within `most` runs; see `traced_runs`."""
    by_mode: dict[str, TracedRun] = {}
    for _, run in zip(range(most), traced_runs(threads, schedule, **message), strict=False):
        by_mode.setdefault("upper" if run.keeps_first_pair else "lower", run)
        if len(by_mode) == 2:
            break
    return dict(sorted(by_mode.items()))


def rule_check(threads: Iterable[int], runs: int = 20) -> DataFrame:
    """Compare the leaves of traced runs under Rayon with those that the splitting rule predicts.

    The result has a row for each thread count: ``threads``, ``runs``, ``as_predicted`` (runs whose leaves all equal
    the prediction), ``fewest_leaves``, ``most_leaves``, and ``first_pair_kept`` (runs in the upper mode).
    """
    rows = []
    for count in threads:
        traced = list(islice(traced_runs(count, blocks=BLOCKS_PER_THREAD * count), runs))
        sizes = [len(run.leaves) for run in traced]
        rows.append(
            {
                "threads": count,
                "runs": len(traced),
                "as_predicted": sum(run.matches_the_rule() for run in traced),
                "fewest_leaves": min(sizes),
                "most_leaves": max(sizes),
                "first_pair_kept": sum(run.keeps_first_pair for run in traced),
            }
        )
    return DataFrame(rows)


def seconds_per_byte() -> float:
    """Return the seconds that `baseline/delay` waits for each byte in this process."""
    return 1e-9 * float(load().find(DELAY).description.kernel.split()[0])


def waiting_accuracy(
    threads: Iterable[int] = (1, 5, 16, 32, 64),
    block_sizes: Iterable[int] = (4 << 10, 8 << 10, 16 << 10, 32 << 10),
    runs: int = 7,
) -> DataFrame:
    """Compare traced runs in which every thread has the same number of blocks with perfect balance.

    The result has a row for each thread count and block size in bytes: ``threads``, ``block_size``, ``wakes_per_s``
    (required wake-ups per second), ``block_median`` and ``block_p99`` (time of a block relative to its nominal time)
    and ``over_even`` (median time of a run relative to perfect balance) with the ends ``over_even_low`` and
    ``over_even_high`` of its 95 % interval. The interval holds within this one process, as ``interval`` states, and is
    NaN below 6 runs.
    """
    rows, each = [], seconds_per_byte()
    for count, size in product(threads, block_sizes):
        nominal = size * each
        traced = list(islice(traced_runs(count, "static", blocks=BLOCKS_PER_THREAD * count, block_size=size), runs))
        blocks = np.concatenate([run.trace["end_ns"] - run.trace["start_ns"] for run in traced]) * 1e-9 / nominal
        times = [run.seconds / (BLOCKS_PER_THREAD * nominal) for run in traced]
        over = median_interval(times, range(len(times)), [0] * len(times))
        rows.append(
            {
                "threads": count,
                "block_size": size,
                "wakes_per_s": count / nominal,
                "block_median": float(np.median(blocks)),
                "block_p99": float(np.quantile(blocks, 0.99)),
                **dict(zip(("over_even", "over_even_low", "over_even_high"), over, strict=True)),
                "interval": over.unit,
            }
        )
    return DataFrame(rows)
