"""The Parquet file of a record: how it is written, and how it is read within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from aeadlab.records.columns import TEXTS, TYPES
from aeadlab.records.footer import MAX_FOOTER, Footer

MAX_FILE: Final = 1 << 28
"""Largest Parquet file in bytes."""

_COUNTERS: Final = (
    "order", "wall_ns", "cpu_ns", "tsc_ticks", "minor_faults", "voluntary_switches", "involuntary_switches",
)  # fmt: skip
"""Columns that compress better with the encoding BYTE_STREAM_SPLIT, which groups bytes of equal significance."""


def write(table: pa.Table, metadata: Mapping[bytes, bytes]) -> bytes:
    """Return the file with a checksum for each page, and `metadata` in its footer."""
    buffer = pa.BufferOutputStream()
    with pq.ParquetWriter(
        buffer,
        table.schema,
        compression="zstd",
        compression_level=19,
        # For numbers that are nearly all distinct, a dictionary only adds to the size.
        use_dictionary=[name for name in table.column_names if name not in _COUNTERS],
        column_encoding={name: "BYTE_STREAM_SPLIT" for name in _COUNTERS if name in table.column_names},
        write_page_checksum=True,
        # No digest covers them.
        write_statistics=False,
        store_schema=False,
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(dict(metadata))
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def read_table(content: bytes, footer: Footer) -> pa.Table:
    """Return the columns with the types of `aeadlab.records.columns`, each in one chunk, and without metadata.

    Raises
    ------
    ValueError
        If a value is missing, a page is damaged, or a size exceeds its limit.
    """
    footer.check_pages(content)
    try:
        with pq.ParquetFile(
            pa.BufferReader(content),
            read_dictionary=[name for name in footer.columns if name in TEXTS],
            thrift_string_size_limit=MAX_FOOTER,
            page_checksum_verification=True,
        ) as file:
            table = file.read().unify_dictionaries().combine_chunks()
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        raise ValueError((str(error).splitlines() or [type(error).__name__])[0]) from error
    for name, column in zip(footer.columns, table.columns, strict=True):
        if column.type != TYPES[name] or column.null_count or len(column) != footer.rows:
            raise ValueError(f"column {name} holds {column.type} with {column.null_count} missing values")
    return table.replace_schema_metadata(None)
