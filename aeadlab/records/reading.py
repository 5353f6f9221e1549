"""Reads records from Parquet files, and their provenance alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aeadlab.dimensions import DIMENSIONS
from aeadlab.errors import RecordError
from aeadlab.records import stored_provenance
from aeadlab.records.record import Record

SCHEMA_VERSION: Final = 2
METADATA_KEY: Final = b"aeadlab"
"""Key of the provenance in the metadata of the Parquet file."""

_ADDED_COLUMNS: Final[dict[int, dict[str, str]]] = {1: {"flags": ""}}
"""By schema version: the columns that the next version added, with the values that records of this version get.
A missing dimension of a case has its default."""


def load_record(path: str | Path) -> Record:
    """Read a record, with ``seconds``, ``gib_per_s`` and ``cycles_per_byte`` (of the time-stamp counter) added.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is missing, damaged, not a record, or of an unsupported schema version.
    """
    path = Path(path)
    if not path.is_file():
        raise RecordError(f"there is no record {path}")
    try:
        with pq.ParquetFile(path) as file:
            table, metadata = file.read(), file.metadata
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, error) from error
    provenance, version = _provenance(path, metadata)
    samples = table.to_pandas()
    for upgrade in range(version, SCHEMA_VERSION) if version in _ADDED_COLUMNS else ():
        samples = samples.assign(**_ADDED_COLUMNS[upgrade])
        version = upgrade + 1
    if version != SCHEMA_VERSION:
        raise RecordError(
            f"{path} has schema version {version}, this aeadlab reads {min(_ADDED_COLUMNS)} to {SCHEMA_VERSION}: use "
            "the version that wrote it"
        )
    missing = {d.name: d.default for d in DIMENSIONS if d.default is not None and d.name not in samples}
    return Record(path, with_derived_columns(samples.assign(**missing)), provenance)


def provenance_of(path: Path) -> dict[str, Any]:
    """Read the provenance of a record of any schema version, without its samples.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is missing, damaged or not a record.
    """
    try:
        metadata = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, error) from error
    return _provenance(path, metadata)[0]


def with_derived_columns(samples: pd.DataFrame) -> pd.DataFrame:
    """Add ``seconds`` of one execution, ``gib_per_s`` and ``cycles_per_byte`` to stored samples, in place."""
    executions = samples["batch"].where(samples["batch"] > 0)
    samples["seconds"] = samples["wall_ns"] / executions * 1e-9
    samples["gib_per_s"] = samples["bytes"] / samples["seconds"] / 2**30
    samples["cycles_per_byte"] = samples["tsc_ticks"] / executions / samples["bytes"].where(samples["bytes"] > 0)
    return samples


def _provenance(path: Path, metadata: pq.FileMetaData) -> tuple[dict[str, Any], Any]:
    """Return the provenance and its schema version."""
    text = (metadata.metadata or {}).get(METADATA_KEY)
    if text is None:
        raise RecordError(f"{path} is a Parquet file, but not a record of aeadlab")
    try:
        provenance = stored_provenance.parse(text)
        return provenance, provenance["schema"]
    except (LookupError, TypeError, ValueError) as error:
        raise RecordError(f"{path} is damaged: its provenance cannot be read ({error!r})") from error


def _damaged(path: Path, error: Exception) -> RecordError:
    return RecordError(f"{path} is damaged or not a Parquet file ({str(error).splitlines()[0]})")
