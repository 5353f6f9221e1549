"""The BLAKE3 digests of a record: of its samples and provenance inside the file, and of its files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from blake3 import blake3

from aeadlab.host.bounded import read_file

SAMPLES_KEY: Final = b"aeadlab-blake3-samples"
PROVENANCE_KEY: Final = b"aeadlab-blake3-provenance"
"""Keys of the digests in the metadata of the Parquet file; they are hexadecimal."""
SUFFIX: Final = ".b3"
"""Of the file beside a record with the digests of its files, which `b3sum --check` reads."""

_MAX_SUMS: Final = 1 << 14


def samples_digest(table: pa.Table) -> bytes:
    """Return the digest of samples, which does not depend on how they are compressed and encoded.

    For each column in order: ``NAME TYPE ROWS`` and a line feed, then its values, eight bytes for an integer (little
    endian), and one for a bool. Text: the different texts in the order of their first rows, each as the number of its
    bytes (eight bytes) and UTF-8; the number 2^64 - 1; for each row the position of its text (four bytes).

    Parameters
    ----------
    table
        Columns of integers, bools, and text, which may be dictionaries.
    """
    hasher = blake3()
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.combine_chunks()
        if pa.types.is_string(values.type):
            values = values.dictionary_encode()
        kind = "text" if pa.types.is_dictionary(values.type) else str(values.type)
        hasher.update(f"{name} {kind} {len(values)}\n".encode())
        if kind == "text":
            texts = values.dictionary.to_pylist()
            codes, used = pd.factorize(np.asarray(values.indices))
            for code in used:
                octets = texts[code].encode()
                hasher.update(len(octets).to_bytes(8, "little"))
                hasher.update(octets)
            hasher.update(b"\xff" * 8)
            hasher.update(np.ascontiguousarray(codes, dtype="<u4").view(np.uint8).data)
        else:
            numbers = values.cast(pa.uint8()) if kind == "bool" else values
            hasher.update(np.ascontiguousarray(numbers.to_numpy(zero_copy_only=False)).view(np.uint8).data)
    return hasher.hexdigest().encode()


def provenance_digest(text: bytes) -> bytes:
    """Return the digest of a provenance as JSON text."""
    return blake3(text).hexdigest().encode()


def sums(contents: dict[str, bytes]) -> bytes:
    """Return a line for each file in the form of b3sum: digest, two spaces and file name."""
    return "".join(f"{blake3(content).hexdigest()}  {name}\n" for name, content in contents.items()).encode()


def check_sums(path: Path, content: bytes, limit: int) -> None:
    """Check the content of a record, and its JSON file, against the digests beside them, where there are any.

    Raises
    ------
    ValueError
        If a digest differs, or that of a file is missing among those beside the record.
    aeadlab.errors.RecordError
        If a file beside the record cannot be read.
    """
    beside = path.with_suffix(SUFFIX)
    if not beside.exists():
        return
    lines = read_file(beside, _MAX_SUMS, "file of digests").decode("utf-8", "replace").splitlines()
    digests = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    files = {path: content}
    if (provenance := path.with_suffix(".json")).exists():
        files[provenance] = read_file(provenance, limit, "provenance")
    for file, octets in files.items():
        if digests.get(file.name) != blake3(octets).hexdigest():
            raise ValueError(f"the digest of {file.name} is not in {beside.name}: copy all files of the record again")
