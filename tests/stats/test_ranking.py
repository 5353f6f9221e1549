from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import ratio_interval
from aeadlab.stats.ranking import places, ranking

ON = ["op", "bytes"]
FAST, SLOW, MIXED = "openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "ring/aes-256-gcm"


def one_percent(cases: pd.DataFrame) -> np.ndarray:
    return np.full(len(cases), 0.01)


def frame(make_case: Any, times: dict[tuple[str, int], Any]) -> pd.DataFrame:
    return pd.concat(
        [make_case(seconds, implementation=name, bytes=size) for (name, size), seconds in times.items()],
        ignore_index=True,
    )


def test_geometric_means_by_hand(make_case: Any) -> None:
    one = np.ones(10)
    times = {
        (FAST, 64): one, (FAST, 128): one * 2,
        (SLOW, 64): one * 4, (SLOW, 128): one * 2,
        (MIXED, 64): one * 2, (MIXED, 128): one,
    }  # fmt: skip
    found = ranking(frame(make_case, times), ON, one_percent)
    # Fastest are 1 and 1: sqrt(1 * 2), sqrt(4 * 2), sqrt(2 * 1).
    table = found.table.set_index("implementation")
    assert table["ratio"].to_dict() == pytest.approx({FAST: 2**0.5, MIXED: 2**0.5, SLOW: 8**0.5})
    assert table["place"].to_dict() == {FAST: 1, MIXED: 1, SLOW: 3}
    assert table[["best", "worst"]].loc[SLOW].tolist() == pytest.approx([2.0, 4.0])
    assert (found.rounds, len(found.cases), len(found.left_out)) == (10, 2, 0)


def test_ranks_relative_to_a_reference(make_case: Any) -> None:
    one = np.ones(10)
    found = ranking(frame(make_case, {(FAST, 1): one, (SLOW, 1): one * 4}), ON, one_percent, reference=SLOW)
    assert found.table["ratio"].tolist() == pytest.approx([0.25, 1.0])
    assert found.table[["low", "high"]].iloc[1].tolist() == [1.0, 1.0]


def test_ranks_common_cases_and_lists_the_others(make_case: Any) -> None:
    one = np.ones(10)
    times = {(FAST, 1): one, (SLOW, 1): one * 2, (FAST, 2): one * 100, (SLOW, 3): one * 100}
    found = ranking(frame(make_case, times), ON, one_percent)
    assert found.table["ratio"].tolist() == pytest.approx([1.0, 2.0])
    assert found.cases["bytes"].tolist() == [1]
    assert found.left_out[["bytes", "implementations"]].to_numpy().tolist() == [[2, 1], [3, 1]]
    assert found.table["cases_here"].tolist() == [2, 2]


def test_uses_complete_rounds_only(make_case: Any) -> None:
    samples = frame(make_case, {(FAST, 1): np.ones(10), (SLOW, 1): np.ones(10) * 3})
    gap = (samples["implementation"] == SLOW) & (samples["round"] < 4)
    found = ranking(samples[~gap], ON, one_percent)
    assert found.rounds == 6
    samples.loc[gap, "warmup"] = True
    assert ranking(samples, ON, one_percent).rounds == 6


def test_a_slow_round_cancels(make_case: Any, rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 1, 30)
    found = ranking(frame(make_case, {(FAST, 1): shared, (SLOW, 1): shared * 1.05}), ON, one_percent)
    assert found.table[["ratio", "low", "high"]].iloc[1].tolist() == pytest.approx([1.05] * 3)
    assert found.table["place"].tolist() == [1, 2]


def test_unpaired_interval_has_its_nominal_coverage(make_case: Any, rng: np.random.Generator) -> None:
    held, found = [], []
    for _ in range(80):
        shared = rng.lognormal(0, 0.2, 20)
        times = {
            (name, size): factor * size * shared * rng.lognormal(0, 0.03, 20)
            for name, factor in ((FAST, 1.0), (SLOW, 1.5))
            for size in (1, 2, 4)
        }
        row = ranking(frame(make_case, times), ON, one_percent).table.iloc[1]
        held.append(row["low"] <= 1.5 <= row["high"])
        found.append(row["place"])
    assert np.mean(held) >= 0.88
    assert set(found) == {2}


def test_indistinguishable_implementations_share_a_place(make_case: Any, rng: np.random.Generator) -> None:
    found = []
    for _ in range(60):
        times = {(name, 1): rng.lognormal(0, 0.02, 20) for name in (FAST, SLOW)}
        found.append(ranking(frame(make_case, times), ON, one_percent).table["place"].iloc[1])
    assert found.count(1) >= 57


def test_small_steps_do_not_chain_the_fastest_to_the_slowest(make_case: Any) -> None:
    one = np.ones(10)
    times = {(FAST, 1): one, (SLOW, 1): one * 1.008, (MIXED, 1): one * 1.016}
    assert ranking(frame(make_case, times), ON, one_percent).table["place"].tolist() == [1, 1, 3]


@pytest.mark.parametrize(("processes", "expected"), [(1, [1, 1]), (2, [1, 1]), (3, [1, 2])])
def test_fewer_than_three_processes_share_one_place(make_case: Any, processes: int, expected: list[int]) -> None:
    samples = frame(make_case, {(FAST, 1): np.ones(20), (SLOW, 1): np.ones(20) * 9})
    found = ranking(samples.assign(process=samples["round"] * processes // 20), ON, one_percent)
    assert found.table["place"].tolist() == expected
    assert (found.rounds, found.processes) == (20, processes)
    assert found.table["ratio"].tolist() == pytest.approx([1.0, 9.0])


def test_few_rounds_of_one_process_have_no_interval(make_case: Any) -> None:
    samples = frame(make_case, {(FAST, 1): np.ones(5), (SLOW, 1): np.ones(5) * 9}).assign(process=0)
    assert ranking(samples, ON, one_percent).table[["low", "high"]].isna().all(axis=None)


def of_processes(medians: Any, rounds: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return log times of shape (processes x rounds, implementations) and the process of each round."""
    logs = np.repeat(np.asarray(medians, dtype=np.float64), rounds, axis=0)
    return logs, np.repeat(np.arange(len(medians)), rounds)


# Deviations by process with the sum 0, no correlation of successive ones, and the standard error 0.01 / sqrt(3).
DEVIATIONS = 0.01 * np.array([1.0, -1.0, 0.0])


@pytest.mark.parametrize(("step", "expected"), [(0.0515, 1), (0.0525, 2)])
def test_two_implementations_are_tested_at_the_level_of_both_ends(step: float, expected: int) -> None:
    # An implementation is behind if the difference less t(0.975, 2) = 4.303 standard errors, 0.0248, exceeds the band.
    logs, process = of_processes(np.stack([np.zeros(3), step - 0.0172 + DEVIATIONS], axis=1))
    assert places(logs, process, 0.01).tolist() == [1, expected]


def test_more_implementations_raise_the_level() -> None:
    # With ten the level of an end is 1 - 0.05 / 90, so that the reach is t(0.99944, 2) = 29.99 standard errors, 0.173.
    def second_of_ten(step: float) -> int:
        others = np.zeros((3, 9))
        logs, process = of_processes(np.column_stack([others, step + DEVIATIONS]))
        found = places(logs, process, 0.01)
        assert found[:9].tolist() == [1] * 9
        return int(found[9])

    reach = float(scipy.stats.t.ppf(1 - 0.05 / 90, 2)) * 0.01 / np.sqrt(3)
    assert reach == pytest.approx(0.173, abs=0.001)
    assert (second_of_ten(reach + 0.009), second_of_ten(reach + 0.011)) == (1, 10)


def test_rounds_of_a_process_count_as_their_median() -> None:
    logs, process = of_processes(np.stack([np.zeros(3), 0.05 + DEVIATIONS], axis=1), rounds=5)
    assert places(logs, process, 0.01).tolist() == [1, 2]
    # Two of five rounds that are far slower have no effect on the medians.
    logs[[0, 1, 5, 6], 0] += 5.0
    assert places(logs, process, 0.01).tolist() == [1, 2]
    alone, numbers = of_processes(np.stack([np.zeros(3), 0.03 + DEVIATIONS], axis=1), rounds=50)
    assert places(alone, numbers, 0.01).tolist() == [1, 1], "more rounds of the same processes are no evidence"


def test_a_clear_order_has_a_place_for_each() -> None:
    steps = np.array([0.2, 0.0, 0.4, 0.1, 0.3])
    logs, process = of_processes(np.tile(steps, (12, 1)))
    assert places(logs, process, 0.01).tolist() == [3, 1, 5, 2, 4]
    assert places(logs, process, 0.15).tolist() == [3, 1, 5, 1, 3]


def test_places_of_a_cycle_end_with_one_shared_place() -> None:
    # In each process one of three orders holds, by 0.1 and 0.3. The medians of differences are those of single
    # processes: A before B and B before C in two of three, but also C before A. All rounds are in one process each.
    cycle = np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]])
    logs = np.tile(cycle, (12, 1))
    process = np.repeat(np.arange(12), 3)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        assert np.median(logs[:3, j] - logs[:3, i]) > 0.01
    assert places(logs, process, 0.01).tolist() == [1, 1, 1]
    # One that is faster than the cycle has the first place, and those of the cycle share the next.
    before = np.column_stack([logs, np.full(36, -9.0)])
    assert places(before, process, 0.01).tolist() == [2, 2, 2, 1]


def test_a_single_implementation_has_the_first_place() -> None:
    assert places(np.zeros((12, 1)), np.arange(12), 0.01).tolist() == [1]


@pytest.mark.parametrize("offsets", [0.0, 0.05])
def test_twenty_equal_implementations_have_one_place(offsets: float, rng: np.random.Generator) -> None:
    several = 0
    for _ in range(150):
        by_process = rng.normal(0, offsets, (14, 20)) if offsets else np.zeros((14, 20))
        logs, process = of_processes(by_process, rounds=4)
        several += places(logs + rng.normal(0, 0.02, logs.shape), process, 0.01).max() > 1
    assert several <= 13, "at most 5 % of 150, and two standard errors"


def test_a_shared_effect_of_a_process_cancels(rng: np.random.Generator) -> None:
    logs, process = of_processes(np.repeat(rng.normal(0, 1, (12, 1)), 2, axis=1) + [0.0, 0.05], rounds=3)
    assert places(logs, process, 0.01).tolist() == [1, 2]


def test_best_and_worst_cases_have_intervals_for_their_choice(make_case: Any, rng: np.random.Generator) -> None:
    ratios = {size: factor * rng.lognormal(0, 0.05, 24) for size, factor in ((1, 1.5), (2, 2.0), (4, 3.0))}
    times = {(FAST, size): np.ones(24) for size in ratios} | {(SLOW, size): one for size, one in ratios.items()}
    row = ranking(frame(make_case, times), ON, one_percent).table.set_index("implementation").loc[SLOW]
    index = range(24), np.arange(24) // 2
    alone, joint = (
        {size: ratio_interval(one, np.ones(24), *index, confidence=level) for size, one in ratios.items()}
        for level in (0.95, 1 - 0.05 / 3)
    )
    assert row[["best", "best_low", "best_high"]].tolist() == pytest.approx(
        [alone[1].estimate, alone[1].low, joint[1].high]
    )
    assert row[["worst", "worst_low", "worst_high"]].tolist() == pytest.approx(
        [alone[4].estimate, joint[4].low, alone[4].high]
    )
    assert joint[1].high > alone[1].high and joint[4].low < alone[4].low


def test_rejects_unrankable_samples(make_case: Any) -> None:
    one = np.ones(3)
    with pytest.raises(ArgumentError, match=f"{FAST} has counted samples, expected at least two"):
        ranking(frame(make_case, {(FAST, 1): one}), ON, one_percent)
    with pytest.raises(ArgumentError, match="no implementation has counted samples"):
        ranking(make_case(one, warmup=True), ON, one_percent)
    disjoint = frame(make_case, {(FAST, 1): one, (SLOW, 2): one})
    with pytest.raises(ArgumentError, match=f"no case is common to all of {SLOW}, {FAST}"):
        ranking(disjoint, ON, one_percent)
    both = frame(make_case, {(FAST, 1): one, (SLOW, 1): one})
    with pytest.raises(ArgumentError, match=f"reference {MIXED} is not among"):
        ranking(both, ON, one_percent, reference=MIXED)
    both.loc[both["implementation"] == SLOW, "round"] += 10
    with pytest.raises(ArgumentError, match="no round has every common case"):
        ranking(both, ON, one_percent)


def test_the_margin_is_the_mean_of_the_noise_floors_of_the_ranked_cases(make_case: Any) -> None:
    """The bias of a mean is at most the mean of the biases of its cases."""
    one = np.ones(24)
    times = {(name, size): one * factor for name, factor in ((FAST, 1.0), (SLOW, 1.03)) for size in (64, 128)}
    widths = {64: 0.01, 128: 0.03, 256: 1.0}
    samples = frame(make_case, {**times, (FAST, 256): one})
    found = ranking(samples, ON, lambda cases: cases["bytes"].map(widths).to_numpy())
    assert found.margin == pytest.approx(0.02)
    assert found.table["place"].tolist() == [1, 2]
    assert ranking(samples, ON, lambda cases: np.full(len(cases), 0.03)).table["place"].tolist() == [1, 1]


def test_the_columns_that_no_case_shares_are_named(make_case: Any) -> None:
    one = np.ones(3)
    disjoint = frame(make_case, {(FAST, 1): one, (SLOW, 2): one})
    with pytest.raises(ArgumentError, match=f"{FAST}, which differ in bytes: exclude some of them"):
        ranking(disjoint, ON, one_percent)
    both = disjoint.assign(op=np.where(disjoint["bytes"] == 1, "seal", "open"))
    with pytest.raises(ArgumentError, match=f"{FAST}, which differ in op and bytes: exclude some of them"):
        ranking(both, ON, one_percent)
    # Each column has a common value, and their combinations have none.
    crossed = pd.concat([frame(make_case, {(name, size): one}).assign(op=op) for name, size, op in (
        (FAST, 1, "seal"), (FAST, 2, "open"), (SLOW, 1, "open"), (SLOW, 2, "seal")
    )])  # fmt: skip
    with pytest.raises(ArgumentError, match=f"{FAST}: exclude some of them"):
        ranking(crossed, ON, one_percent)
