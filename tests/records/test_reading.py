from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blake3 import blake3

from aeadlab.bench.case import Case
from aeadlab.dimensions import NAMES
from aeadlab.errors import RecordError
from aeadlab.records import reading
from aeadlab.records.digest import PROVENANCE_KEY, SAMPLES_KEY
from aeadlab.records.reading import load_record, provenance_of
from tests.fixtures.journals import CASES, rewritten, sample, stored

TEXT = (
    *("implementation", "library", "algorithm", "kind", "engine", "model", "op"),
    *("schedule", "tags", "placement", "cache", "mask", "flags", "status"),
)
INTEGERS = (
    *(
        "bytes",
        "block_size",
        "aad_bytes",
        "threads",
        "replica",
        "order",
        "round",
        "batch",
        "wall_ns",
        "cpu_ns",
        "tsc_ticks",
    ),
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
    for beside in (True, False):
        for length in (0, 3, 100, len(content) // 2, len(content) - 8, len(content) - 1):
            path.write_bytes(content[:length])
            with pytest.raises(RecordError, match=f"{path} is damaged or not a Parquet file"):
                load_record(path)
        if beside:
            path.with_suffix(".b3").unlink()


def test_rejects_a_parquet_file_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pd.DataFrame({"implementation": ["openssl/aes-256-gcm"], "wall_ns": [1]}).to_parquet(path)
    with pytest.raises(RecordError, match="not a Parquet file of aeadlab"):
        load_record(path)


@pytest.mark.parametrize("text", ["not json", "[1]", "\udcff", "{}", '{"schema": 2}', '{"schema": 2, "plan": []}'])
def test_rejects_damaged_provenance(tmp_path: Path, text: str) -> None:
    path = rewritten(stored(tmp_path, sample(0)), text=text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordError, match="provenance|plan"):
        load_record(path)


def test_rejects_another_schema_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, sample(0))
    monkeypatch.setattr(reading, "_ADDED_COLUMNS", {0: {}})
    monkeypatch.setattr(reading, "SCHEMA_VERSION", 1)
    with pytest.raises(RecordError, match="has schema version 2, this aeadlab reads 0 to 1: use the version that"):
        load_record(path)


@pytest.mark.parametrize("schema", ["[2]", "{}", "null", '"2"', "3"])
def test_the_provenance_of_any_schema_version_has_checked_parts(tmp_path: Path, schema: str) -> None:
    text = f'{{"schema": {schema}, "plan": []}}'
    with pytest.raises(RecordError, match="schema version|plan"):
        provenance_of(rewritten(stored(tmp_path, sample(0)), text=text.encode()))


def test_a_record_without_the_column_has_no_associated_data(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    complete = load_record(path).samples
    older = load_record(rewritten(path, pq.read_table(path).drop_columns(["aad_bytes"]))).samples
    assert older["aad_bytes"].tolist() == [0, 0]
    pd.testing.assert_frame_equal(older[complete.columns], complete, check_dtype=False)


def test_reads_a_record_of_schema_version_1(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    table = pq.read_table(path).drop_columns(["cache", "mask", "flags"])
    old = json.dumps(provenance_of(path) | {"schema": 1})
    samples = load_record(rewritten(path, table, old.encode())).samples
    assert [Case.from_row(row) for row in samples.to_dict("records")] == [CASES[0], CASES[1]]
    assert set(samples["flags"]) == {""}


@pytest.mark.parametrize("without", [SAMPLES_KEY, PROVENANCE_KEY])
def test_a_record_without_a_digest_is_rejected(tmp_path: Path, without: bytes) -> None:
    path = rewritten(stored(tmp_path, sample(0)), without=(without,))
    for read in (load_record, provenance_of):
        with pytest.raises(RecordError, match=r"has no digests, .*: add them with tools/add_digests.py"):
            read(path)


def test_other_samples_or_provenance_do_not_match_the_digests(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    metadata = pq.read_metadata(path).metadata
    other = pq.read_table(stored(tmp_path / "other", sample(0, wall_ns=1001)))
    rewritten(path, other, digests=metadata)
    with pytest.raises(RecordError, match="its samples are not those whose digest it holds"):
        load_record(path)
    changed = json.dumps(provenance_of(path) | {"date": "2026-01-01"}).encode()
    rewritten(path, text=changed, digests=metadata)
    for read in (load_record, provenance_of):
        with pytest.raises(RecordError, match="is not the one whose digest the record holds"):
            read(path)


def test_the_digests_beside_a_record_are_those_of_b3sum_and_verified(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    beside, text = path.with_suffix(".b3"), path.with_suffix(".json")
    assert beside.read_text() == "".join(f"{blake3(f.read_bytes()).hexdigest()}  {f.name}\n" for f in (text, path))
    for file in (path, text, beside):
        content = file.read_bytes()
        for place in range(0, len(content), 97):
            changed = bytearray(content)
            changed[place] ^= 4
            file.write_bytes(changed)
            with pytest.raises(RecordError, match="the digest of .* is not in"):
                load_record(path)
        file.write_bytes(content)
    text.unlink()
    assert len(load_record(path).samples) == 1


def test_the_digest_of_samples_does_not_depend_on_their_encoding(tmp_path: Path) -> None:
    path = stored(tmp_path, *(sample(index % 4, round) for round in range(30) for index in range(4)))
    before, metadata = load_record(path).samples, pq.read_metadata(path).metadata
    changes: list[dict[str, Any]] = [{"compression": "none"}, {"row_group_size": 7}, {"use_dictionary": False}]
    for options in changes:
        path.with_suffix(".b3").unlink(missing_ok=True)
        rows = options.pop("row_group_size", None)
        plain = {"write_statistics": False, "store_schema": False, "write_page_checksum": True}
        table = pq.read_table(path)
        with pq.ParquetWriter(path, table.schema, **plain, **options) as writer:
            writer.write_table(table, rows)
            writer.add_key_value_metadata(metadata)
        pd.testing.assert_frame_equal(load_record(path).samples, before)


def test_names_are_printable(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), failures={1: "\x1b[31mred\n\x9b"})
    provenance = provenance_of(path) | {"refused": {"evil\x1b]0;x\x07/y": "a\u202eb"}}
    record = load_record(rewritten(path, text=json.dumps(provenance).encode()))
    assert record.refused == {"evil\ufffd]0;x\ufffd/y": "a\ufffdb"}
    assert "failed: \ufffd[31mred \ufffd" in set(record.samples["status"])


def test_rejects_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    stored(tmp_path, sample(0))
    for path in (tmp_path / "nothing.parquet", tmp_path):
        with pytest.raises(RecordError, match=f"there is no record {path}"):
            load_record(path)


def test_cases_are_separate_where_their_combinations_exceed_an_integer(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 values of each column: the first one would be shifted out of 64 bits."""
    monkeypatch.setattr(reading, "Case", SimpleNamespace(from_row=lambda _: None))
    numbers = np.r_[np.arange(128), 0]
    texts = {name: [str(number) for number in numbers] for name in ("library", "algorithm")}
    names = [f"{number}/{number}" for number in numbers]
    columns = {name: pa.array(numbers) for name in (*NAMES, "order")}
    columns |= {name: pa.array(values) for name, values in (texts | {"implementation": names}).items()}
    codes = dict.fromkeys(texts, numbers)
    reading._check_cases(columns, codes | {"implementation": numbers})
    columns["implementation"] = pa.array([*names[:-1], "other/0"])
    with pytest.raises(ValueError, match="implementation 'other/0' has library '0'"):
        reading._check_cases(columns, codes | {"implementation": np.r_[numbers[:-1], 128]})
