from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats.rows import judged
from aeadlab.stats.unpaired import ONE_PROCESS, against_noise, unpaired_rows

ON = ["library", "bytes"]
SIZES = tuple(1 << power for power in range(10, 20))


def run(
    make_case: Any,
    rng: np.random.Generator,
    slowdown: float = 1.0,
    processes: int = 10,
    rounds: int = 10,
    run_shift: float = 0.02,
    sizes: tuple[int, ...] = SIZES,
) -> pd.DataFrame:
    """One run: a baseline and a library at some sizes. The machine is off by `run_shift`, each process of each case by
    2 %, each round and each sample by 1 %; `slowdown` is the library's."""
    samples = processes * rounds
    rows = [(name, size) for name in ("baseline/memcpy", "openssl/aes-256-gcm") for size in sizes]
    layout = np.repeat(rng.normal(0, 0.02, (len(rows), processes)), rounds, axis=1)
    noise = rng.normal(0, run_shift) + rng.normal(0, 0.01, samples) + rng.normal(0, 0.01, (len(rows), samples))
    base = np.array([size * (1.0 if name.startswith("baseline") else slowdown) for name, size in rows])
    return make_case(
        (1e-9 * base[:, np.newaxis] * np.exp(layout + noise)).ravel(),
        library=np.repeat([name.partition("/")[0] for name, _ in rows], samples),
        bytes=np.repeat([size for _, size in rows], samples),
        round=np.tile(np.arange(samples), len(rows)),
        process=np.tile(np.repeat(np.arange(processes), rounds), len(rows)),
    )


def judge(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """As two records are judged whose A/A pairs show 1 %."""
    table = unpaired_rows(a, b, ON)
    shift = table.loc[table["library"] == "baseline", "log_ratio"].abs().max()
    return judged(against_noise(table, max(0.01, shift)))


def wrong(tables: list[pd.DataFrame]) -> float:
    """Share of tables that call any row different."""
    return float(np.mean([table["verdict"].ne("no credible difference").any() for table in tables]))


@pytest.mark.parametrize(("processes", "rounds"), [(10, 10), (3, 4)], ids=["paper", "quick"])
@pytest.mark.parametrize("run_shift", [0.0, 0.02, 0.1])
def test_two_runs_of_one_code_show_no_difference(
    make_case: Any, rng: np.random.Generator, processes: int, rounds: int, run_shift: float
) -> None:
    options = {"processes": processes, "rounds": rounds, "run_shift": run_shift, "sizes": SIZES[:5]}
    tables = [judge(run(make_case, rng, **options), run(make_case, rng, **options)) for _ in range(60)]
    assert wrong(tables) <= 0.05


def test_rounds_taken_for_independent_would_cry_wolf(make_case: Any, rng: np.random.Generator) -> None:
    """What the simulation is there to catch: each round as a process of its own, and no look at the baselines."""
    tables = []
    for _ in range(10):
        a, b = (run(make_case, rng).assign(process=lambda frame: frame["round"]) for _ in range(2))
        tables.append(judged(against_noise(unpaired_rows(a, b, ON), 0.01)))
    assert wrong(tables) >= 0.7


def test_a_shift_of_the_whole_machine_would_be_a_difference_without_baselines(
    make_case: Any, rng: np.random.Generator
) -> None:
    a, b = (run(make_case, rng, run_shift=0.0) for _ in range(2))
    b["seconds"] *= 1.2
    assert judge(a, b)["verdict"].eq("no credible difference").all()
    assert judged(against_noise(unpaired_rows(a, b, ON), 0.01))["verdict"].eq("worse").all()


@pytest.mark.parametrize(("slowdown", "verdict"), [(1.05, "worse"), (1 / 1.05, "improved")])
def test_five_percent_are_found_with_the_papers_effort(
    make_case: Any, rng: np.random.Generator, slowdown: float, verdict: str
) -> None:
    found, ratios, covered = [], [], []
    for _ in range(30):
        a, b = (run(make_case, rng, factor, run_shift=0.0, sizes=(4096,)) for factor in (1.0, slowdown))
        table = judge(a, b)
        assert not table.loc[table["library"] == "baseline", "verdict"].isin(["improved", "worse"]).any()
        row = table[table["library"] == "openssl"].iloc[0]
        found.append(row["verdict"])
        ratios.append(row["ratio"])
        covered.append(row["low"] <= slowdown <= row["high"])
    assert found.count(verdict) >= 24
    assert np.median(ratios) == pytest.approx(slowdown, rel=0.01)
    assert np.mean(covered) >= 0.85


@pytest.mark.parametrize("processes", [2, 3, 10])
def test_the_interval_holds_the_truth_as_often_as_it_says(
    make_case: Any, rng: np.random.Generator, processes: int
) -> None:
    tables = [
        unpaired_rows(*(run(make_case, rng, 1.0, processes, 4, run_shift=0.0) for _ in range(2)), ON) for _ in range(40)
    ]
    held = [((t["log_low"] <= 0) & (t["log_high"] >= 0)).mean() for t in tables]
    assert 0.92 <= np.mean(held) <= 0.99


def test_several_processes_are_welchs_t_on_their_log_medians(make_case: Any, rng: np.random.Generator) -> None:
    a, b = rng.lognormal(0, 0.1, (4, 5)), rng.lognormal(0.3, 0.3, (7, 5))
    table = unpaired_rows(*(_processes(make_case, side) for side in (a, b)), ON)
    logs = [np.log(np.median(side, axis=1)) for side in (a, b)]
    expected = scipy.stats.ttest_ind(logs[1], logs[0], equal_var=False)
    low, high = expected.confidence_interval(0.95)
    row = table.iloc[0]
    assert (row["log_ratio"], row["log_low"], row["log_high"]) == pytest.approx(
        (logs[1].mean() - logs[0].mean(), low, high)
    )
    assert (row["rounds_a"], row["rounds_b"], row["processes_a"], row["processes_b"]) == (20, 35, 4, 7)
    assert against_noise(table, 0.0)["p_value"].iloc[0] == pytest.approx(expected.pvalue)
    shifted = scipy.stats.ttest_ind(logs[1] - 0.05, logs[0], equal_var=False)
    assert against_noise(table, 0.05)["p_value"].iloc[0] == pytest.approx(shifted.pvalue)


def _processes(make_case: Any, times: Any) -> pd.DataFrame:
    return make_case(times.ravel(), process=np.repeat(np.arange(len(times)), times.shape[1]))


def test_one_process_claims_nothing_under_twenty_percent(make_case: Any, rng: np.random.Generator) -> None:
    a = make_case(rng.lognormal(0, 0.01, 50), process=0)
    for factor, verdict in ((1.0, "no credible difference"), (1.15, "no credible difference"), (1.3, "worse")):
        b = make_case(factor * rng.lognormal(0, 0.01, 50), process=0)
        row = judged(against_noise(unpaired_rows(a, b, ON), 0.01)).iloc[0]
        assert row["verdict"] == verdict
        assert row["noise"] == pytest.approx(ONE_PROCESS)
        assert row["low"] < row["ratio"] < row["high"]
    assert row["p_value"] < 1e-6


def test_the_interval_of_one_process_is_that_of_two_medians(make_case: Any, rng: np.random.Generator) -> None:
    cases, rounds = 300, 30
    columns = {"bytes": np.repeat(np.arange(cases), rounds), "round": np.tile(np.arange(rounds), cases), "process": 0}
    table = unpaired_rows(*(make_case(rng.lognormal(0, 0.05, cases * rounds), **columns) for _ in range(2)), ON)
    held = (table["log_low"] <= 0) & (table["log_high"] >= 0)
    assert 0.91 <= np.mean(held) <= 0.99


@pytest.mark.parametrize("rounds", [1, 5])
def test_too_few_rounds_of_one_process_allow_no_claim(make_case: Any, rounds: int) -> None:
    table = unpaired_rows(make_case([1.0] * rounds, process=0), make_case([9.0] * rounds, process=0), ON)
    row = judged(against_noise(table, 0.01)).iloc[0]
    assert row["ratio"] == pytest.approx(9.0)
    assert np.isnan([row["low"], row["high"]]).all()
    assert (row["p_value"], row["verdict"]) == (1.0, "no credible difference")


def test_an_unknown_noise_floor_allows_no_claim(make_case: Any) -> None:
    sides = [make_case([t, t * 1.01] * 5, process=[0] * 5 + [1] * 5) for t in (1.0, 9.0)]
    row = judged(against_noise(unpaired_rows(*sides, ON), float("nan"))).iloc[0]
    assert (row["p_value"], row["verdict"]) == (1.0, "no credible difference")
    assert judged(against_noise(unpaired_rows(*sides, ON), 0.01))["verdict"].tolist() == ["worse"]


def test_times_without_any_spread_are_judged_as_they_are(make_case: Any) -> None:
    sides = [make_case([t] * 8, process=[0] * 4 + [1] * 4) for t in (1.0, 1.5)]
    row = judged(against_noise(unpaired_rows(*sides, ON), 0.01)).iloc[0]
    assert (row["ratio"], row["low"], row["high"]) == pytest.approx((1.5, 1.5, 1.5))
    assert (row["p_value"], row["verdict"]) == (0.0, "worse")
    same = judged(against_noise(unpaired_rows(sides[0], sides[0], ON), 0.0)).iloc[0]
    assert (same["p_value"], same["verdict"]) == (1.0, "no credible difference")


def test_only_common_cases_and_good_samples_count(make_case: Any) -> None:
    a = pd.concat([make_case([1.0] * 10, process=0), make_case([1.0] * 10, process=0, bytes=64)])
    b = make_case([2.0] * 10 + [50.0] * 30, process=0, warmup=[False] * 10 + [True] * 30)
    table = unpaired_rows(a, b, ON)
    assert table["bytes"].tolist() == [1 << 20]
    assert np.exp(table["log_ratio"][0]) == pytest.approx(2.0)
    assert unpaired_rows(a, b.assign(bytes=7), ON).empty


def test_samples_without_their_process_are_refused(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="no column process"):
        unpaired_rows(make_case([1.0]), make_case([1.0]), ON)
