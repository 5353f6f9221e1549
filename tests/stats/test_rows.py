from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor, compare
from aeadlab.stats.rows import paired_rows, with_verdicts

ON = ["op", "bytes"]
NOISE = NoiseFloor(0.02, 1)


def same_width(cases: pd.DataFrame) -> np.ndarray:
    return np.full(len(cases), NOISE.width)


def test_each_row_equals_a_single_comparison(make_case: Any, rng: np.random.Generator) -> None:
    old, new = [], []
    for size, rounds, factor in ((64, 40, 1.1), (128, 12, 0.8), (256, 7, 1.0), (512, 4, 2.0)):
        shared = rng.lognormal(0, 0.3, rounds)
        old.append(make_case(shared * rng.lognormal(0, 0.02, rounds), bytes=size))
        new.append(make_case(factor * shared * rng.lognormal(0, 0.02, rounds), bytes=size, implementation="ring/x"))
    table = paired_rows(pd.concat(old), pd.concat(new), ON, same_width)
    assert table["bytes"].tolist() == [64, 128, 256, 512]
    for row, a, b in zip(table.to_dict("records"), old, new, strict=True):
        one = compare(a, b, NOISE)
        assert (row["ratio"], row["low"], row["high"]) == pytest.approx((one.ratio, one.low, one.high), nan_ok=True)
        assert (row["pairs"], row["processes"], row["noise"]) == (one.pairs, one.processes, 0.02)
        assert row["p_value"] == pytest.approx(one.p_value)


def test_unmatched_cases_have_no_row_and_unpaired_no_verdict(make_case: Any) -> None:
    a = pd.concat([make_case([1.0] * 9), make_case([1.0] * 9, bytes=7)])
    b = pd.concat([make_case([2.0] * 9).assign(round=range(50, 59)), make_case([2.0] * 9, bytes=8)])
    table = paired_rows(a, b, ON, same_width)
    assert table[["bytes", "pairs", "p_value"]].to_numpy().tolist() == [[1 << 20, 0, 1.0]]
    assert with_verdicts(table)["verdict"].tolist() == ["no credible difference"]


@pytest.mark.parametrize(
    ("processes", "verdict"), [(1, "no credible difference"), (2, "no credible difference"), (3, "slower")]
)
def test_fewer_than_three_processes_give_no_verdict(
    make_case: Any, rng: np.random.Generator, processes: int, verdict: str
) -> None:
    sides = [
        make_case(factor * rng.lognormal(0, 0.01, 24), process=np.arange(24) * processes // 24) for factor in (1.0, 9.0)
    ]
    row = with_verdicts(paired_rows(*sides, ON, same_width)).iloc[0]
    assert (row["pairs"], row["processes"], row["verdict"]) == (24, processes, verdict)
    assert row["low"] > 8 and row["p_value"] < 0.05


def test_unpaired_rows_require_three_processes_on_both_sides() -> None:
    table = rows(*[(1.05, 1.1, 0.001)] * 4).drop(columns="processes")
    counted = table.assign(processes_a=[3, 2, 3, 12], processes_b=[3, 12, 2, 1])
    assert with_verdicts(counted)["verdict"].tolist() == ["slower", *["no credible difference"] * 3]


def rows(*values: tuple[float, float, float]) -> pd.DataFrame:
    low, high, p = zip(*values, strict=True)
    return pd.DataFrame({"low": low, "high": high, "noise": 0.02, "p_value": p, "processes": 3})


def test_a_verdict_requires_interval_and_adjusted_p_value() -> None:
    table = with_verdicts(
        rows((1.05, 1.1, 0.001), (1.01, 1.1, 0.001), (0.9, 0.95, 0.001), (1.05, 1.1, 0.2), (np.nan, np.nan, 1.0))
    )
    nothing = "no credible difference"
    assert table["verdict"].tolist() == ["slower", nothing, "faster", nothing, nothing]
    # 5/3 of the largest of three equal p-values; then 5/4 and 5/5.
    assert table["p_adjusted"].tolist() == pytest.approx([0.001 * 5 / 3] * 3 + [0.25, 1.0])


def test_many_rows_raise_the_adjusted_p_value(make_case: Any) -> None:
    alone = rows((1.05, 1.1, 0.04))
    assert with_verdicts(alone)["verdict"].tolist() == ["slower"]
    among = pd.concat([alone, rows(*[(0.99, 1.01, 0.9)] * 20)], ignore_index=True)
    assert with_verdicts(among)["verdict"].tolist() == ["no credible difference"] * 21


def test_false_discoveries_are_rare(rng: np.random.Generator) -> None:
    """Without any difference, the probability of any verdict is at most the false discovery rate."""
    claims = 0
    for _ in range(200):
        p = rng.random(50)
        table = with_verdicts(rows(*[(1.05, 1.1, value) for value in p]))
        claims += bool(table["verdict"].eq("slower").any())
    assert claims <= 0.05 * 200 + 10


def test_adjusted_p_values_are_those_of_benjamini_and_hochberg() -> None:
    # Ascending: 4 * 0.01, 4/2 * 0.03, 4/3 * 0.03 and 0.5, each at most the following.
    table = with_verdicts(rows((1.05, 1.1, 0.03), (1.05, 1.1, 0.5), (1.05, 1.1, 0.01), (0.9, 0.95, 0.03)))
    assert table["p_adjusted"].tolist() == pytest.approx([0.04, 0.5, 0.04, 0.04])
    assert table["verdict"].tolist() == ["slower", "no credible difference", "slower", "faster"]


def test_rejects_times_that_are_not_positive(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="zero or negative"):
        paired_rows(make_case([1.0, 0.0]), make_case([1.0, 1.0]), ON, same_width)


def test_each_row_is_judged_by_its_own_noise_floor(make_case: Any, rng: np.random.Generator) -> None:
    old, new = [], []
    for size in (64, 4096):
        times = rng.lognormal(0, 0.002, 24)
        old.append(make_case(times, bytes=size))
        new.append(make_case(1.05 * times * rng.lognormal(0, 0.002, 24), bytes=size))
    table = with_verdicts(
        paired_rows(pd.concat(old), pd.concat(new), ON, lambda cases: np.where(cases["bytes"] == 64, 0.1, 0.01))
    )
    assert table["noise"].tolist() == [0.1, 0.01]
    assert table["p_value"].tolist()[0] == 1 and table["p_value"].tolist()[1] < 0.001
    assert table["verdict"].tolist() == ["no credible difference", "slower"]


def test_a_verdict_holds_at_the_false_discovery_rate_itself() -> None:
    assert with_verdicts(rows((1.05, 1.1, 0.05)))["verdict"].tolist() == ["slower"]
    assert with_verdicts(rows((1.05, 1.1, 0.0501)))["verdict"].tolist() == ["no credible difference"]


def test_a_row_without_enough_processes_does_not_lower_the_p_values_of_others() -> None:
    alone = with_verdicts(rows((1.05, 1.1, 0.04), (1.05, 1.1, 0.06)))["p_adjusted"]
    table = rows((1.05, 1.1, 0.04), (1.05, 1.1, 0.06), *[(1.5, 1.6, 1e-9)] * 20)
    table.loc[2:, "processes"] = 2
    judged = with_verdicts(table)
    assert judged["verdict"].tolist() == ["no credible difference"] * 22
    assert (judged["p_adjusted"][:2] >= alone).all() and judged["p_adjusted"][2:].eq(1).all()
