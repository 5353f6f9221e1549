from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aeadlab
from aeadlab.bench.profile import Profile
from aeadlab.errors import ArgumentError, UnknownNameError

pytestmark = pytest.mark.usefixtures("own_results")

TINY = Profile("tiny", 4096, 2, 0.0, 0.0, None)


def swept(*names: str, **dimensions: Any) -> set[tuple[Any, ...]]:
    """Return the columns of the timed cases: implementation, op, engine, model, bytes, block size and so on."""
    record = aeadlab.sweep(names, profile=TINY, **dimensions)
    samples = record.samples
    assert set(samples["status"]) == {"ok"}
    assert record.path.is_file()
    assert record.study == "sweep"
    columns = ["implementation", "op", "engine", "model", "bytes", "block_size", "threads", "schedule", "placement"]
    return set(samples[samples["replica"] == 0][[*columns, "cache"]].itertuples(index=False, name=None))


def test_times_every_combination_and_the_memory_limit() -> None:
    timed = swept("openssl/aes-256-gcm", bytes=[0, 100], op=["seal", "open"], cache=["warm", "cold"])
    columns = [
        (bytes, 0, 1, "", "separate", cache) for bytes in (0, 100) for cache in ("warm", "cold")
    ]  # fmt: skip
    expected = {("openssl/aes-256-gcm", op, "whole", "keyed", *each) for op in ("seal", "open") for each in columns}
    assert timed == expected | {("baseline/memcpy", "encrypt", "whole", "keyed", *each) for each in columns}


def test_blocks_threads_and_schedules_apply_to_parsplit() -> None:
    timed = swept(
        "openssl/aes-256-gcm", "blake3/blake3", bytes=3000, engine=["whole", "parsplit"], block_size=[1024, 4096, 8192],
        threads=[1, 2], schedule=["static", "rayon"], baselines=(),
    )  # fmt: skip
    rest = ("separate", "warm")
    split = {
        ("openssl/aes-256-gcm", "seal", "parsplit", "keyed", 3000, block, threads, schedule, *rest)
        for block in (1024, 3000)
        for threads in (1, 2)
        for schedule in ("static", "rayon")
    }
    assert timed == split | {
        ("openssl/aes-256-gcm", "seal", "whole", "keyed", 3000, 0, 1, "", *rest),
        ("blake3/blake3", "digest", "whole", "keyed", 3000, 0, 1, "", *rest),
    }


def test_cells_are_calls_over_blocks_under_one_key() -> None:
    names = ("openssl/aes-256-ctr", "openssl/aes-256-gcm", "baseline/memcpy")
    timed = swept(*names, engine="cells", block_size=[512, "64K"], threads=2, aad_bytes=16)
    rest = ("separate", "warm")
    ops = dict(zip(names, ("encrypt", "seal", "encrypt"), strict=True))
    assert timed == {(n, op, "cells", "keyed", 4096, b, 1, "", *rest) for n, op in ops.items() for b in (512, 4096)}


def test_associated_data_applies_to_aeads() -> None:
    names = ("openssl/aes-256-gcm", "pyca/aes-256-gcm", "openssl/aes-256-ctr")
    record = aeadlab.sweep(names, profile=TINY, aad_bytes=[0, "1K"], engine=["whole", "parsplit"], block_size=1000)
    samples = record.samples
    assert set(samples["status"]) == {"ok"}
    timed = set(samples[["implementation", "engine", "aad_bytes"]].itertuples(index=False, name=None))
    aeads = {("openssl/aes-256-gcm", "whole"), ("openssl/aes-256-gcm", "parsplit"), ("pyca/aes-256-gcm", "python")}
    memory = {("baseline/memcpy", engine, 0) for engine in ("whole", "parsplit")}
    assert timed == {(*aead, n) for aead in aeads for n in (0, 1024)} | memory | {("openssl/aes-256-ctr", "whole", 0)}


def test_python_library_is_timed_by_its_python_calls() -> None:
    timed = swept("pyca/aes-256-gcm", engine="parsplit", placement="in-place", cache="cold", baselines=())
    assert timed == {("pyca/aes-256-gcm", "seal", "python", "keyed", 4096, 0, 1, "", "separate", "warm")}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"implementations": "openssl/aes-256-gmc"}, UnknownNameError, "nearest: openssl/aes-256-g"),
        ({"op": "digest"}, ArgumentError, "supports seal and open, but not digest"),
        ({"bytes": -1}, ArgumentError, "0 to 4294967296 expected"),
        ({"aad_bytes": "65M"}, ArgumentError, "68157440 bytes of associated data given"),
        ({"bytes": [], "baselines": ()}, ArgumentError, "no case"),
        ({"name": "baselines"}, ArgumentError, "not a study's name"),
        ({"name": "../x"}, ArgumentError, "letters, digits"),
        ({"threads": 1000, "engine": "parsplit"}, ArgumentError, "1000 threads given"),
        ({"engine": "cels"}, UnknownNameError, "no engine is called 'cels'; did you mean cells?"),
        ({"engine": "cells", "block_size": 1000}, ArgumentError, "a multiple of the cell's 1000 bytes expected"),
        ({"budget": 0}, ArgumentError, "more than 0 expected"),
    ],
)
def test_rejects_wrong_arguments_before_timing(
    given: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        aeadlab.sweep(**{"implementations": "openssl/aes-256-gcm", "profile": TINY} | given)
    assert not list(tmp_path.rglob("*.parquet"))
