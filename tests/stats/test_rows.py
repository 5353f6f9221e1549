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


def test_each_row_equals_a_single_comparison(make_case: Any, rng: np.random.Generator) -> None:
    old, new = [], []
    for size, rounds, factor in ((64, 40, 1.1), (128, 12, 0.8), (256, 7, 1.0), (512, 4, 2.0)):
        shared = rng.lognormal(0, 0.3, rounds)
        old.append(make_case(shared * rng.lognormal(0, 0.02, rounds), bytes=size))
        new.append(make_case(factor * shared * rng.lognormal(0, 0.02, rounds), bytes=size, implementation="ring/x"))
    table = paired_rows(pd.concat(old), pd.concat(new), ON, NOISE)
    assert table["bytes"].tolist() == [64, 128, 256, 512]
    for row, a, b in zip(table.to_dict("records"), old, new, strict=True):
        one = compare(a, b, NOISE)
        assert (row["ratio"], row["low"], row["high"]) == pytest.approx((one.ratio, one.low, one.high), nan_ok=True)
        assert (row["pairs"], row["p_value"], row["noise"]) == (one.pairs, pytest.approx(one.p_value), 0.02)


def test_unmatched_cases_have_no_row_and_unpaired_no_verdict(make_case: Any) -> None:
    a = pd.concat([make_case([1.0] * 9), make_case([1.0] * 9, bytes=7)])
    b = pd.concat([make_case([2.0] * 9).assign(round=range(50, 59)), make_case([2.0] * 9, bytes=8)])
    table = paired_rows(a, b, ON, NOISE)
    assert table[["bytes", "pairs", "p_value"]].to_numpy().tolist() == [[1 << 20, 0, 1.0]]
    assert with_verdicts(table)["verdict"].tolist() == ["no credible difference"]


def test_an_unknown_noise_floor_gives_no_verdict(make_case: Any) -> None:
    table = with_verdicts(paired_rows(make_case([1.0] * 20), make_case([9.0] * 20), ON, NoiseFloor(float("nan"), 1)))
    assert table[["p_value", "verdict"]].to_numpy().tolist() == [[1.0, "no credible difference"]]


def rows(*values: tuple[float, float, float]) -> pd.DataFrame:
    low, high, p = zip(*values, strict=True)
    return pd.DataFrame({"low": low, "high": high, "noise": 0.02, "p_value": p})


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


def test_rejects_times_that_are_not_positive(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="zero or negative"):
        paired_rows(make_case([1.0, 0.0]), make_case([1.0, 1.0]), ON, NOISE)
