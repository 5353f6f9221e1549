from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor
from aeadlab.stats.ranking import ranking

ON = ["op", "bytes"]
NOISE = NoiseFloor(0.01, 1)
FAST, SLOW, MIXED = "openssl/aes-256-gcm", "cryptopp/aes-256-gcm", "ring/aes-256-gcm"


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
    found = ranking(frame(make_case, times), ON, NOISE)
    # Fastest are 1 and 1: sqrt(1 * 2), sqrt(4 * 2), sqrt(2 * 1).
    table = found.table.set_index("implementation")
    assert table["ratio"].to_dict() == pytest.approx({FAST: 2**0.5, MIXED: 2**0.5, SLOW: 8**0.5})
    assert table["place"].to_dict() == {FAST: 1, MIXED: 1, SLOW: 3}
    assert table[["best", "worst"]].loc[SLOW].tolist() == pytest.approx([2.0, 4.0])
    assert (found.rounds, len(found.cases), len(found.left_out)) == (10, 2, 0)


def test_ranks_relative_to_a_reference(make_case: Any) -> None:
    one = np.ones(10)
    found = ranking(frame(make_case, {(FAST, 1): one, (SLOW, 1): one * 4}), ON, NOISE, reference=SLOW)
    assert found.table["ratio"].tolist() == pytest.approx([0.25, 1.0])
    assert found.table[["low", "high"]].iloc[1].tolist() == [1.0, 1.0]


def test_ranks_common_cases_and_lists_the_others(make_case: Any) -> None:
    one = np.ones(10)
    times = {(FAST, 1): one, (SLOW, 1): one * 2, (FAST, 2): one * 100, (SLOW, 3): one * 100}
    found = ranking(frame(make_case, times), ON, NOISE)
    assert found.table["ratio"].tolist() == pytest.approx([1.0, 2.0])
    assert found.cases["bytes"].tolist() == [1]
    assert found.left_out[["bytes", "implementations"]].to_numpy().tolist() == [[2, 1], [3, 1]]
    assert found.table["cases_here"].tolist() == [2, 2]


def test_uses_complete_rounds_only(make_case: Any) -> None:
    samples = frame(make_case, {(FAST, 1): np.ones(10), (SLOW, 1): np.ones(10) * 3})
    gap = (samples["implementation"] == SLOW) & (samples["round"] < 4)
    found = ranking(samples[~gap], ON, NOISE)
    assert found.rounds == 6
    samples.loc[gap, "warmup"] = True
    assert ranking(samples, ON, NOISE).rounds == 6


def test_a_slow_round_cancels(make_case: Any, rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 1, 30)
    found = ranking(frame(make_case, {(FAST, 1): shared, (SLOW, 1): shared * 1.05}), ON, NOISE)
    assert found.table[["ratio", "low", "high"]].iloc[1].tolist() == pytest.approx([1.05] * 3)
    assert found.table["place"].tolist() == [1, 2]


def test_unpaired_interval_has_its_nominal_coverage(make_case: Any, rng: np.random.Generator) -> None:
    held, places = [], []
    for _ in range(150):
        shared = rng.lognormal(0, 0.2, 20)
        times = {
            (name, size): factor * size * shared * rng.lognormal(0, 0.03, 20)
            for name, factor in ((FAST, 1.0), (SLOW, 1.5))
            for size in (1, 2, 4)
        }
        row = ranking(frame(make_case, times), ON, NOISE).table.iloc[1]
        held.append(row["low"] <= 1.5 <= row["high"])
        places.append(row["place"])
    assert np.mean(held) >= 0.88
    assert set(places) == {2}


def test_indistinguishable_implementations_share_a_place(make_case: Any, rng: np.random.Generator) -> None:
    places = []
    for _ in range(100):
        times = {(name, 1): rng.lognormal(0, 0.02, 20) for name in (FAST, SLOW)}
        places.append(ranking(frame(make_case, times), ON, NOISE).table["place"].iloc[1])
    assert places.count(1) >= 95


def test_small_steps_do_not_chain_the_fastest_to_the_slowest(make_case: Any) -> None:
    one = np.ones(10)
    times = {(FAST, 1): one, (SLOW, 1): one * 1.008, (MIXED, 1): one * 1.016}
    assert ranking(frame(make_case, times), ON, NOISE).table["place"].tolist() == [1, 1, 3]


def test_few_rounds_or_unknown_noise_share_one_place(make_case: Any) -> None:
    few = ranking(frame(make_case, {(FAST, 1): np.ones(5), (SLOW, 1): np.ones(5) * 9}), ON, NOISE).table
    assert few[["low", "high"]].isna().all(axis=None)
    assert few["place"].tolist() == [1, 1]
    many = frame(make_case, {(FAST, 1): np.ones(20), (SLOW, 1): np.ones(20) * 9})
    assert ranking(many, ON, NoiseFloor(float("nan"), 1)).table["place"].tolist() == [1, 1]


def test_rejects_unrankable_samples(make_case: Any) -> None:
    one = np.ones(3)
    with pytest.raises(ArgumentError, match=f"{FAST} has counted samples, expected at least two"):
        ranking(frame(make_case, {(FAST, 1): one}), ON, NOISE)
    with pytest.raises(ArgumentError, match="no implementation has counted samples"):
        ranking(make_case(one, warmup=True), ON, NOISE)
    disjoint = frame(make_case, {(FAST, 1): one, (SLOW, 2): one})
    with pytest.raises(ArgumentError, match=f"no case is common to all of {SLOW}, {FAST}"):
        ranking(disjoint, ON, NOISE)
    both = frame(make_case, {(FAST, 1): one, (SLOW, 1): one})
    with pytest.raises(ArgumentError, match=f"reference {MIXED} is not among"):
        ranking(both, ON, NOISE, reference=MIXED)
    both.loc[both["implementation"] == SLOW, "round"] += 10
    with pytest.raises(ArgumentError, match="no round has every common case"):
        ranking(both, ON, NOISE)
