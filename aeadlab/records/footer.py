"""The footer of a record's Parquet file and the headers of its pages, checked before pyarrow reads the file.

pyarrow ends the process at some damaged footers, and allocates what the header of a page states. Only what
`aeadlab.records.parquet.write` writes is accepted. The numbers of fields are those of parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aeadlab.records.columns import INTEGERS, TEXTS, TYPES
from aeadlab.records.thrift import Reader

MAX_FOOTER: Final = 1 << 24
"""Largest footer in bytes, which includes the compressed provenance."""
MAX_ROWS: Final = 1 << 23
MAX_ROW_GROUPS: Final = 1 << 8
MAX_COLUMN: Final = 1 << 27
"""Largest uncompressed column in bytes, over all row groups."""

_MAGIC: Final = b"PAR1"
_WRITER: Final = b"parquet-cpp-arrow"
_CODECS: Final = (0, 1, 6)
"""None, Snappy and Zstandard."""
_ENCODINGS: Final = (0, 2, 3, 8, 9)
"""PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY and BYTE_STREAM_SPLIT."""
_TYPE: Final[dict[str, dict[int, Any]]] = {
    **dict.fromkeys(TEXTS, {1: 6, 6: 0, 10: {1: {}}}),
    **dict.fromkeys(INTEGERS, {1: 2}),
    "warmup": {1: 0},
}
"""Type, converted type and logical type in the schema of each column: text, INT64, BOOLEAN."""
_PAGES: Final[dict[int, tuple[int, int, dict[int, type]]]] = {
    0: (5, 2, dict.fromkeys((1, 2, 3, 4), int)),
    2: (7, 2, {1: int, 2: int}),
    3: (8, 4, dict.fromkeys((1, 2, 3, 4, 5, 6), int)),
}
"""By type, that of data, a dictionary, and data of version 2: the field of a page header with more about the page, and
there the number of the encoding and the required fields."""
_OPTIONAL: Final[dict[int, dict[int, type]]] = {0: {5: dict}, 2: {3: bool}, 3: {7: bool, 8: dict}}
"""The optional fields; those of type dict are statistics, which are empty."""


@dataclass(frozen=True)
class Footer:
    """What a footer states.

    Attributes
    ----------
    columns
        Names of the columns in order.
    rows
        Their number in all row groups.
    metadata
        Texts by key.
    """

    columns: tuple[str, ...]
    rows: int
    metadata: Mapping[bytes, bytes]
    _groups: tuple[dict[int, Any], ...]
    _levels: tuple[int, ...]
    _start: int

    def check_pages(self, content: bytes) -> None:
        """Check the sizes that the headers of all pages state.

        Raises
        ------
        ValueError
            If a header is damaged, or a size exceeds its limit.
        """
        for index, name in enumerate(self.columns):
            size = 0
            for group in self._groups:
                start, end = _place(group[1][index][3], name, self._levels[index], group[3], self._start)
                for uncompressed, values in _pages(content, start, end):
                    size += uncompressed
                    if size > MAX_COLUMN or values > group[3]:
                        raise ValueError(f"column {name} has more than {MAX_COLUMN} bytes, or more values than rows")


def read_footer(content: bytes) -> Footer:
    """Return the footer.

    Raises
    ------
    ValueError
        If it is no footer of a record, or a number exceeds its limit.
    """
    if len(content) < 12 or content[:4] != _MAGIC or content[-4:] != _MAGIC:
        raise ValueError("it does not begin and end as a Parquet file")
    size, most = int.from_bytes(content[-8:-4], "little"), min(MAX_FOOTER, len(content) - 12)
    if size > most:
        raise ValueError(f"its footer has {size} bytes, at most {most} expected")
    start = len(content) - 8 - size
    reader = Reader(content, start, len(content) - 8)
    fields = _fields(reader.struct(), "footer", {1: int, 2: list, 3: int, 4: list, 5: list, 6: bytes}, {7: list})
    if not fields[6].startswith(_WRITER) or reader.place != len(content) - 8:
        raise ValueError(f"it was written by {fields[6][:60]!r}, {_WRITER!r} expected")
    metadata = [_fields(each, "metadata", {1: bytes, 2: bytes}) for each in fields[5]]
    names, levels = _columns(fields[2])
    groups = [_fields(each, "row group", {1: list, 3: int}, dict.fromkeys((2, 5, 6, 7), int)) for each in fields[4]]
    rows = sum(group[3] for group in groups)
    if rows != fields[3] or not 0 <= rows <= MAX_ROWS or any(group[3] < 0 for group in groups):
        raise ValueError(f"{fields[3]} rows, and {rows} in its row groups: 0 to {MAX_ROWS} expected")
    if len(groups) > MAX_ROW_GROUPS or any(len(group[1]) != len(names) for group in groups):
        raise ValueError(f"{len(groups)} row groups: at most {MAX_ROW_GROUPS} with all columns expected")
    if any(each != {1: {}} for each in fields.get(7, ())) or len(fields.get(7, names)) != len(names):
        raise ValueError("its columns have no standard order")
    for group in groups:
        group[1] = [_fields(each, "column", {2: int, 3: dict}) for each in group[1]]
    texts = {each[1]: each[2] for each in metadata}
    return Footer(tuple(names), rows, texts, tuple(groups), tuple(levels), start)


def _columns(schema: list[Any]) -> tuple[list[str], list[int]]:
    """Return names and largest definition levels of the columns."""
    root, *leaves = [
        _fields(each, "schema", {4: bytes}, {1: int, 3: int, 5: int, 6: int, 10: dict}) for each in schema
    ] or [{}]
    if root.keys() - {3} != {4, 5} or root.get(3, 0) != 0 or root[5] != len(leaves) or len(leaves) > len(TYPES):
        raise ValueError(f"{len(leaves)} columns, at most {len(TYPES)} expected, and none in another")
    names = [leaf[4].decode("utf-8", "replace") for leaf in leaves]
    for name, leaf in zip(names, leaves, strict=True):
        kind = {key: value for key, value in leaf.items() if key not in (3, 4)}
        if name not in _TYPE:
            raise ValueError(f"column {name[:60]!r} is not one of a record: data/README.md lists them")
        if kind != _TYPE[name] or leaf.get(3) not in (0, 1):
            raise ValueError(f"column {name} is not of {'text' if name in TEXTS else TYPES[name]}")
    if len(set(names)) < len(names):
        raise ValueError("a column occurs twice")
    return names, [leaf[3] for leaf in leaves]


def _place(stored: dict[int, Any], name: str, level: int, rows: int, end_of_data: int) -> tuple[int, int]:
    """Return where a column chunk starts and ends."""
    required = {1: int, 2: list, 3: list, 4: int, 5: int, 6: int, 7: int, 9: int}
    chunk = _fields(stored, f"column {name}", required, {11: int, 13: list, 16: dict})
    counts = _fields(chunk.get(16, {}), f"column {name}", {}, {1: int, 2: list, 3: list})
    levels = [0, level + 1]
    if (
        chunk[1] != _TYPE[name][1]
        or chunk[3] != [name.encode()]
        or chunk[4] not in _CODECS
        or chunk[5] != rows
        or not all(encoding in _ENCODINGS for encoding in chunk[2])
        or counts.get(2)
        or len(counts.get(3, ())) not in levels
        or any(not isinstance(count, int) or not 0 <= count <= rows for count in counts.get(3, ()))
    ):
        raise ValueError(f"the footer contradicts itself about column {name}")
    start = min(chunk[9], chunk.get(11, chunk[9]))
    if not len(_MAGIC) <= start <= start + chunk[7] <= end_of_data:
        raise ValueError(f"column {name} is not inside the file")
    return start, start + chunk[7]


def _pages(content: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return uncompressed size and number of values of each page in ``content[start:end]``."""
    while start < end:
        reader = Reader(content, start, end)
        page = _fields(reader.struct(), "page", {1: int, 2: int, 3: int, 4: int}, dict.fromkeys((5, 7, 8), dict))
        field, encoding, types = _PAGES.get(page[1], (0, 0, {}))
        if field not in page or len(page) != 5 or page[2] < 0 or page[3] < 0:
            raise ValueError(f"the page at byte {start} is of an unknown type, without a checksum or without a size")
        head = _fields(page[field], "page", types, _OPTIONAL[page[1]])
        if head[1] < 0 or head[encoding] not in _ENCODINGS or any(each for each in head.values() if type(each) is dict):
            raise ValueError(f"the page at byte {start} has encoding {head[encoding]} and {head[1]} values")
        start = reader.place + page[3]
        if start > end:
            raise ValueError(f"the page at byte {reader.place} does not end within its column")
        yield page[2], head[1]


def _fields(
    struct: Any, noun: str, required: Mapping[int, type], optional: Mapping[int, type] | None = None
) -> dict[int, Any]:
    """Return a struct whose fields have these types, and which has no others."""
    types = {**(optional or {}), **required}
    if not isinstance(struct, dict) or not required.keys() <= struct.keys() <= types.keys():
        raise ValueError(f"its {noun} has other fields than that of a record")
    if any(type(value) is not types[number] for number, value in struct.items()):
        raise ValueError(f"its {noun} has a field of another type than that of a record")
    return struct
