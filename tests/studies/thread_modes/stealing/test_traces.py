from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from aeadlab.errors import ArgumentError
from aeadlab.parsplit.schedules import TRACE_COLUMNS
from aeadlab.studies.thread_modes.stealing import (
    SimulatedRun,
    keeps_first_pair,
    leaf_table,
    lengths,
    predicted_leaves,
    simulate,
    upper_level,
)

BLOCKS, BLOCK_SECONDS = 1000, 1e-3


def as_trace(run: SimulatedRun) -> NDArray[np.void]:
    trace = np.zeros(BLOCKS, [(name, np.uint64) for name in TRACE_COLUMNS])
    for leaf in run.leaves:
        own = slice(leaf.first, leaf.first + leaf.length)
        starts = leaf.start + BLOCK_SECONDS * np.arange(leaf.length)
        trace["block"][own], trace["thread"][own], trace["leaf"][own] = (
            np.arange(own.start, own.stop),
            leaf.worker,
            leaf.first,
        )
        trace["start_ns"][own], trace["end_ns"][own] = starts * 1e9, (starts + BLOCK_SECONDS) * 1e9
    return trace


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 7, 8, 13])
@pytest.mark.parametrize("options", [{}, {"outside": True}, {"max_len": 9}, {"min_len": 40}], ids=str)
def test_leaves_follow_from_the_block_assignment(threads: int, options: dict[str, int]) -> None:
    for seed in range(20):
        run = simulate(threads, BLOCKS, BLOCK_SECONDS, seed=seed, **options)  # type: ignore[arg-type]
        table = leaf_table(as_trace(run))
        seen = list(zip(table["first"], table["blocks"], strict=True))
        assert seen == sorted((leaf.first, leaf.length) for leaf in run.leaves)
        workers = as_trace(run)["thread"].tolist()
        assert predicted_leaves(workers, threads, **options) == seen  # type: ignore[arg-type]


def test_the_rule_requires_renewed_budgets() -> None:
    run = simulate(5, BLOCKS, BLOCK_SECONDS, seed=0)
    assert len(run.leaves) > len(lengths(BLOCKS, 5))
    other = simulate(5, BLOCKS, BLOCK_SECONDS, seed=0, renewal="never")
    workers = as_trace(other)["thread"].tolist()
    assert predicted_leaves(workers, 5) != [
        (leaf.first, leaf.length) for leaf in sorted(other.leaves, key=lambda leaf: leaf.first)
    ]


def test_the_upper_mode_has_one_worker_for_the_first_pair() -> None:
    kept = []
    for seed in range(30):
        run = simulate(5, BLOCKS, BLOCK_SECONDS, seed=seed)
        kept.append(keeps_first_pair(leaf_table(as_trace(run)), 5))
        assert kept[-1] == (run.seconds * 5 / BLOCKS / BLOCK_SECONDS > 1 + 0.9 * (upper_level(5) - 1))
    assert {*kept} == {True, False}


def test_rejects_empty_traces() -> None:
    with pytest.raises(ArgumentError, match="an empty trace"):
        leaf_table(np.zeros(0, [(name, np.uint64) for name in TRACE_COLUMNS]))
    with pytest.raises(ArgumentError, match="blocks: 0 given"):
        predicted_leaves([], 2)
    with pytest.raises(ArgumentError, match="threads: 0 given"):
        predicted_leaves([0], 0)
