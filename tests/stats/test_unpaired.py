from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats.rows import with_verdicts
from aeadlab.stats.unpaired import against_noise, unpaired_rows

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
    """Simulate a run of a baseline and a library at some sizes.

    The effect of the machine is `run_shift` and that of the library `slowdown`; standard deviations are 2 % by process
    and case, and 1 % by round and by sample.
    """
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
    """Compare two records whose A/A pairs have a noise floor of 1 %."""
    table = unpaired_rows(a, b, ON)
    shift = table.loc[table["library"] == "baseline", "log_ratio"].abs().max()
    return with_verdicts(against_noise(table, max(0.01, shift)))


def wrong(tables: list[pd.DataFrame]) -> float:
    """Return the share of tables with any difference."""
    return float(np.mean([table["verdict"].ne("no credible difference").any() for table in tables]))


@pytest.mark.parametrize(("processes", "rounds"), [(10, 10), (3, 4)], ids=["paper", "quick"])
@pytest.mark.parametrize("run_shift", [0.0, 0.02, 0.1])
def test_equal_code_in_two_runs_shows_no_difference(
    make_case: Any, rng: np.random.Generator, processes: int, rounds: int, run_shift: float
) -> None:
    options = {"processes": processes, "rounds": rounds, "run_shift": run_shift, "sizes": SIZES[:5]}
    tables = [judge(run(make_case, rng, **options), run(make_case, rng, **options)) for _ in range(30)]
    assert wrong(tables) <= 0.05


def test_rounds_as_replicates_give_false_differences(make_case: Any, rng: np.random.Generator) -> None:
    """Check that the simulation detects the error: each round as a process, without the baselines."""
    tables = []
    for _ in range(10):
        a, b = (run(make_case, rng).assign(process=lambda frame: frame["round"]) for _ in range(2))
        tables.append(with_verdicts(against_noise(unpaired_rows(a, b, ON), 0.01)))
    assert wrong(tables) >= 0.7


def test_a_shift_of_the_baselines_widens_the_noise_band(make_case: Any, rng: np.random.Generator) -> None:
    a, b = (run(make_case, rng, run_shift=0.0) for _ in range(2))
    b["seconds"] *= 1.2
    assert judge(a, b)["verdict"].eq("no credible difference").all()
    assert with_verdicts(against_noise(unpaired_rows(a, b, ON), 0.01))["verdict"].eq("slower").all()


@pytest.mark.parametrize(("slowdown", "verdict"), [(1.05, "slower"), (1 / 1.05, "faster")])
def test_detects_five_percent_with_the_papers_effort(
    make_case: Any, rng: np.random.Generator, slowdown: float, verdict: str
) -> None:
    found, ratios, covered = [], [], []
    for _ in range(30):
        a, b = (run(make_case, rng, factor, run_shift=0.0, sizes=(4096,)) for factor in (1.0, slowdown))
        table = judge(a, b)
        assert not table.loc[table["library"] == "baseline", "verdict"].isin(["faster", "slower"]).any()
        row = table[table["library"] == "openssl"].iloc[0]
        found.append(row["verdict"])
        ratios.append(row["ratio"])
        covered.append(row["low"] <= slowdown <= row["high"])
    assert found.count(verdict) >= 24
    assert np.median(ratios) == pytest.approx(slowdown, rel=0.01)
    assert np.mean(covered) >= 0.85


@pytest.mark.parametrize("processes", [3, 5, 10])
def test_unpaired_interval_has_its_nominal_coverage(make_case: Any, rng: np.random.Generator, processes: int) -> None:
    tables = [
        unpaired_rows(*(run(make_case, rng, 1.0, processes, 4, run_shift=0.0) for _ in range(2)), ON) for _ in range(40)
    ]
    held = [((t["log_low"] <= 0) & (t["log_high"] >= 0)).mean() for t in tables]
    assert 0.92 <= np.mean(held) <= 0.99


def test_several_processes_use_welchs_test_on_log_medians(make_case: Any, rng: np.random.Generator) -> None:
    a, b = rng.lognormal(0, 0.1, (4, 5)), rng.lognormal(0.3, 0.3, (7, 5))
    # Low and high processes in turn have a negative correlation, which is ignored.
    a, b = (side[np.argsort(np.median(side, axis=1))] for side in (a, b))
    a, b = a[[0, 3, 1, 2]], b[[0, 6, 1, 5, 2, 4, 3]]
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


def test_successive_processes_that_are_alike_make_the_interval_of_two_runs_wider(make_case: Any) -> None:
    levels = np.exp(0.01 * np.array([0, 1, 2, 3, 4, 5, 6, 7]))
    widths = []
    for order in ([0, 1, 2, 3, 4, 5, 6, 7], [0, 7, 1, 6, 2, 5, 3, 4]):
        side = np.repeat(levels[order][:, np.newaxis], 3, axis=1)
        row = unpaired_rows(_processes(make_case, side), _processes(make_case, 1.1 * side), ON).iloc[0]
        widths.append(row["log_high"] - row["log_low"])
    # A correlation of 0.6, the largest that counts, doubles the standard error.
    assert widths[0] == pytest.approx(2 * widths[1], rel=0.05)


def _processes(make_case: Any, times: Any) -> pd.DataFrame:
    return make_case(times.ravel(), process=np.repeat(np.arange(len(times)), times.shape[1]))


@pytest.mark.parametrize(("processes", "others"), [(1, 1), (2, 2), (1, 12), (12, 2)])
def test_fewer_than_three_processes_on_a_side_give_no_verdict(
    make_case: Any, rng: np.random.Generator, processes: int, others: int
) -> None:
    sides = [
        make_case(factor * rng.lognormal(0, 0.01, 48), process=np.arange(48) * count // 48)
        for factor, count in ((1.0, processes), (9.0, others))
    ]
    row = with_verdicts(against_noise(unpaired_rows(*sides, ON), 0.01)).iloc[0]
    assert (row["processes_a"], row["processes_b"]) == (processes, others)
    assert row["verdict"] == "no credible difference"
    # The interval is given all the same: within these processes the difference is certain.
    assert 8 < row["low"] < row["ratio"] < row["high"] < 10
    assert row["p_value"] < 1e-6 and row["noise"] == 0.01


def test_three_processes_on_each_side_have_a_verdict(make_case: Any, rng: np.random.Generator) -> None:
    sides = [make_case(factor * rng.lognormal(0, 0.01, 48), process=np.arange(48) // 16) for factor in (1.0, 9.0)]
    assert with_verdicts(against_noise(unpaired_rows(*sides, ON), 0.01))["verdict"].tolist() == ["slower"]


def test_one_process_combines_two_median_intervals(make_case: Any, rng: np.random.Generator) -> None:
    cases, rounds = 300, 30
    columns = {"bytes": np.repeat(np.arange(cases), rounds), "round": np.tile(np.arange(rounds), cases), "process": 0}
    table = unpaired_rows(*(make_case(rng.lognormal(0, 0.05, cases * rounds), **columns) for _ in range(2)), ON)
    held = (table["log_low"] <= 0) & (table["log_high"] >= 0)
    assert 0.91 <= np.mean(held) <= 0.99


@pytest.mark.parametrize("rounds", [1, 5])
def test_few_rounds_of_one_process_give_no_difference(make_case: Any, rounds: int) -> None:
    table = unpaired_rows(make_case([1.0] * rounds, process=0), make_case([9.0] * rounds, process=0), ON)
    row = with_verdicts(against_noise(table, 0.01)).iloc[0]
    assert row["ratio"] == pytest.approx(9.0)
    assert np.isnan([row["low"], row["high"]]).all()
    assert (row["p_value"], row["verdict"]) == (1.0, "no credible difference")


def test_times_without_spread_have_a_verdict(make_case: Any) -> None:
    sides = [make_case([t] * 9, process=np.arange(9) // 3) for t in (1.0, 1.5)]
    row = with_verdicts(against_noise(unpaired_rows(*sides, ON), 0.01)).iloc[0]
    assert (row["ratio"], row["low"], row["high"]) == pytest.approx((1.5, 1.5, 1.5))
    assert (row["p_value"], row["verdict"]) == (0.0, "slower")
    same = with_verdicts(against_noise(unpaired_rows(sides[0], sides[0], ON), 0.0)).iloc[0]
    assert (same["p_value"], same["verdict"]) == (1.0, "no credible difference")


def test_unpaired_rows_use_common_cases_and_counted_samples(make_case: Any) -> None:
    a = pd.concat([make_case([1.0] * 10, process=0), make_case([1.0] * 10, process=0, bytes=64)])
    b = make_case([2.0] * 10 + [50.0] * 30, process=0, warmup=[False] * 10 + [True] * 30)
    table = unpaired_rows(a, b, ON)
    assert table["bytes"].tolist() == [1 << 20]
    assert np.exp(table["log_ratio"][0]) == pytest.approx(2.0)
    assert unpaired_rows(a, b.assign(bytes=7), ON).empty


def test_rejects_samples_without_a_process(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="no column process"):
        unpaired_rows(*[make_case([1.0]).drop(columns="process")] * 2, ON)
