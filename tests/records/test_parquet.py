"""How the Parquet file of a record is written, and which tables are rejected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aeadlab.errors import RecordError
from aeadlab.records import reading
from aeadlab.records.reading import load_record
from tests.fixtures.journals import rewritten, sample, stored

SPLIT = (
    "order", "wall_ns", "cpu_ns", "tsc_ticks", "minor_faults", "voluntary_switches", "involuntary_switches",
)  # fmt: skip


def test_counters_are_split_and_all_others_have_a_dictionary(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    metadata = pq.read_metadata(path)
    assert metadata.num_row_groups == 1 and metadata.metadata.keys() == {
        b"aeadlab", b"aeadlab-blake3-samples", b"aeadlab-blake3-provenance"
    }  # fmt: skip
    group = metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    # Parquet has no dictionary of the type bool.
    assert {name for name, column in columns.items() if column.has_dictionary_page} == {*columns} - {*SPLIT, "warmup"}
    assert {name for name, column in columns.items() if "BYTE_STREAM_SPLIT" in column.encodings} == set(SPLIT)
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    assert not any(column.is_stats_set for column in columns.values())


def test_each_page_has_a_checksum(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    group = pq.read_metadata(path).row_group(0)
    column = next(group.column(i) for i in range(group.num_columns) if group.column(i).path_in_schema == "wall_ns")
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 1] ^= 1
    path.write_bytes(content)
    path.with_suffix(".b3").unlink()
    with pytest.raises(RecordError, match="is damaged"):
        load_record(path)


@pytest.mark.parametrize(("text", "fault"), [("first line\nsecond line", "first line"), ("", "ArrowInvalid")])
def test_of_an_error_of_arrow_the_first_line_is_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, fault: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise pa.ArrowInvalid(text)

    path = stored(tmp_path, sample(0))
    monkeypatch.setattr(pq, "ParquetFile", fail)
    with pytest.raises(RecordError, match=fault) as raised:
        load_record(path)
    assert "second line" not in str(raised.value)


Change = Callable[[pa.Table], pa.Table]


def replaced(name: str, values: Any) -> Change:
    return lambda table: table.set_column(table.schema.get_field_index(name), name, values)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (replaced("wall_ns", pa.array([1, None], pa.int64())), "column wall_ns holds int64 with 1 missing values"),
        (replaced("wall_ns", pa.array([1.0, 2.0])), "column wall_ns is not of int64"),
        (replaced("wall_ns", pa.array([1, 2], pa.int32())), "column wall_ns is not of int64"),
        (replaced("status", pa.array([1, 2])), "column status is not of text"),
        (replaced("warmup", pa.array([0, 1])), "column warmup is not of bool"),
        (lambda table: table.drop_columns(["wall_ns"]), "it has no column wall_ns"),
        (lambda table: table.drop_columns(["round", "op"]), "it has no column op, round"),
        (
            lambda table: table.drop_columns(["flags"]).append_column("colour", pa.array([1, 2])),
            "column 'colour' is not one of a record",
        ),
        (replaced("op", pa.array(["seal", "sell"])), "column op has 'sell', one of seal, "),
        (replaced("library", pa.array(["openssl", "ring"])), "implementation 'openssl/aes-256-gcm' has library 'ring'"),
        (replaced("algorithm", pa.array(["a", "b"])), "implementation 'openssl/aes-256-gcm' has library 'openssl'"),
        (replaced("batch", pa.array([1, 0])), "a sample has no execution, or took no time"),
        (replaced("wall_ns", pa.array([0, 1])), "a sample has no execution, or took no time"),
        (replaced("status", pa.array(["a\x1b", "a\x07"])), "two texts of column status are equal or differ in"),
    ],
)
def test_tables_that_are_no_samples_are_rejected(tmp_path: Path, change: Change, fault: str) -> None:
    path = stored(tmp_path, sample(0), sample(0, 1))
    with pytest.raises(RecordError, match=fault):
        load_record(rewritten(path, change(pq.read_table(path))))


@pytest.mark.parametrize("limit", [2, 4, 1 << 62])
def test_cases_are_checked_with_any_number_of_combinations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    """Combinations of values are numbered again where their product does not fit into an integer."""
    monkeypatch.setattr(reading, "_LARGEST_CODE", limit)
    path = stored(tmp_path, *(sample(case, round) for round in range(3) for case in range(4)))
    assert len(load_record(path).samples) == 12
    table = pq.read_table(path)
    number = table.schema.get_field_index("library")
    for row in range(12):
        names = table["library"].to_pylist()
        names[row] = "ring"
        with pytest.raises(RecordError, match="has library 'ring'"):
            load_record(rewritten(path, table.set_column(number, "library", pa.array(names))))
