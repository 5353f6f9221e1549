from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from aeadlab.bench.case import Case
from aeadlab.stats import roofline_share
from aeadlab.stats.roofline import shares_of_memcpy
from aeadlab.studies.memory.figures import size_table

OfCases = Callable[..., pd.DataFrame]
TIMES = {
    Case("baseline/memcpy", "encrypt", 65536): 1e-5,
    Case("baseline/memcpy", "encrypt", 65536, "parsplit", block_size=16384, schedule="dynamic"): 8e-6,
    Case("baseline/xor", "encrypt", 65536, placement="in-place"): 5e-6,
    Case("openssl/aes-256-gcm", "seal", 65536): 2e-5,
    Case("openssl/aes-256-gcm", "seal", 65536, placement="in-place"): 2e-5,
}


def test_shares_of_memcpy_agree_with_roofline_share(of_cases: OfCases) -> None:
    samples = of_cases(TIMES)
    table = shares_of_memcpy(samples, ["implementation", "placement"])
    assert table[["implementation", "placement"]].to_numpy().tolist() == [["openssl/aes-256-gcm", "separate"]]
    reported = roofline_share(samples).set_index("placement").loc["separate", ["share", "low", "high"]]
    assert table.iloc[0, 2:].tolist() == reported.tolist()
    assert reported["share"] == pytest.approx(0.4, rel=0.01)


def test_memcpy_in_blocks_can_limit_whole_messages(of_cases: OfCases) -> None:
    table = size_table(of_cases(TIMES)).set_index(["implementation", "placement"])["share_of_limit"]
    assert table["openssl/aes-256-gcm", "separate"] == pytest.approx(0.4, rel=0.01)
    assert table["openssl/aes-256-gcm", "in-place"] == pytest.approx(0.25, rel=0.01)
