from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import roofline_share
from aeadlab.studies.eth.baselines.table import COLUMNS, single_threaded_table
from aeadlab.verdicts import published

OPS = ("seal", "open")
OPENSSL = "openssl/aes-256-gcm"
CRYPTOPP = "cryptopp/aes-256-gcm"


def one(table: pd.DataFrame, **selection: object) -> pd.Series:
    for column, value in selection.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_numbers_are_the_medians_of_usable_samples(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples, OPS)
    assert tuple(table.columns) == COLUMNS
    assert (table["status"] == "ok").all()
    counted = aead_samples[~aead_samples["warmup"]]
    medians = counted.groupby(["implementation", "engine", "op", "block_size"])[
        ["seconds", "gib_per_s", "cycles_per_byte"]
    ].median()
    assert len(table) == len(medians)
    for row in table.itertuples():
        expected = medians.loc[(row.implementation, row.engine, row.op, row.block_size)]
        assert (row.seconds, row.gib_per_s, row.cycles_per_byte) == tuple(expected)
        assert row.seconds_low <= row.seconds <= row.seconds_high
        assert row.n == 30


def test_order_is_baselines_then_the_fastest_first(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples, OPS)
    assert list(dict.fromkeys(table["implementation"])) == [
        "baseline/memcpy",
        "baseline/xor",
        "openssl/aes-256-gcm",
        "pyca/aes-256-gcm",
        "cryptopp/aes-256-gcm",
        "aeadlab/aes-256-ctr+blake3",
        "rustcrypto/aes-256-gcm",
        "pycryptodome/aes-256-gcm",
    ]


def test_ratios_are_near_those_of_the_medians(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples, OPS)
    seal = one(table, implementation=CRYPTOPP, engine="whole", op="seal")
    split = one(table, implementation=CRYPTOPP, op="seal", block_size=65536)
    reference = one(table, implementation=OPENSSL, engine="whole", op="seal")
    memcpy = one(table, implementation="baseline/memcpy")
    assert split["overhead_percent"] == pytest.approx(100 * (split["seconds"] / seal["seconds"] - 1), abs=1)
    assert split["overhead_percent_low"] <= split["overhead_percent"] <= split["overhead_percent_high"]
    assert seal["relative_time"] == pytest.approx(seal["seconds"] / reference["seconds"], rel=0.02)
    assert seal["relative_time_low"] <= seal["relative_time"] <= seal["relative_time_high"]
    assert reference["relative_time"] == 1
    assert seal["share_of_memcpy"] == pytest.approx(memcpy["seconds"] / seal["seconds"], rel=0.02)
    assert memcpy["share_of_memcpy"] == 1
    assert np.isnan(memcpy["relative_time"])
    assert np.isnan(seal["overhead_percent"])


def test_published_numbers_are_added(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples, OPS, published.load("ETH"))
    whole = table[(table["engine"] == "whole") & (table["op"] == "seal")].set_index("implementation")
    assert whole.loc[OPENSSL, "published_seconds"] == pytest.approx(0.31022)
    assert whole.loc[CRYPTOPP, "published_relative_time"] == pytest.approx(437.94 / 310.22)
    assert whole.loc["rustcrypto/aes-256-gcm", "published_relative_time"] == pytest.approx(945.95 / 310.22)
    assert whole.loc["aeadlab/aes-256-ctr+blake3", "published_relative_time"] == pytest.approx(615.11 / 310.22)
    assert one(table, implementation=OPENSSL, engine="whole", op="open")["published_relative_time"] == pytest.approx(
        306 / 310.22
    )
    split = one(table, implementation=OPENSSL, op="seal", block_size=65536)
    assert split["published_overhead_percent"] == 28.8
    assert split["published_relative_time"] == pytest.approx(1.288)
    assert table.loc[table["implementation"].str.startswith("py"), "published_document"].isna().all()
    assert set(table["published_hardware"].dropna()) == {"AMD EPYC 7742"}


def test_absent_published_implementations_have_rows(aead_samples: pd.DataFrame) -> None:
    samples = aead_samples[aead_samples["library"] != "cryptopp"]
    assert CRYPTOPP not in set(single_threaded_table(samples, OPS)["implementation"])
    rows = single_threaded_table(samples, OPS, published.load("ETH"))
    rows = rows[rows["implementation"] == CRYPTOPP]
    assert len(rows) == 6
    assert set(rows["status"]) == {"not measured"}
    assert rows[["seconds", "seconds_low", "gib_per_s", "n", "share_of_memcpy", "relative_time"]].isna().all(axis=None)
    assert one(rows, engine="whole", op="seal")["published_seconds"] == pytest.approx(0.43794)


def test_missing_and_failed_cases_have_their_reason(aead_samples: pd.DataFrame) -> None:
    samples = aead_samples[~((aead_samples["implementation"] == CRYPTOPP) & (aead_samples["op"] == "open"))].copy()
    crashed = (samples["implementation"] == OPENSSL) & (samples["block_size"] == 65536) & (samples["op"] == "seal")
    samples.loc[crashed, "status"] = "failed: signal 11"
    samples.loc[crashed, "seconds"] = np.nan
    table = single_threaded_table(samples, OPS)
    absent = table[(table["implementation"] == CRYPTOPP) & (table["op"] == "open")]
    assert list(absent["status"]) == ["not measured"] * 3
    failed = one(table, implementation=OPENSSL, block_size=65536, op="seal")
    assert failed["status"] == "failed: signal 11"
    assert np.isnan(failed["seconds"])


def test_the_reason_is_taken_from_the_last_row(aead_samples: pd.DataFrame) -> None:
    case = (
        (aead_samples["implementation"] == OPENSSL) & (aead_samples["op"] == "open") & (aead_samples["block_size"] == 0)
    )
    samples = aead_samples.copy()
    samples.loc[case, "status"] = "failed: the case failed later"
    reason = samples[case].tail(1).assign(status="failed: signal 11", seconds=np.nan, warmup=True)
    table = single_threaded_table(pd.concat([samples, reason], ignore_index=True), OPS)
    assert one(table, implementation=OPENSSL, op="open", engine="whole")["status"] == "failed: signal 11"


def test_categorical_columns_give_the_same_table(aead_samples: pd.DataFrame) -> None:
    text = [c for c in aead_samples.columns if aead_samples[c].dtype.kind == "O" or str(aead_samples[c].dtype) == "str"]
    assert "implementation" in text and "status" in text
    categories = aead_samples.astype(dict.fromkeys(text, "category"))
    plain = single_threaded_table(aead_samples, OPS, published.load("ETH"))
    pd.testing.assert_frame_equal(single_threaded_table(categories, OPS, published.load("ETH")), plain)


def test_without_the_reference_relative_times_are_absent(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples[aead_samples["library"] != "openssl"], OPS, published.load("ETH"))
    assert table["relative_time"].isna().all()
    assert one(table, implementation=OPENSSL, engine="whole", op="seal")["published_relative_time"] == 1
    assert one(table, implementation=CRYPTOPP, op="seal", block_size=65536)["overhead_percent"] > 0


def test_shares_equal_those_of_the_report(aead_samples: pd.DataFrame) -> None:
    memcpy = aead_samples[aead_samples["algorithm"] == "memcpy"]
    split = {"engine": "parsplit", "block_size": 16384, "schedule": "dynamic"}
    faster = memcpy.assign(**split | {"block_size": 65536}, seconds=memcpy["seconds"] * 0.8)
    samples = pd.concat([aead_samples, memcpy.assign(**split), faster], ignore_index=True)
    table = single_threaded_table(samples, OPS)
    assert one(table, implementation="baseline/memcpy")["block_size"] == 65536
    shares = roofline_share(samples)
    for row in table[~table["implementation"].str.startswith("baseline/memcpy")].itertuples():
        reported = one(shares, implementation=row.implementation, op=row.op, block_size=row.block_size)
        assert row.share_of_memcpy == reported["share"]
    plain = single_threaded_table(aead_samples, OPS)
    before, after = (frame["share_of_memcpy"].iloc[1:].to_numpy() for frame in (plain, table))
    assert after == pytest.approx(0.8 * before, rel=1e-3)


def test_shares_need_memcpy(aead_samples: pd.DataFrame) -> None:
    table = single_threaded_table(aead_samples[aead_samples["algorithm"] != "memcpy"], OPS)
    assert table["share_of_memcpy"].isna().all()


def test_python_implementations_are_not_expected_under_parsplit(aead_samples: pd.DataFrame) -> None:
    rows = single_threaded_table(aead_samples, OPS)
    assert set(rows.loc[rows["implementation"] == "pyca/aes-256-gcm", "engine"]) == {"python"}


def test_other_conditions_are_ignored(aead_samples: pd.DataFrame) -> None:
    others = []
    for change in ({"threads": 2}, {"replica": 1}, {"bytes": 1024}, {"placement": "in-place"}, {"aad_bytes": 32}):
        others.append(aead_samples.assign(**change, seconds=aead_samples["seconds"] * 7))
    mixed = single_threaded_table(pd.concat([aead_samples, *others], ignore_index=True), OPS)
    pd.testing.assert_frame_equal(mixed, single_threaded_table(aead_samples, OPS))


def test_the_most_frequent_model_is_drawn(aead_samples: pd.DataFrame) -> None:
    keyed = aead_samples.assign(model="keyed", seconds=aead_samples["seconds"] / 2)
    both = single_threaded_table(pd.concat([aead_samples, keyed], ignore_index=True), OPS)
    assert set(both["model"]) == {"oneshot"}
    fewer = aead_samples[(aead_samples["library"] != "cryptopp") | (aead_samples["op"] == "open")]
    most = single_threaded_table(pd.concat([fewer, keyed], ignore_index=True), OPS)
    assert set(most["model"]) == {"keyed"}


def test_hash_times_are_relative_to_the_seal(hash_samples: pd.DataFrame) -> None:
    table = single_threaded_table(hash_samples, ("digest",), published.load("ETH"))
    assert OPENSSL not in set(table["implementation"])
    gmac = one(table, implementation="openssl/aes-256-gmac")
    assert gmac["relative_time"] == pytest.approx(0.0312 / 0.0643, rel=0.03)
    assert gmac["published_seconds"] == pytest.approx(0.144)
    assert gmac["published_relative_time"] == pytest.approx(144 / 310.22)


def test_rejects_samples_without_such_cases(hash_samples: pd.DataFrame) -> None:
    with pytest.raises(ArgumentError, match="no single-threaded case with op open"):
        single_threaded_table(hash_samples, ("open",))
    with pytest.raises(ArgumentError, match="no column"):
        single_threaded_table(hash_samples.drop(columns="round"), ("digest",))
