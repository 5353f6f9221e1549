"""Leaves of a run under Rayon: those of a trace, and those that the splitting rule gives for who did what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame

from aeadlab.errors import ArgumentError
from aeadlab.stealing.division import first_budget
from aeadlab.stealing.division import leaves as undivided


def leaf_table(spans: NDArray[Any]) -> DataFrame:
    """Leaves of a traced run.

    Parameters
    ----------
    spans : ndarray, shape (blocks,)
        What `aeadlab.ParSplit.traced` returns; one row at least.

    Returns
    -------
    DataFrame
        A row per leaf in the order of the message: ``worker``, ``first`` and ``blocks`` (both counted in blocks),
        ``start`` and ``end`` in seconds since the run began.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are no rows.
    """
    if spans.size == 0:
        raise ArgumentError("an empty trace given, at least one block wanted")
    starts = np.flatnonzero(np.r_[True, spans["leaf"][1:] != spans["leaf"][:-1]])
    lengths = np.diff(np.r_[starts, spans.size])
    last = starts + lengths - 1
    return DataFrame(
        {
            "worker": spans["thread"][starts].astype(np.int64),
            "first": spans["block"][starts].astype(np.int64),
            "blocks": lengths,
            "start": spans["start_ns"][starts] * 1e-9,
            "end": spans["end_ns"][last] * 1e-9,
        }
    )


def predicted_leaves(
    workers: Sequence[int], threads: int, *, outside: bool = False, min_len: int = 1, max_len: int | None = None
) -> list[tuple[int, int]]:
    """Leaves that Rayon's splitting rule makes of a message, given who did each block.

    Whoever does the first block of a range divided that range, since left halves stay with who divides. So a right
    half was stolen exactly where its first block has another worker than that of the left half, and the budget of
    splits of every range follows.

    Parameters
    ----------
    workers : sequence of int
        Worker of each block, in the order of the message.
    threads : int
        Of the pool.
    outside, min_len, max_len
        As for `aeadlab.stealing.simulate`.

    Returns
    -------
    list of (int, int)
        First block and number of blocks of each leaf, in the order of the message.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there are no blocks, or the other numbers are below 1.
    """
    budget = first_budget(len(workers), threads, min_len=min_len, max_len=max_len)
    found: list[tuple[int, int]] = []
    waiting = [(0, len(workers), budget, False, outside)]
    while waiting:
        first, end, budget, stolen, injected = waiting.pop()
        if (end - first) // 2 < min_len or not (stolen or budget > 0):
            found.append((first, end - first))
            continue
        budget = max(threads, budget // 2) if stolen else budget // 2
        middle = first + (end - first) // 2
        taken = workers[middle] != workers[first]
        waiting.append((middle, end, budget, taken or injected, False))
        waiting.append((first, middle, budget, injected, False))
    return found


def kept_its_pair(leaves: DataFrame, threads: int) -> bool:
    """Whether the worker of the first leaf did the leaf beside it as well, both as long as when nobody steals.

    Such a run takes `aeadlab.stealing.busiest` times an even division. `leaves` is what `leaf_table` gives.
    """
    total = int(leaves["blocks"].sum())
    first = leaves.sort_values("first").head(2)
    return (
        len(first) == 2
        and first["worker"].nunique() == 1
        and int(first["blocks"].sum()) >= 2 * (total // undivided(threads))
    )
