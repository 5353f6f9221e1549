from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from aeadlab.dimensions import DIMENSIONS
from aeadlab.verdicts.counterparts import Counterpart, counterparts

GIB, KEYS = 1 << 30, ("model", "placement", "aad_bytes", "cache", "mask")
USUAL = {dimension.name: dimension.default for dimension in DIMENSIONS if dimension.name in KEYS}
EPYC, XEON = "AMD EPYC 7742", "Intel Xeon Platinum 8272CL"


def case(implementation: str, op: str = "seal", bytes: int = GIB, **changed: Any) -> dict[str, Any]:
    return (
        {"implementation": implementation, "op": op, "bytes": bytes, "engine": "whole", "threads": 1} | USUAL | changed
    )


def found(document: str, *cases: dict[str, Any]) -> list[Counterpart | None]:
    return counterparts(document, pd.DataFrame(cases))


def test_a_time_is_converted_to_a_speed() -> None:
    (own,) = found("ETH", case("cryptopp/aes-256-gcm"))
    assert own == Counterpart(pytest.approx(1 / 0.43794), GIB, EPYC)


def test_a_message_of_one_length_has_the_only_published_one() -> None:
    (own,) = found("ETH", case("openssl/aes-256-gcm", bytes=4096))
    assert own == Counterpart(pytest.approx(1 / 0.31022), GIB, EPYC), "the number with most decimals"
    assert found("ETH", *(case("openssl/aes-256-gcm", bytes=size) for size in (4096, 8192))) == [None, None]


def test_lengths_agree_where_a_document_has_several() -> None:
    sizes = (100, 101, 16 << 10)
    own, absent, other = found("Rust", *(case("rustcrypto/aes-256-gcm", bytes=size) for size in sizes))
    assert own == Counterpart(pytest.approx(100 / 154.27e-9 / GIB), 100, XEON), "the time, not the rounded throughput"
    assert (absent, other) == (None, None)
    assert found("Rust", case("rustcrypto/aes-256-gcm", bytes=101)) == [None]


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "oneshot"},
        {"placement": "in-place"},
        {"aad_bytes": 32},
        {"mask": "zen2"},
        {"threads": 2},
        {"engine": "parsplit"},
    ],
    ids=str,
)
def test_unusual_conditions_have_no_counterpart(changed: dict[str, Any]) -> None:
    assert found("ETH", case("openssl/aes-256-gcm", **changed)) == [None]


def test_a_number_for_each_of_several_computers_is_none() -> None:
    assert found("Tor", case("openssl/aes-128-ctr", "encrypt", 509)) == [None]
