from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.stats import roofline_share
from aeadlab.stats.roofline import limit_shares


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
    runs: list[pd.DataFrame] = []
    for size in range(1, 51):
        shared = rng.lognormal(0, 0.3, 30)
        case = make_case(shared * rng.lognormal(0, 0.02, 30), bytes=size)
        limit = make_case(0.88 * shared * rng.lognormal(0, 0.02, 30), implementation="baseline/memcpy", bytes=size)
        runs += [case, limit]
    table = roofline_share(pd.concat(runs, ignore_index=True))
    assert len(table) == 50 and (table["high"] - table["low"]).max() < 0.1
    assert np.mean((table["low"] <= 0.88) & (table["high"] >= 0.88)) >= 0.88


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


TIMES = {"baseline/memcpy": 5.0, "baseline/copy": 6.0, "baseline/copy-stream": 4.0, "baseline/xor": 6.0}
OWN, LIBRARY = "aeadlab/aes-256-gcm", "openssl/aes-256-gcm"


def with_copies(make_case: Any, times: dict[str, float], **more: Any) -> pd.DataFrame:
    """Return samples of a library's and the lab's own cipher, which take 8 s, beside baselines with these times."""
    times = {OWN: 8.0, LIBRARY: 8.0} | times
    frames = [make_case([seconds] * 8, implementation=name, **more) for name, seconds in times.items()]
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize(
    ("times", "limits"),
    [
        ({}, (("baseline/copy-stream", 0.5), ("baseline/copy", 0.75))),
        # In the cache ordinary stores are the faster ones.
        ({"baseline/copy-stream": 7.0}, (("baseline/copy", 0.75), ("baseline/copy", 0.75))),
    ],
)
def test_the_limit_has_the_stores_of_the_case(make_case: Any, times: dict[str, float], limits: object) -> None:
    table = roofline_share(with_copies(make_case, TIMES | times)).set_index("implementation")
    assert [*table.index] == [OWN, "baseline/xor", LIBRARY], "the copies are limits"
    found = [(table["limit"][name], round(table["share"][name], 6)) for name in (OWN, LIBRARY)]
    assert tuple(found) == limits
    assert table["limit"]["baseline/xor"] == "baseline/copy"
    assert table["share"]["baseline/xor"] == pytest.approx(1.0)


@pytest.mark.parametrize("missing", [("baseline/copy", "baseline/copy-stream"), ("baseline/copy",), TIMES])
def test_memcpy_is_the_limit_where_no_copy_was_measured(make_case: Any, missing: tuple[str, ...]) -> None:
    measured = {name: seconds for name, seconds in TIMES.items() if name not in missing}
    table = roofline_share(with_copies(make_case, measured)).set_index("implementation")
    streaming = "baseline/copy-stream" in measured
    assert table["limit"].to_dict() == {
        **dict.fromkeys(table.index, "baseline/memcpy"), OWN: f"baseline/{'copy-stream' if streaming else 'memcpy'}",
    }  # fmt: skip
    expected = [np.nan, np.nan] if not measured else [0.5 if streaming else 0.625, 0.625]
    assert [table["share"][name] for name in (OWN, LIBRARY)] == pytest.approx(expected, nan_ok=True)


def test_each_length_has_its_own_limit(make_case: Any) -> None:
    samples = with_copies(make_case, TIMES, bytes=64)
    failed = samples["implementation"].eq("baseline/copy") & samples["bytes"].eq(64)
    samples.loc[failed, "status"] = "SIGSEGV"
    both = pd.concat([samples, with_copies(make_case, TIMES, bytes=128)], ignore_index=True)
    table = roofline_share(both).set_index(["implementation", "bytes"])
    assert [table["limit"][LIBRARY, size] for size in (64, 128)] == ["baseline/memcpy", "baseline/copy"]
    assert [table["share"][LIBRARY, size] for size in (64, 128)] == pytest.approx([0.625, 0.75])


def test_the_share_of_memcpy_stays_beside_that_of_the_limit(make_case: Any) -> None:
    samples = pd.concat([with_copies(make_case, TIMES), with_copies(make_case, TIMES, placement="in-place")])
    table = limit_shares(samples).set_index(["placement", "implementation"])
    separate = table.loc["separate"]
    assert separate["share_of_memcpy"].to_dict() == pytest.approx({
        OWN: 0.625, LIBRARY: 0.625, "baseline/xor": 5 / 6, "baseline/copy": 5 / 6, "baseline/copy-stream": 1.25,
    })  # fmt: skip
    assert separate["share_of_limit"][LIBRARY] == pytest.approx(0.75)
    assert separate.loc[["baseline/copy", "baseline/copy-stream"], ["limit", "share_of_limit"]].isna().all(axis=None)
    in_place = table.loc["in-place"]
    assert in_place["share_of_memcpy"].isna().all()
    assert in_place["limit"][LIBRARY] == "baseline/xor"
    assert in_place["share_of_limit"][LIBRARY] == pytest.approx(0.75)
    assert len(table) == len(limit_shares(samples).drop_duplicates(["placement", "implementation"]))
