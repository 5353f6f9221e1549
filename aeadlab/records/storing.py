"""Stores the samples of a journal as a record; an existing record is never overwritten."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from aeadlab import paths
from aeadlab.bench.flags import sample_flags
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.errors import RecordError
from aeadlab.records import parquet, stored_provenance
from aeadlab.records.columns import TEXTS
from aeadlab.records.digest import PROVENANCE_KEY, SAMPLES_KEY, SUFFIX, provenance_digest, samples_digest, sums
from aeadlab.records.lookup import file_name
from aeadlab.records.reading import METADATA_KEY, SCHEMA_VERSION, record_of
from aeadlab.records.record import Record


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
    text = stored_provenance.to_text(provenance).encode()
    kinds = {name: facts["kind"] for name, facts in provenance.get("implementations", {}).items()}
    content = sealed(pa.Table.from_pandas(_frame(journal, kinds, provenance.get("quality", []))), text)
    path = folder / file_name(journal.plan)
    # A record that cannot be read must not take the place of its journal.
    record = record_of(path, content)
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
    return replace(record, path=path)


def sealed(table: pa.Table, text: bytes) -> bytes:
    """Return the Parquet file of a record from its samples and its provenance as JSON, with the digests of both."""
    # Only values are stored: no digest covers the metadata with which pandas describes a table.
    plain = pa.table(
        {name: table[name].cast(pa.string()) if name in TEXTS else table[name] for name in table.column_names}
    )
    return parquet.write(plain, {METADATA_KEY: stored_provenance.pack(text), **digests_of(plain, text)})


def digests_of(table: pa.Table, text: bytes) -> dict[bytes, bytes]:
    """Return the entries of the metadata with the digests of samples and of the provenance as JSON."""
    return {SAMPLES_KEY: samples_digest(table), PROVENANCE_KEY: provenance_digest(text)}


def _write(path: Path, samples: bytes, provenance: bytes) -> None:
    """Write all files of a record, or none: samples that are in a record must not be stored a second time."""
    contents = {path.with_suffix(".json"): provenance + b"\n", path: samples}
    listed = sums({file.name: content for file, content in contents.items()})
    written: list[Path] = []
    try:
        for file, content in {path.with_suffix(SUFFIX): listed, **contents}.items():
            paths.write_atomically(file, content, overwrite=False)
            written.append(file)
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise


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
