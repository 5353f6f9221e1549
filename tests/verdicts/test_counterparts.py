from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from aeadlab.dimensions import DIMENSIONS
from aeadlab.verdicts.counterparts import Counterpart, counterparts

GIB, KEYS = 1 << 30, ("model", "tags", "placement", "aad_bytes", "cache", "mask")
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


def test_the_rust_table_was_measured_in_place_with_associated_data() -> None:
    """The program that the document links does so; its runs of `openssl speed` have no associated data."""
    name, given = "ring/aes-256-gcm", {"placement": "in-place", "aad_bytes": 32}
    plain, placed, other, own = (
        case(name, bytes=100, **changed) for changed in ({}, {"placement": "in-place"}, {"aad_bytes": 32}, given)
    )
    *none, one = found("Rust", plain, placed, other, own)
    assert none == [None] * 3
    assert one == Counterpart(pytest.approx(100 / 214.48e-9 / GIB), 100, XEON)
    speed, wrong = found("Rust", *(case("openssl/aes-256-gcm", bytes=16384, **changed) for changed in ({}, given)))
    assert speed == Counterpart(pytest.approx(3733721810 / GIB), 16384, XEON) and wrong is None


def test_lengths_agree_where_a_document_has_several() -> None:
    sizes = (100, 101, 16 << 10)
    given = {"placement": "in-place", "aad_bytes": 32}
    own, absent, other = found("Rust", *(case("rustcrypto/aes-256-gcm", bytes=size, **given) for size in sizes))
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
