from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.stats import roofline_share


def test_each_placement_has_its_own_limit(make_case: Any, rng: np.random.Generator) -> None:
    shared = rng.lognormal(0, 0.5, 20)
    samples = pd.concat(
        [
            make_case(shared * 10, placement="separate"),
            make_case(shared * 10, placement="in-place"),
            make_case(shared * 8, implementation="baseline/memcpy", placement="separate"),
            make_case(shared * 5, implementation="baseline/xor", placement="in-place"),
            make_case(shared * 16, implementation="baseline/xor", placement="separate"),
        ],
        ignore_index=True,
    )
    table = roofline_share(samples).set_index(["implementation", "placement"])
    assert table["share"].to_dict() == pytest.approx(
        {
            ("openssl/aes-256-gcm", "separate"): 0.8,
            ("openssl/aes-256-gcm", "in-place"): 0.5,
            ("baseline/xor", "separate"): 0.5,
        }
    )
    assert table["limit"].tolist() == [
        "baseline/xor" if placement == "in-place" else "baseline/memcpy" for _, placement in table.index
    ]
    assert (table["pairs"] == 20).all()
    assert table["low"].to_numpy() == pytest.approx(table["share"].to_numpy())


def test_the_limit_has_the_same_bytes_and_threads(make_case: Any) -> None:
    frames = [make_case([1.0] * 8, bytes=b, threads=t) for b in (64, 128) for t in (1, 2)]
    limits = [
        make_case([0.1 * t + b / 1000] * 8, bytes=b, threads=t, implementation="baseline/memcpy")
        for b, t in ((64, 1), (64, 2), (128, 1))
    ]
    table = roofline_share(pd.concat([*frames, *limits], ignore_index=True))
    assert table["share"].to_numpy() == pytest.approx([0.164, 0.264, 0.228, np.nan], nan_ok=True)
    assert table["pairs"].tolist() == [8, 8, 8, 0]


def test_the_fastest_limit_case_is_the_limit(make_case: Any) -> None:
    samples = pd.concat(
        [
            make_case([1.0] * 8, threads=2),
            make_case([0.9] * 8, threads=2, implementation="baseline/memcpy", schedule="rayon"),
            make_case([0.6] * 8, threads=2, implementation="baseline/memcpy", schedule="dynamic"),
            make_case([0.6] * 8, threads=2, implementation="baseline/memcpy", schedule="dynamic", replica=1),
        ],
        ignore_index=True,
    )
    table = roofline_share(samples)
    assert table["share"].to_numpy() == pytest.approx([0.6])
    assert table["pairs"].tolist() == [8]


def test_interval_covers_the_truth_under_shared_noise(make_case: Any, rng: np.random.Generator) -> None:
    covered = []
    for _ in range(50):
        shared = rng.lognormal(0, 0.3, 30)
        case = make_case(shared * rng.lognormal(0, 0.02, 30))
        limit = make_case(0.88 * shared * rng.lognormal(0, 0.02, 30), implementation="baseline/memcpy")
        row = roofline_share(pd.concat([case, limit])).iloc[0]
        covered.append(row["low"] <= 0.88 <= row["high"])
        assert row["high"] - row["low"] < 0.1
    assert np.mean(covered) >= 0.88


def test_few_rounds_or_no_limit_give_nan(make_case: Any) -> None:
    limit = make_case([0.5, 0.5], implementation="baseline/memcpy")
    row = roofline_share(pd.concat([make_case([1.0, 1.0]), limit])).iloc[0]
    assert row["share"] == pytest.approx(0.5)
    assert np.isnan(row["low"]) and np.isnan(row["high"])
    assert roofline_share(limit).empty
    assert np.isnan(roofline_share(make_case([1.0] * 9)).iloc[0]["share"])


def test_accepts_categorical_columns(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0] * 8), make_case([0.5] * 8, implementation="baseline/memcpy")])
    text = ["implementation", "placement"]
    assert roofline_share(samples.astype(dict.fromkeys(text, "category")))["share"].to_numpy() == pytest.approx([0.5])
