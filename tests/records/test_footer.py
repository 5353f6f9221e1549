from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from aeadlab.errors import RecordError
from aeadlab.records import footer
from aeadlab.records.footer import _pages, read_footer
from aeadlab.records.reading import load_record
from tests.fixtures.journals import sample, stored


def varint(number: int) -> bytes:
    number, octets = number << 1, bytearray()
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


@pytest.mark.parametrize(
    "content",
    [
        page(0, 100, b"12345", 7)[:-1],
        page(1, 100, b"12345", 7),
        page(0, 100, b"12345", 7, encoding=5),
        page(0, 100, b"12345", 7) + b"\x15",
        page(0, 100, b"12345", 7).replace(b"\x15\x0a", b"\x15\x0b"),
        b"\0" * 9,
    ],
    ids=["truncated", "of an index", "of another encoding", "with more behind it", "of negative size", "empty"],
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
