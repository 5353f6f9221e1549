from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import NoiseFloor, benjamini_hochberg, compare
from aeadlab.stats.rows import judged, paired_rows

ON = ["op", "bytes"]
NOISE = NoiseFloor(0.02, 1)


def test_each_row_is_what_one_comparison_gives(make_case: Any, rng: np.random.Generator) -> None:
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


def test_cases_of_one_side_have_no_row_and_those_without_a_common_round_no_claim(make_case: Any) -> None:
    a = pd.concat([make_case([1.0] * 9), make_case([1.0] * 9, bytes=7)])
    b = pd.concat([make_case([2.0] * 9).assign(round=range(50, 59)), make_case([2.0] * 9, bytes=8)])
    table = paired_rows(a, b, ON, NOISE)
    assert table[["bytes", "pairs", "p_value"]].to_numpy().tolist() == [[1 << 20, 0, 1.0]]
    assert judged(table)["verdict"].tolist() == ["no credible difference"]


def test_an_unknown_floor_allows_no_claim(make_case: Any) -> None:
    table = judged(paired_rows(make_case([1.0] * 20), make_case([9.0] * 20), ON, NoiseFloor(float("nan"), 1)))
    assert table[["p_value", "verdict"]].to_numpy().tolist() == [[1.0, "no credible difference"]]


def rows(*values: tuple[float, float, float]) -> pd.DataFrame:
    low, high, p = zip(*values, strict=True)
    return pd.DataFrame({"low": low, "high": high, "noise": 0.02, "p_value": p})


def test_a_claim_needs_its_interval_and_its_adjusted_p() -> None:
    table = judged(
        rows((1.05, 1.1, 0.001), (1.01, 1.1, 0.001), (0.9, 0.95, 0.001), (1.05, 1.1, 0.2), (np.nan, np.nan, 1.0))
    )
    nothing = "no credible difference"
    assert table["verdict"].tolist() == ["worse", nothing, "improved", nothing, nothing]
    assert table["p_adjusted"].tolist() == benjamini_hochberg(table["p_value"]).tolist()


def test_many_rows_ask_for_more_than_one(make_case: Any) -> None:
    alone = rows((1.05, 1.1, 0.04))
    assert judged(alone)["verdict"].tolist() == ["worse"]
    among = pd.concat([alone, rows(*[(0.99, 1.01, 0.9)] * 20)], ignore_index=True)
    assert judged(among)["verdict"].tolist() == ["no credible difference"] * 21


def test_false_claims_stay_few(rng: np.random.Generator) -> None:
    """Where nothing differs, the chance of any claim at all is at most the false discovery rate."""
    claims = 0
    for _ in range(200):
        p = rng.random(50)
        table = judged(rows(*[(1.05, 1.1, value) for value in p]))
        claims += bool(table["verdict"].eq("worse").any())
    assert claims <= 0.05 * 200 + 10


def test_bad_times_are_refused(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="zero or negative"):
        paired_rows(make_case([1.0, 0.0]), make_case([1.0, 1.0]), ON, NOISE)
