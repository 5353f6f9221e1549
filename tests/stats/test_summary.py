from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from aeadlab.errors import ArgumentError
from aeadlab.stats import CASE_COLUMNS, OUTLIER_CLASSES, median_interval, summary
from aeadlab.stats.outliers import outlier_counts
from aeadlab.stats.summary import case_medians
from tests.stats.conftest import PROCESSES


def _record(make_case: Any, rng: np.random.Generator) -> pd.DataFrame:
    frames = [
        make_case(rng.lognormal(-8, 0.1, n), implementation=name, bytes=size, threads=threads)
        for n, name, size, threads in (
            (40, "openssl/aes-256-gcm", 1 << 20, 1),
            (40, "openssl/aes-256-gcm", 1 << 20, 2),
            (25, "rustcrypto/aes-256-gcm", 1 << 20, 1),
            (7, "rustcrypto/aes-256-gcm", 1 << 10, 1),
        )
    ]
    return pd.concat(frames, ignore_index=True).sample(frac=1, random_state=7, ignore_index=True)


def test_each_row_summarises_its_case(make_case: Any, rng: np.random.Generator) -> None:
    samples = _record(make_case, rng)
    table = summary(samples)
    assert len(table) == 4
    for row in table.to_dict("records"):
        own = samples
        for column in CASE_COLUMNS:
            own = own[own[column] == row[column]]
        times = own["seconds"].to_numpy()
        assert row["n"] == len(own)
        index = own["round"], own["process"]
        assert row["processes"] == own["process"].nunique()
        logs = median_interval(np.log(times), *index)
        assert row["median"] == pytest.approx(median_interval(times, *index).estimate)
        assert (row["low"], row["high"]) == pytest.approx(tuple(np.exp(logs[1:])))
        assert row["mad"] == pytest.approx(scipy.stats.median_abs_deviation(times))
        assert [row["p05"], row["p95"]] == pytest.approx(np.quantile(times, [0.05, 0.95]))
        speed = (row["gib_per_s"], row["gib_per_s_low"], row["gib_per_s_high"])
        assert speed[0] == pytest.approx(median_interval(own["gib_per_s"], *index).estimate)
        assert speed[1:] == pytest.approx(row["bytes"] / 2**30 / np.array([row["high"], row["low"]]))
        assert row["cycles_per_byte"] == np.median(own["cycles_per_byte"])
        (counts,) = outlier_counts(np.sort(times)[np.newaxis, :])
        for name, count in zip(OUTLIER_CLASSES, counts, strict=True):
            assert name == "none" or row[f"outliers_{name}"] == count


def test_is_independent_of_row_order_and_earlier_calls(make_case: Any, rng: np.random.Generator) -> None:
    samples = _record(make_case, rng)
    first = summary(samples)
    rng.random(100)
    pd.testing.assert_frame_equal(summary(samples.iloc[::-1]), first)


def test_text_object_and_categorical_columns_give_the_same(make_case: Any, rng: np.random.Generator) -> None:
    samples = _record(make_case, rng)
    text = ["implementation", "schedule", "placement"]
    for dtype in ("category", object):
        pd.testing.assert_frame_equal(
            summary(samples.astype(dict.fromkeys(text, dtype))), summary(samples), check_dtype=False,
            check_categorical=False,
        )  # fmt: skip


def test_excludes_warm_ups_and_failures_but_no_outliers(make_case: Any) -> None:
    times = np.linspace(1.0, 1.1, 20)
    samples = make_case([*times, 50.0, 9.0, 9.0], process=np.arange(23))
    samples.loc[21, "warmup"] = True
    samples.loc[22, "status"] = "failed: signal 11"
    row = summary(samples).iloc[0]
    assert row["n"] == 21
    assert row["outliers_high_severe"] == 1
    assert row["processes"] == 21, "without those of the warm-up and of the failed sample"
    assert row["median"] == pytest.approx(times[10])
    assert row["p95"] == pytest.approx(times[-1])


def test_replicas_are_separate_unless_grouped(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0, 2.0], replica=0), make_case([3.0], replica=1)])
    assert summary(samples)["n"].tolist() == [2, 1]
    assert summary(samples, ["implementation"])["n"].tolist() == [3]
    assert summary(samples, [])["median"].tolist() == [2.0]


def test_groups_come_in_ascending_order(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0], threads=t, bytes=b) for t, b in ((16, 1), (2, 9), (2, 1), (1, 5))])
    table = summary(samples, ["threads", "bytes"])
    assert table[["threads", "bytes"]].to_numpy().tolist() == [[1, 5], [2, 1], [2, 9], [16, 1]]


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_samples_have_no_interval(make_case: Any, n: int) -> None:
    row = summary(make_case([1.0, 1.5][:n])).iloc[0]
    assert row["median"] == [1.0, 1.25][n - 1]
    assert row[["low", "high", "gib_per_s_low", "gib_per_s_high"]].isna().all()
    assert row[["mad", "p05", "p95"]].isna().all() == (n == 1)


def test_cycles_per_byte_of_an_empty_message_are_undefined(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0] * 6, bytes=0), make_case([1.0] * 6, bytes=64)])
    table = summary(samples)
    assert table["cycles_per_byte"].isna().tolist() == [True, False]
    assert table["gib_per_s"].tolist()[0] == 0.0


def test_no_counted_sample_gives_an_empty_table(make_case: Any) -> None:
    samples = make_case([1.0, 2.0], status="failed: out of memory")
    table = summary(samples)
    assert table.empty
    assert table.columns.tolist() == summary(make_case([1.0])).columns.tolist()


def test_names_an_unknown_group_column(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="no column colour"):
        summary(make_case([1.0]), ["colour"])


def test_groups_of_every_size_are_separate(make_case: Any, rng: np.random.Generator) -> None:
    sizes = rng.permutation(np.arange(1, 60))
    samples = pd.concat([make_case(np.full(n, float(n)), bytes=int(n)) for n in sizes])
    table = summary(samples.sample(frac=1, random_state=3), ["bytes"])
    assert table["n"].tolist() == table["bytes"].tolist() == list(range(1, 60))
    assert table["median"].tolist() == pytest.approx(list(range(1, 60)))
    assert table["processes"].tolist() == [min(n, PROCESSES) for n in range(1, 60)]


def test_processes_have_the_same_weight(make_case: Any) -> None:
    # Nine processes with one round each, but the last with twelve: pooled, its time would be the median.
    times = [3.0, 1.0, 7.0, 2.0, 4.0, 6.0, 8.0, 5.0, *[9.0] * 12]
    row = summary(make_case(times, process=[*range(8), *[8] * 12])).iloc[0]
    assert row[["n", "processes"]].tolist() == [20, 9]
    assert row[["median", "low", "high"]].tolist() == pytest.approx([5.0, 2.0, 8.0])
    one = summary(make_case(times, process=0)).iloc[0]
    assert one["processes"] == 1 and one["median"] == pytest.approx(9.0)


def test_medians_of_cases_keep_the_reason_of_a_failure(make_case: Any) -> None:
    failed = make_case([1.0, np.nan], bytes=64, status=["ok", "failed: signal 11"])
    absent = make_case([np.nan], bytes=32, status="failed: absent")
    table = case_medians(pd.concat([make_case([1.0, 3.0, 2.0]), failed, absent]))
    table = table.set_index("bytes").sort_index(ascending=False)
    assert table["status"].tolist() == ["ok", "failed: signal 11", "failed: absent"]
    assert table["n"].tolist() == [3, 1, 0] and table["n"].dtype == "int64"
    assert table["seconds"].tolist()[:2] == [2.0, 1.0] and np.isnan(table["seconds"].iloc[2])
    assert table.columns.tolist()[-8:] == [
        *("n", "seconds", "seconds_low", "seconds_high", "gib_per_s", "gib_per_s_low", "gib_per_s_high"),
        "cycles_per_byte",
    ]


def test_intervals_of_a_speed_of_zero_are_not_negative(make_case: Any) -> None:
    row = summary(make_case(np.linspace(1.0, 1.1, 12), bytes=0)).iloc[0]
    assert row[["gib_per_s", "gib_per_s_low", "gib_per_s_high"]].tolist() == [0.0, 0.0, 0.0]
    mixed = make_case([1.0] * 3, process=np.arange(3)).assign(gib_per_s=[0.0, 1.0, 2.0])
    found = summary(mixed).iloc[0]
    assert found["gib_per_s"] == 1.0 and found["gib_per_s_low"] == 0.0 < found["gib_per_s_high"]


def test_speed_per_cycle_is_undefined_with_one_undefined_sample(make_case: Any) -> None:
    for undefined in (np.nan, np.inf, -np.inf):
        samples = make_case([1.0, 2.0, 3.0]).assign(cycles_per_byte=[1.0, undefined, 3.0])
        assert np.isnan(summary(samples)["cycles_per_byte"][0])
