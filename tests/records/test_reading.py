from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from aeadlab.bench.case import Case
from aeadlab.errors import RecordError
from aeadlab.records import reading
from aeadlab.records.reading import load_record, provenance_of
from tests.fixtures.journals import CASES, sample, stored

TEXT = (
    *("implementation", "library", "algorithm", "kind", "engine", "model", "op"),
    *("schedule", "placement", "cache", "mask", "flags", "status"),
)
INTEGERS = (
    *("bytes", "block_size", "threads", "replica", "order", "round", "batch", "wall_ns", "cpu_ns", "tsc_ticks"),
    *("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "process"),
)
DERIVED = ("seconds", "gib_per_s", "cycles_per_byte")


def test_derived_columns_by_hand(tmp_path: Path) -> None:
    # 1 MiB, four executions in 2 ms: 0.5 ms each, 2048 MiB/s. 4 * 2^20 bytes in 6,291,456 ticks: 1.5 a byte.
    frame = load_record(stored(tmp_path, sample(0, batch=4, wall_ns=2_000_000, tsc_ticks=6_291_456))).samples
    assert frame[list(DERIVED)].iloc[0].tolist() == pytest.approx([0.0005, 1.953125, 1.5], rel=1e-12)


def test_an_empty_message_has_no_cycles_per_byte(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(2, batch=10, wall_ns=1000))).samples
    assert frame["seconds"][0] == pytest.approx(1e-7)
    assert frame["gib_per_s"][0] == 0
    assert pd.isna(frame["cycles_per_byte"][0])


def test_rejects_a_truncated_parquet_file(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    content = path.read_bytes()
    for length in (0, 3, 100, len(content) // 2, len(content) - 8, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(RecordError, match=f"{path} is damaged or not a Parquet file"):
            load_record(path)


def test_rejects_a_parquet_file_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pd.DataFrame({"implementation": ["openssl/aes-256-gcm"], "wall_ns": [1]}).to_parquet(path)
    with pytest.raises(RecordError, match="is a Parquet file, but not a record of aeadlab"):
        load_record(path)


@pytest.mark.parametrize("text", [b"not json", b"[1]", b"\xff"])
def test_rejects_damaged_provenance(tmp_path: Path, text: bytes) -> None:
    path = stored(tmp_path, sample(0))
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({b"aeadlab": text}), path)
    with pytest.raises(RecordError, match="provenance"):
        load_record(path)


def test_rejects_another_schema_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, sample(0))
    monkeypatch.setattr(reading, "SCHEMA_VERSION", 3)
    with pytest.raises(RecordError, match="has schema version 2, this aeadlab reads 1 to 3: use the version that"):
        load_record(path)


def test_reads_a_record_of_schema_version_1(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    table = pq.read_table(path)
    old = provenance_of(path) | {"schema": 1}
    table = table.drop_columns(["cache", "mask", "flags"])
    pq.write_table(table.replace_schema_metadata({b"aeadlab": json.dumps(old).encode()}), path)
    samples = load_record(path).samples
    assert [Case.from_row(row) for row in samples.to_dict("records")] == [CASES[0], CASES[1]]
    assert set(samples["flags"]) == {""}


def test_rejects_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    stored(tmp_path, sample(0))
    for path in (tmp_path / "nothing.parquet", tmp_path):
        with pytest.raises(RecordError, match=f"there is no record {path}"):
            load_record(path)
