"""Stores the samples of a journal as a record; an existing record is never overwritten."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aeadlab import paths
from aeadlab.bench.flags import sample_flags
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.errors import RecordError
from aeadlab.records import stored_provenance
from aeadlab.records.lookup import file_name
from aeadlab.records.reading import METADATA_KEY, SCHEMA_VERSION, with_derived_columns
from aeadlab.records.record import Record

_COUNTERS: Final = (
    "bytes", "order", "wall_ns", "cpu_ns", "tsc_ticks", "minor_faults", "voluntary_switches", "involuntary_switches",
)  # fmt: skip
"""Columns that compress better with the encoding BYTE_STREAM_SPLIT, which groups bytes of equal significance."""


def store_journal(journal: Journal, provenance: dict[str, Any], folder: Path) -> Record:
    """Store a finished journal as ``<study>-<time>-<definition>.parquet``, and its provenance as JSON beside it.

    Returns
    -------
    Record
        Equal to the result of `aeadlab.records.reading.load_record` for the stored file.

    Raises
    ------
    aeadlab.errors.RecordError
        If the files cannot be written; the journal and existing files are unchanged.
    """
    provenance = {
        "schema": SCHEMA_VERSION,
        "plan": journal.plan.to_json(),
        "definition": journal.plan.definition,
        "notes": journal.notes,
        **provenance,
    }
    text = stored_provenance.to_text(provenance)
    kinds = {name: facts["kind"] for name, facts in provenance.get("implementations", {}).items()}
    table = pa.Table.from_pandas(_frame(journal, kinds, provenance.get("quality", [])), preserve_index=False)
    content = _parquet(table, stored_provenance.pack(text))
    path = folder / file_name(journal.plan)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _write(path, content, text)
        except FileExistsError:
            # Another run of the same plan ended within this second.
            time.sleep(1)
            path = folder / file_name(journal.plan)
            _write(path, content, text)
    except OSError as error:
        raise RecordError(
            f"{path} could not be written: {error.strerror}; the samples are in {journal.path}"
        ) from error
    return Record(path, with_derived_columns(table.to_pandas()), stored_provenance.parse(text))


def _write(path: Path, samples: bytes, provenance: str) -> None:
    """Write both files of a record, or neither: samples that are in a record must not be stored a second time."""
    beside = path.with_suffix(".json")
    paths.write_atomically(beside, f"{provenance}\n", overwrite=False)
    try:
        paths.write_atomically(path, samples, overwrite=False)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _parquet(table: pa.Table, provenance: bytes) -> bytes:
    # A dictionary of distinct numbers only adds to the size.
    texts = [field.name for field in table.schema if not pa.types.is_primitive(field.type)]
    buffer = pa.BufferOutputStream()
    with pq.ParquetWriter(
        buffer,
        table.schema,
        compression="zstd",
        compression_level=19,
        use_dictionary=texts,
        column_encoding=dict.fromkeys(_COUNTERS, "BYTE_STREAM_SPLIT"),
    ) as writer:
        writer.write_table(table)
        # Arrow stores metadata of the schema a second time, in base64; metadata of the file it stores once.
        writer.add_key_value_metadata({METADATA_KEY: provenance})
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def _frame(journal: Journal, kinds: dict[str, str], quality: list[str]) -> pd.DataFrame:
    rows = [case.row() for case in journal.plan.cases]
    samples = pd.DataFrame(journal.samples, columns=list(SAMPLE_FIELDS)).astype("int64")
    samples.insert(0, "order", range(len(samples)))
    samples["warmup"] = samples["warmup"].astype(bool)
    samples["status"] = "ok"
    no_sample = dict.fromkeys(SAMPLE_FIELDS, 0) | {"order": -1, "round": -1, "warmup": True}
    failed = pd.DataFrame(
        [no_sample | {"case": case, "status": f"failed: {reason}"} for case, reason in journal.failures.items()],
        columns=samples.columns,
    ).astype(samples.dtypes.to_dict())
    # Samples taken before the case failed are kept, and belong to no statistic.
    samples.loc[samples["case"].isin(journal.failures), "status"] = "failed: the case failed later"
    samples = pd.concat([samples, failed], ignore_index=True)
    samples["flags"] = sample_flags(samples, quality)
    cases = pd.DataFrame(rows, index=range(len(rows)))
    library_algorithm = cases["implementation"].str.split("/", n=1, expand=True)
    cases.insert(1, "library", library_algorithm[0])
    cases.insert(2, "algorithm", library_algorithm[1])
    cases.insert(3, "kind", cases["implementation"].map(kinds).fillna("unknown"))
    frame = cases.loc[samples["case"].to_numpy()].reset_index(drop=True)
    return pd.concat([frame, samples.drop(columns="case")], axis=1)
