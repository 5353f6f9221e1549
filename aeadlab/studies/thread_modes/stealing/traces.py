"""Leaves of a run under Rayon: those of a trace, and those that the splitting rule yields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.errors import ArgumentError
from aeadlab.studies.thread_modes.stealing.division import first_budget, leaves as undivided


def leaf_table(trace: NDArray[Any]) -> DataFrame:
    """Return the leaves of a traced run, a row for each in the order of the message.

    The columns are ``worker``, ``first`` (index of the first block), ``blocks`` (their number), and ``start`` and
    ``end`` in seconds since the start of the run.

    Parameters
    ----------
    trace : ndarray, shape (blocks,)
        Trace returned by `aeadlab.ParSplit.traced`, of at least one block.
    """
    if trace.size == 0:
        raise ArgumentError("an empty trace given, expected at least one block")
    starts = np.flatnonzero(np.r_[True, trace["leaf"][1:] != trace["leaf"][:-1]])
    lengths = np.diff(np.r_[starts, trace.size])
    last = starts + lengths - 1
    return DataFrame(
        {
            "worker": trace["thread"][starts].astype(np.int64),
            "first": trace["block"][starts].astype(np.int64),
            "blocks": lengths,
            "start": trace["start_ns"][starts] * 1e-9,
            "end": trace["end_ns"][last] * 1e-9,
        }
    )


def predicted_leaves(
    workers: Sequence[int], threads: int, *, outside: bool = False, min_len: int = 1, max_len: int | None = None
) -> list[tuple[int, int]]:
    """Return first block and number of blocks of each leaf that Rayon's splitting rule yields for a block assignment.

    The worker of the first block of a range has split that range, since it keeps the left half of each split. A right
    half was therefore stolen if its first block has another worker than the left half, which determines the split
    budget of every range.

    Parameters
    ----------
    workers : sequence of int
        Worker of each block in the order of the message.
    outside, min_len, max_len
        As in `aeadlab.studies.thread_modes.stealing.simulate`.
    """
    budget = first_budget(len(workers), threads, min_len=min_len, max_len=max_len)
    leaves: list[tuple[int, int]] = []
    waiting = [(0, len(workers), budget, False, outside)]
    while waiting:
        first, end, budget, stolen, injected = waiting.pop()
        if (end - first) // 2 < min_len or not (stolen or budget > 0):
            leaves.append((first, end - first))
            continue
        budget = max(threads, budget // 2) if stolen else budget // 2
        middle = first + (end - first) // 2
        right_stolen = workers[middle] != workers[first]
        waiting.append((middle, end, budget, right_stolen or injected, False))
        waiting.append((first, middle, budget, injected, False))
    return leaves


def keeps_first_pair(leaves: DataFrame, threads: int) -> bool:
    """Return whether one worker processed the first two leaves of `leaf_table`, both as long as without steals.

    Such a run takes `aeadlab.studies.thread_modes.stealing.upper_level` times as long as with perfect balance.
    """
    total = int(leaves["blocks"].sum())
    first = leaves.sort_values("first").head(2)
    return (
        len(first) == 2
        and first["worker"].nunique() == 1
        and int(first["blocks"].sum()) >= 2 * (total // undivided(threads))
    )
