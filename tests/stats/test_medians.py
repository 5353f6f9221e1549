from __future__ import annotations

import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.records.reading import load_record
from aeadlab.stats import medians, roofline_share, summary
from tests.conftest import WriteRecord


@pytest.fixture
def samples(write_record: WriteRecord) -> pd.DataFrame:
    factors = {"ring/aes-256-gcm": 0.5, "openssl/aes-256-gcm": 2.0}
    return load_record(write_record(rounds=8, factors=factors)).samples


def test_sorts_by_condition_then_speed_with_limits_last(samples: pd.DataFrame) -> None:
    table = medians(samples)
    assert list(table[["bytes", "op", "implementation"]].itertuples(index=False, name=None)) == [
        (size, op, name)
        for size in (4096, 1 << 20)
        for op, names in (
            ("seal", ("ring/aes-256-gcm", "openssl/aes-256-gcm")),
            ("open", ("ring/aes-256-gcm", "openssl/aes-256-gcm")),
            ("encrypt", ("baseline/memcpy",)),
        )
        for name in names
    ]


def test_numbers_agree_with_summary_and_roofline(samples: pd.DataFrame) -> None:
    table, on = medians(samples), ["implementation", "op", "bytes"]
    plain = summary(samples)
    both = table.merge(plain[plain["replica"] == 0], on=on, suffixes=("", "_plain"))
    assert len(both) == len(table)
    for ours, theirs in (("seconds", "median"), ("gib_per_s", "gib_per_s_plain"), ("n", "n_plain")):
        assert (both[ours] == both[theirs]).all()
    assert (both["cycles_per_byte"] == both["cycles_per_byte_plain"]).all()
    plain_shares = roofline_share(samples)
    shares = table.merge(plain_shares[plain_shares["replica"] == 0], on=on, suffixes=("", "_plain"))
    assert (shares["share"] == shares["share_plain"]).all() and len(shares) == 8
    assert table["share"].isna().sum() == 2


def test_rejects_samples_without_a_counted_one(samples: pd.DataFrame) -> None:
    with pytest.raises(ArgumentError, match="no case has a counted sample"):
        medians(samples.assign(warmup=True))
    empty = samples.assign(bytes=0, cycles_per_byte=float("nan"), gib_per_s=0.0)
    assert medians(empty)["cycles_per_byte"].isna().all()
