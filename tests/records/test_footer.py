from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from aeadlab.errors import RecordError
from aeadlab.records import footer, stored_provenance
from aeadlab.records.footer import _pages, _place, read_footer
from aeadlab.records.reading import METADATA_KEY, load_record
from aeadlab.records.storing import digests_of
from aeadlab.records.thrift import Reader
from tests.fixtures.journals import rewritten, sample, stored


def varint(number: int) -> bytes:
    number, octets = number << 1 ^ number >> 63, bytearray()
    while number > 127:
        octets.append(number & 127 | 128)
        number >>= 7
    return bytes([*octets, number])


def page(kind: int, uncompressed: int, body: bytes, values: int, encoding: int = 0) -> bytes:
    """A page as Arrow writes it, with a checksum of 0."""
    sizes = b"".join(b"\x15" + varint(number) for number in (kind, uncompressed, len(body), 0))
    head = b"\x1c\x15" + varint(values) + b"\x15" + varint(encoding) + b"\x15\x06\x15\x06\x00\x00"
    return sizes + head + body


def test_returns_uncompressed_size_and_number_of_values_of_each_page() -> None:
    content = page(0, 100, b"12345", 7) + page(0, 2**31 - 1, b"", 9)
    assert list(_pages(content, 0, len(content))) == [(100, 7), (2**31 - 1, 9)]


def test_a_page_of_version_2_has_all_six_numbers() -> None:
    sizes = b"".join(b"\x15" + varint(number) for number in (3, 100, 0, 0))
    numbers = [b"\x15" + varint(number) for number in (7, 0, 7, 0, 0, 0)]
    content = sizes + b"\x4c" + b"".join(numbers) + b"\0\0"
    assert list(_pages(content, 0, len(content))) == [(100, 7)]
    # The fifth is left out: the next field number is greater by 2.
    content = sizes + b"\x4c" + b"".join(numbers[:4]) + b"\x25" + varint(0) + b"\0\0"
    with pytest.raises(ValueError, match="other fields"):
        list(_pages(content, 0, len(content)))


@pytest.mark.parametrize(
    "content",
    [
        page(0, 100, b"12345", 7)[:-1],
        page(1, 100, b"12345", 7),
        page(0, 100, b"12345", 7, encoding=5),
        page(0, 100, b"12345", 7) + b"\x15",
        page(0, 100, b"12345", 7).replace(b"\x15\x0a", b"\x15\x0b"),
        page(0, -1, b"12345", 7),
        page(0, 100, b"12345", -1),
        b"\0" * 9,
    ],
    ids=[
        "truncated",
        "of an index",
        "of another encoding",
        "with more behind it",
        "of negative size",
        "of negative length",
        "of negative count",
        "empty",
    ],
)
def test_damaged_pages_are_errors(content: bytes) -> None:
    with pytest.raises(ValueError):
        list(_pages(content, 0, len(content)))


def test_reads_what_pyarrow_reads(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    found, expected = read_footer(path.read_bytes()), pq.read_metadata(path)
    assert found.rows == expected.num_rows == 2
    assert list(found.columns) == expected.schema.names
    assert found.metadata == expected.metadata


@pytest.mark.parametrize("name", ["MAX_FOOTER", "MAX_ROWS", "MAX_ROW_GROUPS", "MAX_COLUMN"])
def test_limits_are_checked_before_pyarrow_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    load_record(path)
    monkeypatch.setattr(footer, name, 0)
    monkeypatch.setattr(pq, "ParquetFile", None)
    with pytest.raises(RecordError):
        load_record(path)


def test_a_page_that_states_two_gibibytes_is_rejected_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is simulated: its header would be longer than that of a page of these samples."""
    path = stored(tmp_path, *(sample(0, round) for round in range(200)))
    monkeypatch.setattr(footer, "_pages", lambda *_: iter([(2**31 - 1, 1)]))
    monkeypatch.setattr(pq, "ParquetFile", None)
    with pytest.raises(RecordError, match="has more than 134217728 bytes"):
        load_record(path)


def test_a_record_may_have_no_rows(tmp_path: Path) -> None:
    """A file without row groups; pyarrow writes no pages for a row group without rows, which is rejected."""
    path = stored(tmp_path, sample(0))
    table, metadata = pq.read_table(path).slice(0, 0), pq.read_metadata(path).metadata
    text = stored_provenance.unpack(metadata[METADATA_KEY])
    with pq.ParquetWriter(path, table.schema, write_statistics=False, store_schema=False) as writer:
        writer.add_key_value_metadata({**metadata, **digests_of(table, text)})
    assert read_footer(path.read_bytes()).rows == 0
    with pytest.raises(RecordError, match="is not inside the file"):
        load_record(rewritten(path, table, text))


def test_a_footer_ends_before_its_size() -> None:
    for octets in (b"\x18\x7f", b"\x15\x02", b"\x18\x08", b"\x19\xf5\x7f", b"\x00\x00"):
        content = b"PAR1" + octets + len(octets).to_bytes(4, "little") + b"PAR1"
        with pytest.raises(ValueError):
            read_footer(content)


@pytest.mark.parametrize("change", [{}, {2: 4}, {3: {}}, {2: b"4", 3: {}}, {2: 4, 3: 5}, {2: 4, 3: {}, 9: 1}], ids=str)
def test_a_column_of_other_fields_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[int, Any]
) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    struct = Reader.struct

    def changed(self: Reader, nesting: int = 0) -> dict[int, Any]:
        fields = struct(self, nesting)
        if nesting == 0:
            fields[4][0][1][-1] = change
        return fields

    monkeypatch.setattr(Reader, "struct", changed)
    with pytest.raises(ValueError, match="column"):
        read_footer(path.read_bytes())


@pytest.mark.parametrize(("number", "known"), [(2, True), (5, True), (6, True), (7, True), (4, False), (8, False)])
def test_a_row_group_has_no_other_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, known: bool
) -> None:
    content, struct = stored(tmp_path, sample(0)).read_bytes(), Reader.struct

    def changed(self: Reader, nesting: int = 0) -> dict[int, Any]:
        fields = struct(self, nesting)
        if nesting == 0:
            fields[4][0][number] = 0
        return fields

    monkeypatch.setattr(Reader, "struct", changed)
    if known:
        assert read_footer(content).rows == 1
        return
    with pytest.raises(ValueError, match="its row group has other fields"):
        read_footer(content)


@pytest.fixture
def chunk(tmp_path: Path) -> tuple[dict[int, Any], str, int, int, int]:
    """Return the arguments of `_place` for the times of a record with 20 rows."""
    path = stored(tmp_path, *(sample(index % 4, round) for round in range(5) for index in range(4)))
    found = read_footer(path.read_bytes())
    index = found.columns.index("wall_ns")
    return found._groups[0][1][index][3], "wall_ns", found._levels[index], 20, found._start


@pytest.mark.parametrize(
    "change",
    [
        {1: 1}, {1: 3}, {3: [b"a"]}, {3: [b"z"]}, {3: []}, {3: [b"wall_ns"] * 2}, {4: 2}, {5: 19}, {5: 21}, {2: [0, 4]},
        {2: [5]}, {7: -1}, {7: 1 << 40}, {9: 3}, {9: 1 << 40}, {11: 3}, {16: {2: [1]}}, {16: {3: [1]}}, {16: {3: [20]}},
        {16: {3: [0, 0, 0]}}, {16: {3: [-1, 20]}}, {16: {3: [0, 21]}}, {16: {3: [0, b"x"]}}, {8: 1}, {5: b"20"},
    ],
    ids=str,
)  # fmt: skip
def test_a_column_that_contradicts_the_footer_is_rejected(chunk: Any, change: dict[int, Any]) -> None:
    stored, *others = chunk
    start, end = _place(stored, *others)
    assert 4 <= start < end <= others[-1]
    with pytest.raises(ValueError, match="wall_ns"):
        _place(stored | change, *others)


def test_a_column_may_end_where_the_footer_begins(chunk: Any) -> None:
    stored, name, level, rows, end = chunk
    whole = {key: value for key, value in stored.items() if key != 11} | {9: 4, 7: end - 4}
    assert _place(whole, name, level, rows, end) == (4, end)
    # A dictionary lies before the data.
    assert _place(whole | {9: 9, 11: 5, 7: 6}, name, level, rows, end) == (5, 11)
    for change in ({7: end - 3}, {9: 3}):
        with pytest.raises(ValueError, match="is not inside the file"):
            _place(whole | change, name, level, rows, end)
    # Numbers of levels: none, or one for each level, each at most the number of rows.
    for counts in ({}, {3: []}, {3: [0] * level + [rows]}, {1: 7}):
        assert _place(whole | {16: counts}, name, level, rows, end) == (4, end)


def test_a_footer_does_not_begin_within_the_first_letters() -> None:
    for size in (1, 2, 9):
        content = b"PAR1" + bytes(size - 1) + size.to_bytes(4, "little") + b"PAR1"
        with pytest.raises(ValueError, match=f"its footer has {size} bytes, at most {size - 1} expected"):
            read_footer(content)
    with pytest.raises(ValueError, match="does not begin and end as a Parquet file"):
        read_footer(b"PAR1" + bytes(3) + b"PAR1")
