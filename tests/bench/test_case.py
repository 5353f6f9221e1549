from __future__ import annotations

import json
from dataclasses import MISSING, fields

import pytest

from aeadlab import dimensions
from aeadlab.bench.case import MAX_AAD_BYTES, MAX_BYTES, Case
from aeadlab.errors import ArgumentError

SPLIT = Case("openssl/aes-256-gcm", "seal", 4096, engine="parsplit", block_size=1024, threads=2, schedule="dynamic")


def test_dimensions_are_the_fields_with_their_defaults() -> None:
    declared = {dimension.name: dimension.default for dimension in dimensions.DIMENSIONS}
    defaults = {f.name: None if f.default is MISSING else f.default for f in fields(Case)}
    assert declared == defaults


@pytest.mark.parametrize(
    "case",
    [
        SPLIT,
        Case("a/b", "digest", 0, engine="python", model="oneshot", placement="in-place", replica=1),
        Case("a/b", "open", 9, engine="python", aad_bytes=MAX_AAD_BYTES),
    ],
)
def test_a_case_equals_the_case_of_its_row(case: Case) -> None:
    row = json.loads(json.dumps(case.row()))
    assert Case.from_row({**row, "order": 3}) == case


def test_every_field_distinguishes_cases() -> None:
    others = {
        **{"implementation": "ring/aes-256-gcm", "op": "open", "bytes": 8192, "model": "oneshot"},
        **{"block_size": 2048, "threads": 1, "schedule": "rayon", "placement": "in-place", "replica": 1},
        **{"cache": "cold", "mask": "no-vaes", "aad_bytes": 13, "tags": "merkle"},
    }
    assert {"engine", *others} == set(SPLIT.row())
    assert len({SPLIT, *(Case.from_row({**SPLIT.row(), name: value}) for name, value in others.items())}) == 14


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bytes": -1}, f"-1 bytes given, 0 to {MAX_BYTES} expected"),
        ({"bytes": MAX_BYTES + 1}, f"0 to {MAX_BYTES} expected"),
        ({"block_size": 0}, "parsplit requires both"),
        ({"block_size": -1024}, "block size -1024"),
        ({"schedule": ""}, "schedule ''"),
        ({"engine": "whole"}, "engine 'whole' with block size 1024 and schedule 'dynamic'"),
        ({"engine": "python", "threads": 1, "schedule": ""}, "engine 'python' with block size 1024"),
        ({"engine": "whole", "threads": 1, "schedule": "", "block_size": -1}, "block size -1"),
        ({"threads": 0}, "0 threads given"),
        ({"threads": 257}, "257 threads given"),
        (
            {"aad_bytes": -1},
            "-1 bytes of associated data given for op seal and engine parsplit, 0 to 67108864 expected",
        ),
        ({"aad_bytes": MAX_AAD_BYTES + 1}, "0 to 67108864 expected"),
        ({"aad_bytes": 13, "op": "encrypt"}, "13 bytes of associated data given for op encrypt"),
        ({"aad_bytes": 13, "engine": "cells", "threads": 1, "schedule": ""}, "op seal and engine cells"),
    ],
)
def test_rejects_impossible_cases(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Case.from_row({**SPLIT.row(), **changes})


@pytest.mark.parametrize("settings", [{"threads": 4}, {"block_size": 1024}, {"threads": 2, "block_size": 512}])
def test_whole_cases_accept_threads_and_a_block_size(settings: dict[str, int]) -> None:
    case = Case("blake3-rayon/blake3", "digest", 4096, **settings)
    assert Case.from_row(case.row()) == case
    for name, value in settings.items():
        assert (f"{value} threads" if name == "threads" else f"in {value} B blocks") in case.label


def test_labels_of_different_cases_differ() -> None:
    labels = {
        Case.from_row({**SPLIT.row(), **change}).label
        for change in (
            {},
            {"replica": 1},
            {"placement": "in-place"},
            {"threads": 1},
            {"model": "oneshot"},
            {"aad_bytes": 13},
        )
    }
    assert len(labels) == 6
    assert f"{SPLIT.label}, 13 B of associated data" in labels
    assert all("openssl/aes-256-gcm seal 4096 B" in label for label in labels)
