from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from aeadlab.errors import ArgumentError
from aeadlab.studies.thread_modes.stealing.division import leaves, lengths, upper_level
from aeadlab.studies.thread_modes.stealing.simulation import Costs, SimulatedRun, simulate

BLOCKS, BLOCK_SECONDS, RUNS = 1024, 1e-3, 40
FREE = Costs(split=0, steal=0, search=1e-6, wake_up=0)


def over_even(run: SimulatedRun, threads: int, blocks: int = BLOCKS) -> float:
    return run.seconds * threads / (blocks * BLOCK_SECONDS)


def several(threads: int, **options: Any) -> list[SimulatedRun]:
    return [simulate(threads, BLOCKS, BLOCK_SECONDS, seed=seed, **options) for seed in range(RUNS)]


@pytest.mark.parametrize("threads", [1, 2, 3, 5, 8, 17])
@pytest.mark.parametrize("outside", [False, True])
def test_every_block_is_processed_once(threads: int, outside: bool) -> None:
    run = simulate(threads, 1000, BLOCK_SECONDS, seed=3, outside=outside)
    assert Counter(block for leaf in run.leaves for block in range(leaf.first, leaf.first + leaf.length)) == Counter(
        range(1000)
    )
    for worker in range(threads):
        mine = sorted((leaf.start, leaf.end) for leaf in run.leaves if leaf.worker == worker)
        assert all(end <= start for (_, end), (start, _) in zip(mine, mine[1:], strict=False)), "one leaf at a time"
    assert run.seconds >= max(leaf.end for leaf in run.leaves)


@pytest.mark.parametrize("outside", [False, True])
def test_one_thread_matches_the_closed_form(outside: bool) -> None:
    run = simulate(1, BLOCKS, BLOCK_SECONDS, seed=0, outside=outside)
    assert [leaf.length for leaf in sorted(run.leaves, key=lambda leaf: leaf.first)] == (
        [BLOCKS // leaves(1, outside)] * leaves(1, outside)
    )
    assert run.steals == 0
    if not outside:
        assert [leaf.length for leaf in run.leaves] == lengths(BLOCKS, 1)


@pytest.mark.parametrize("threads", [3, 5, 6, 9, 10])
def test_the_ratio_of_modes_matches_the_closed_form(threads: int) -> None:
    ratios = [over_even(run, threads) for run in several(threads)]
    upper = upper_level(threads)
    slow = [ratio for ratio in ratios if ratio > 1 + 0.8 * (upper - 1)]
    assert 0.05 * RUNS < len(slow) < 0.95 * RUNS
    assert slow == pytest.approx([upper] * len(slow), rel=0.01)
    assert min(ratios) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("threads", [2, 4, 8, 16])
def test_powers_of_two_have_one_mode(threads: int) -> None:
    assert max(over_even(run, threads) for run in several(threads)) < 1.04


@pytest.mark.parametrize("threads", [3, 5, 6, 7])
def test_the_first_two_leaves_determine_the_mode(threads: int) -> None:
    longest = BLOCKS // leaves(threads)
    for run in several(threads):
        first = sorted((leaf for leaf in run.leaves if leaf.first < 2 * longest), key=lambda leaf: leaf.first)
        kept = [leaf.length for leaf in first] == [longest, longest] and len({leaf.worker for leaf in first}) == 1
        assert kept == (over_even(run, threads) > 1 + 0.9 * (upper_level(threads) - 1))


@pytest.mark.parametrize("threads", [3, 5, 7])
def test_renewal_of_budgets_determines_the_mode(threads: int) -> None:
    never, always = (several(threads, renewal=renewal) for renewal in ("never", "always"))
    assert [over_even(run, threads) for run in never] == pytest.approx([upper_level(threads)] * RUNS, rel=0.01)
    assert {len(run.leaves) for run in never} == {leaves(threads)}
    assert max(over_even(run, threads) for run in always) < 1.02
    assert {len(run.leaves) for run in always} == {BLOCKS}


def test_without_steals_the_first_worker_does_all() -> None:
    late = simulate(5, BLOCKS, BLOCK_SECONDS, seed=1, costs=Costs(hold=10 * BLOCKS * BLOCK_SECONDS))
    assert late.seconds == pytest.approx(BLOCKS * BLOCK_SECONDS, rel=0.01)
    assert late.steals == 0
    assert [leaf.length for leaf in late.leaves] == lengths(BLOCKS, 5)


def test_short_leaves_balance_the_run() -> None:
    runs = several(5, max_len=BLOCKS // 100)
    assert max(over_even(run, 5) for run in runs) < 1.05
    assert max(leaf.length for run in runs for leaf in run.leaves) <= BLOCKS // 100


def test_the_same_seed_gives_the_same_run() -> None:
    one, other, third = (simulate(6, 500, BLOCK_SECONDS, seed=seed) for seed in (1, 1, 2))
    assert one == other
    assert one != third


def test_costs_are_added_to_the_run_time() -> None:
    free = simulate(2, 64, BLOCK_SECONDS, seed=0, costs=FREE)
    slow = simulate(2, 64, BLOCK_SECONDS, seed=0, costs=Costs(split=1e-3, steal=0, search=1e-6, wake_up=0))
    assert free.seconds == pytest.approx(32 * BLOCK_SECONDS, rel=1e-3)
    assert slow.seconds > free.seconds + 2e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [({"threads": 0}, "threads: 0"), ({"blocks": 0}, "blocks: 0"), ({"block_seconds": 0.0}, "block_seconds: 0"),
     ({"max_len": 0}, "max_len: 0"), ({"min_len": 0}, "min_len: 0")],
)  # fmt: skip
def test_rejects_arguments_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        simulate(**{"threads": 2, "blocks": 4, "block_seconds": 1e-3, "seed": 0, **options})
