"""Reads records from Parquet files, and their provenance alone.

A record may be damaged or made by somebody else. Its digests are verified, its sizes limited, its values checked and
its names made printable here, so that the rest of aeadlab relies on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from aeadlab.bench.case import Case
from aeadlab.dimensions import NAMES
from aeadlab.display.nearest import hint
from aeadlab.display.printable import printable
from aeadlab.errors import Error, RecordError, UnknownRecordError
from aeadlab.host.bounded import read_file
from aeadlab.records import parquet, shape, stored_provenance
from aeadlab.records.columns import CHOICES, INTEGERS, LARGEST, OPTIONAL, TEXTS, TYPES
from aeadlab.records.digest import PROVENANCE_KEY, SAMPLES_KEY, check_sums, provenance_digest, samples_digest
from aeadlab.records.footer import Footer, read_footer
from aeadlab.records.record import Record

SCHEMA_VERSION: Final = 2
METADATA_KEY: Final = b"aeadlab"
"""Key of the provenance in the metadata of the Parquet file."""

_ADDED_COLUMNS: Final[dict[int, dict[str, str]]] = {1: {"flags": ""}}
"""By schema version: the columns that the next version added, with the values that records of this version get.
A missing dimension of a case has its default."""
_MAX_TEXT: Final = 1 << 12
"""Largest number of characters of a text in a column."""
_MAX_COLUMN: Final = 1 << 28
"""Largest column of text in bytes."""
_LARGEST_CODE: Final = 1 << 62


def load_record(path: str | Path) -> Record:
    """Read a record, with ``seconds``, ``gib_per_s`` and ``cycles_per_byte`` (of the time-stamp counter) added.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is damaged, not a record, without digests, too large, or of an unsupported schema version.
    aeadlab.errors.UnknownRecordError
        If there is no such file; the message suggests the stored record with the most similar name.
    """
    path = Path(path)
    return record_of(path, _content(path))


def record_of(path: Path, content: bytes) -> Record:
    """Return the record at `path`, whose Parquet file has this content; errors are those of `load_record`."""
    with _named(path):
        footer = read_footer(content)
        provenance, version = _provenance(footer)
        _check_version(version)
        shape.check(provenance)
        table = parquet.read_table(content, footer)
        if footer.metadata.get(SAMPLES_KEY) != samples_digest(table):
            raise ValueError("its samples are not those whose digest it holds")
        return Record(path, with_derived_columns(_samples(table)), provenance)


def provenance_of(path: Path) -> dict[str, Any]:
    """Read the provenance of a record of any schema version, without its samples.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is missing, damaged, not a record, without digests or too large.
    """
    content = _content(path)
    with _named(path):
        provenance, version = _provenance(read_footer(content))
        if not isinstance(version, int):
            raise ValueError(f"it has schema version {version}, a number expected")
        # The parts that this aeadlab uses must have its types in any version.
        shape.check(provenance)
        return provenance


def with_derived_columns(samples: pd.DataFrame) -> pd.DataFrame:
    """Add ``seconds`` of one execution, ``gib_per_s`` and ``cycles_per_byte`` to stored samples, in place."""
    executions = samples["batch"].where(samples["batch"] > 0)
    samples["seconds"] = samples["wall_ns"] / executions * 1e-9
    samples["gib_per_s"] = samples["bytes"] / samples["seconds"] / 2**30
    samples["cycles_per_byte"] = samples["tsc_ticks"] / executions / samples["bytes"].where(samples["bytes"] > 0)
    return samples


def _content(path: Path) -> bytes:
    try:
        content = read_file(path, parquet.MAX_FILE)
    except RecordError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        # Imported here, because that module reads records with this one.
        from aeadlab.records.lookup import stored_records

        stored = {one.name: one for one in stored_records()}
        near = hint(path.name, stored, "give the path of an existing file")
        raise UnknownRecordError(f"there is no record {path}: {near}") from error
    with _named(path):
        check_sums(path, content, 2 * stored_provenance.MAX_TEXT)
    return content


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Raise an error about a record's content with the name of its file."""
    try:
        yield
    except (RecordError, MemoryError):
        raise
    except (Error, ValueError) as error:
        raise RecordError(f"{path} is damaged or not a Parquet file of aeadlab ({error})") from error


def _provenance(footer: Footer) -> tuple[dict[str, Any], Any]:
    """Return the provenance and its schema version."""
    stored = footer.metadata
    packed = stored.get(METADATA_KEY)
    if packed is None:
        raise ValueError("it is a Parquet file, but not a record of aeadlab")
    if PROVENANCE_KEY not in stored or SAMPLES_KEY not in stored:
        raise ValueError(
            "it has no digests, as records before 23 November 2026: add them with tools/add_digests.py if you trust it"
        )
    try:
        text = stored_provenance.unpack(packed)
        if stored[PROVENANCE_KEY] != provenance_digest(text):
            raise ValueError("it is not the one whose digest the record holds")
        provenance = stored_provenance.parse(text)
        return provenance, provenance["schema"]
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"its provenance cannot be read: {error}") from error


def _check_version(version: Any) -> None:
    if not isinstance(version, int) or not min(_ADDED_COLUMNS) <= version <= SCHEMA_VERSION:
        raise ValueError(
            f"it has schema version {version}, this aeadlab reads {min(_ADDED_COLUMNS)} to {SCHEMA_VERSION}: use the "
            "version that wrote it"
        )


def _samples(table: pa.Table) -> pd.DataFrame:
    """Check the values of all columns, and return them as a frame with the columns that old records lack."""
    if missing := [name for name in TYPES if name not in table.column_names and name not in OPTIONAL]:
        raise ValueError(f"it has no column {', '.join(missing)}")
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    for name, least in INTEGERS.items():
        if name in columns and len(table):
            ends = pc.min_max(columns[name]).as_py()
            if ends["min"] < least or ends["max"] > LARGEST:
                raise ValueError(
                    f"column {name} has values from {ends['min']} to {ends['max']}, {least} to 2^53 expected"
                )
    codes: dict[str, np.ndarray[Any, Any]] = {}
    for name in TEXTS:
        if name in columns:
            columns[name], codes[name] = _texts(name, columns[name])
    _check_times(columns)
    _check_cases(columns, codes)
    frame: pd.DataFrame = pa.table(columns).to_pandas()
    return frame.assign(**{name: value for name, value in OPTIONAL.items() if name not in frame})


def _texts(name: str, column: pa.DictionaryArray) -> tuple[pa.StringArray, np.ndarray[Any, Any]]:
    """Return a column of text, printable, and the position of each row's text among those of the column."""
    indices = np.asarray(column.indices)
    given = column.dictionary.to_pylist()
    texts = [printable(text) for text in given]
    if len(set(texts)) < len(texts):
        raise ValueError(f"two texts of column {name} are equal or differ in unprintable characters only")
    used = np.bincount(indices, minlength=len(texts))
    lengths = np.array([len(text.encode()) for text in texts], dtype=np.int64)
    if len(texts) and (max(map(len, texts)) > _MAX_TEXT or int((used * lengths).sum()) > _MAX_COLUMN):
        raise ValueError(f"column {name} has a text of more than {_MAX_TEXT} characters, or {_MAX_COLUMN} bytes")
    choices = CHOICES.get(name)
    wrong = [text for text, times in zip(texts, used, strict=True) if times and choices and text not in choices]
    if choices and wrong:
        raise ValueError(f"column {name} has {wrong[0]!r}, one of {', '.join(choices)} expected")
    return pa.array(texts, pa.string()).take(column.indices), indices


def _check_times(columns: dict[str, pa.Array]) -> None:
    """Check that each sample took time, and that only rows without a sample have no batch."""
    batch, wall, order = (np.asarray(columns[name]) for name in ("batch", "wall_ns", "order"))
    if ((batch < 1) & (order >= 0)).any() or ((wall < 1) & (batch > 0)).any():
        raise ValueError("a sample has no execution, or took no time")


def _check_cases(columns: dict[str, pa.Array], codes: dict[str, np.ndarray[Any, Any]]) -> None:
    """Check that each row belongs to a possible case, and names its library and algorithm."""
    names = [name for name in (*NAMES, "library", "algorithm") if name in columns]
    combined, limit = np.zeros(len(columns["order"]), dtype=np.int64), 1
    for name in names:
        values = codes.get(name, np.asarray(columns[name]))
        if (values[:1] == values).all():
            continue
        part, different = pd.factorize(values)
        if limit * len(different) >= _LARGEST_CODE:
            combined, found = pd.factorize(combined)
            limit = len(found)
        combined, limit = combined * len(different) + part, limit * len(different)
    first = np.flatnonzero(~pd.Series(combined).duplicated())
    for row in pa.table({name: columns[name] for name in names}).take(pa.array(first)).to_pylist():
        Case.from_row({name: row[name] for name in NAMES if name in row})
        if row["implementation"] != f"{row['library']}/{row['algorithm']}":
            raise ValueError(f"implementation {row['implementation']!r} has library {row['library']!r}")
