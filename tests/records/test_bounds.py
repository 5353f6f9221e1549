"""The smallest and largest values of a record's columns and provenance, and of the sizes in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aeadlab import paths
from aeadlab.errors import RecordError
from aeadlab.records import footer, parquet, reading, shape, stored_provenance
from aeadlab.records.footer import read_footer
from aeadlab.records.reading import load_record
from aeadlab.records.thrift import Reader
from tests.fixtures.journals import rewritten, sample, stored
from tests.records.test_shape import MINIMAL

LARGEST = 2**53


def with_value(path: Path, column: str, value: object) -> Path:
    """The same record, whose first row has another value."""
    table = pq.read_table(path)
    values = table[column].to_pylist()
    number = table.schema.get_field_index(column)
    return rewritten(path, table.set_column(number, table.schema.field(column), pa.array([value, *values[1:]])))


@pytest.mark.parametrize(
    ("column", "least"),
    [
        *((name, 0) for name in ("cpu_ns", "tsc_ticks", "process", "minor_faults", "major_faults")),
        *((name, 0) for name in ("voluntary_switches", "involuntary_switches", "bytes", "replica")),
        ("round", -1),
        ("threads", 1),
    ],
)
def test_smallest_and_largest_value_of_a_column(column: str, least: int, tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1, 1))
    # The largest message and thread count are those of a case.
    for value in (least, *([LARGEST] if column not in ("bytes", "threads") else [])):
        assert load_record(with_value(path, column, value)).samples[column][0] == value
    for value in (least - 1, LARGEST + 1):
        with pytest.raises(RecordError, match=rf"column {column} has values from .*, {least} to 2\^53 expected"):
            load_record(with_value(path, column, value))


@pytest.mark.parametrize(("batch", "wall"), [(1, 1), (LARGEST, LARGEST)])
def test_a_sample_has_an_execution_that_takes_a_nanosecond(batch: int, wall: int, tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1, 1))
    assert load_record(with_value(with_value(path, "wall_ns", wall), "batch", batch)).samples["wall_ns"][0] == wall
    for column in ("batch", "wall_ns"):
        with pytest.raises(RecordError, match="a sample has no execution, or took no time"):
            load_record(with_value(path, column, 0))


def test_longest_text_of_a_column(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1, 1))
    assert load_record(with_value(path, "status", "x" * 4096)).samples["status"][0] == "x" * 4096
    with pytest.raises(RecordError, match="column status has a text of more than 4096 characters"):
        load_record(with_value(path, "status", "x" * 4097))


def test_largest_column_of_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, sample(0), sample(1, 1))
    size = load_record(path).samples["implementation"].str.len().sum()
    monkeypatch.setattr(reading, "_MAX_COLUMN", size)
    load_record(path)
    monkeypatch.setattr(reading, "_MAX_COLUMN", size - 1)
    with pytest.raises(RecordError, match="column implementation has a text of more than"):
        load_record(path)


def test_limits_are_those_of_the_documentation() -> None:
    documented = " ".join((paths.reference_records().parent / "README.md").read_text().split())
    limits = (
        f"at most {parquet.MAX_FILE >> 20} MiB, {footer.MAX_ROWS:,} rows in {footer.MAX_ROW_GROUPS} row groups, "
        f"{footer.MAX_COLUMN >> 20} MiB of each column and {stored_provenance.MAX_TEXT >> 20} MiB of provenance "
        f"uncompressed, texts of {reading._MAX_TEXT:,} characters, and integers of at most 2^{LARGEST.bit_length() - 1}"
    )
    assert limits in documented


def test_a_footer_of_more_than_16_mib_is_not_read() -> None:
    size = (1 << 24) + 1
    with pytest.raises(ValueError, match="its footer has 16777217 bytes, at most 16777216 expected"):
        read_footer(b"PAR1" + bytes(size) + size.to_bytes(4, "little") + b"PAR1")


def test_each_limit_is_accepted_and_one_less_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, *(sample(index % 4, round) for round in range(5) for index in range(4)))
    content = path.read_bytes()
    found = read_footer(content)
    column = max(
        sum(size for size, _ in footer._pages(content, *footer._place(chunk[3], name, level, 20, found._start)))
        for name, chunk, level in zip(found.columns, found._groups[0][1], found._levels, strict=True)
    )
    limits = [
        (parquet, "MAX_FILE", len(content), "larger than|at most"),
        (footer, "MAX_FOOTER", int.from_bytes(content[-8:-4], "little"), "its footer has"),
        (footer, "MAX_ROWS", 20, "20 rows, and 20 in its row groups: 0 to 19 expected"),
        (footer, "MAX_ROW_GROUPS", 1, "1 row groups: at most 0 with all columns expected"),
        (footer, "MAX_COLUMN", column, "more values than rows"),
    ]
    for module, name, limit, reason in limits:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, limit)
            assert len(load_record(path).samples) == 20
            patch.setattr(module, name, limit - 1)
            with pytest.raises(RecordError, match=reason):
                load_record(path)


@pytest.mark.parametrize(
    ("path", "least", "most", "above"),
    [
        ("machine.cpu_count", 1, 2**63, 2**64),
        ("machine.mem_total", 0, 2**63, 2**64),
        ("machine.cpu_temp", -(2**63), 2**63, 2**64),
        ("plan.profile.shorter", 0, 63, 64),
        ("plan.profile.rounds", 0, None, None),
        ("plan.profile.processes", 1, None, None),
        ("plan.profile.sample_seconds", 0, 4e9, 4.1e9),
    ],
)
def test_smallest_and_largest_number_of_a_provenance(
    path: str, least: int, most: float | None, above: float | None
) -> None:
    *outer, last = path.split(".")

    def faults(value: float) -> list[str]:
        part: Any = {last: value}
        for name in reversed(outer):
            part = {name: MINIMAL["plan"]["profile"] | part if name == "profile" else part}
        if outer[0] == "plan":
            part = {"plan": MINIMAL["plan"] | part["plan"]}
        return [fault for fault in shape._PROVENANCE(MINIMAL | part, "") if fault.startswith(path)]

    assert faults(least) == [] and len(faults(least - (1 if abs(least) < 2 else 2**12))) == 1
    if most is not None and above is not None:
        assert faults(most) == [] and len(faults(above)) == 1


def nested(head: bytes, depth: int) -> bytes:
    return head * depth + b"\0" * (depth + 1)


def test_deepest_struct_and_list() -> None:
    def read(octets: bytes) -> object:
        return Reader(octets, 0, len(octets)).struct()

    for head in (b"\x1c", b"\x19\x1c"):
        levels = 10 // len(head)
        read(nested(head, levels))
        with pytest.raises(ValueError, match="nested too deeply"):
            read(nested(head, levels + 1))


def test_largest_integer_list_and_text() -> None:
    def read(octets: bytes) -> object:
        return Reader(octets, 0, len(octets)).struct()[1]  # type: ignore[index]

    assert read(b"\x16" + b"\xff" * 9 + b"\x01\0") == -(2**63)
    assert read(b"\x16" + b"\xfe" + b"\xff" * 8 + b"\x01\0") == 2**63 - 1
    with pytest.raises(ValueError, match="more than 64 bits"):
        read(b"\x16" + b"\xff" * 10 + b"\x01\0")
    # A text or list may use all octets that are left; here the stop of the struct is missing.
    for octets in (b"\x18\x02ab", b"\x19\x23\x07\x08"):
        with pytest.raises(ValueError, match="a struct does not end where it should"):
            read(octets)
        with pytest.raises(ValueError, match="does not end within its struct"):
            read(octets[:-1])
    assert read(b"\x19\x22\x01\x02\0") == [1, 2]


def test_reader_stays_within_its_part() -> None:
    content = b"\x11" + b"\x15\x02\0" + b"\x11"
    reader = Reader(content, 1, 4)
    assert reader.struct() == {1: 1}
    assert reader.place == 4
    with pytest.raises(ValueError, match="does not end where it should"):
        Reader(content, 1, 3).struct()


def test_times_of_a_sample_without_executions_are_missing() -> None:
    columns = {"batch": [0, 1, 2], "wall_ns": [5, 6, 6], "bytes": [1, 0, 3], "tsc_ticks": [4, 4, 12]}
    frame = reading.with_derived_columns(pd.DataFrame(columns))
    np.testing.assert_allclose(frame["seconds"], [np.nan, 6e-9, 3e-9])
    np.testing.assert_allclose(frame["gib_per_s"], [np.nan, 0, 1 / 2**30 / 1e-9])
    np.testing.assert_allclose(frame["cycles_per_byte"], [np.nan, np.nan, 2])
