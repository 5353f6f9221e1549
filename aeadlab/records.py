"""Records: one run's samples with their provenance, as Parquet, never overwritten."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aeadlab import listing, paths, stored_provenance
from aeadlab.bench.case import Case
from aeadlab.bench.flags import sample_flags
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.errors import ArgumentError, RecordError
from aeadlab.markup import element, joined, paragraph
from aeadlab.stats import medians
from aeadlab.stats.selection import counted

SCHEMA_VERSION = 2
_NEW_COLUMNS: dict[int, dict[str, str]] = {1: {"cache": "warm", "mask": "", "flags": ""}}
"""What the version after each added, and what records from before it had instead."""
_KEY = b"aeadlab"
_NUMBERS = (
    "bytes", "order", "wall_ns", "cpu_ns", "tsc_ticks", "minor_faults", "voluntary_switches", "involuntary_switches",
)  # fmt: skip
"""Columns of numbers that differ from row to row: their bytes compress by their place in the number, not by value."""
_SUFFIX = ".parquet"
_NAME = re.compile(rf"(?P<study>.+)-(?P<stamp>\d{{8}}T\d{{6}}Z)-[^-]+{re.escape(_SUFFIX)}")


@dataclass(frozen=True)
class Record:
    """A stored run.

    Attributes
    ----------
    samples
        One row per sample, columns as in ``data/README.md``; failed cases have one row with their reason. Its ``attrs``
        hold ``logical_cores`` and ``caches`` of the computer, and ``refused``: by name, why something was not timed.
    provenance
        Machine, builds, versions, plan and seed of the run.
    """

    path: Path
    samples: pd.DataFrame
    provenance: dict[str, Any]

    @property
    def study(self) -> str:
        """Name of the study."""
        return str(self.provenance["plan"]["study"])

    @property
    def not_timed(self) -> dict[str, str]:
        """What was asked for and has no samples that count: implementations refused and cases failed, and why."""
        failed = self.samples[self.samples["status"].str.startswith("failed: ") & (self.samples["order"] < 0)]
        rows: list[dict[str, Any]] = failed.to_dict("records")  # type: ignore[assignment]
        cases = {Case.from_row(row).label: row["status"].removeprefix("failed: ") for row in rows}
        return {**self.provenance.get("refused", {}), **cases}

    @cached_property
    def _medians(self) -> pd.DataFrame:
        return medians(self.samples) if counted(self.samples).any() else pd.DataFrame()

    def _about(self) -> str:
        machine = self.provenance.get("machine", {}).get("cpu_model_name")
        return (
            f"study {self.study}, profile {self.provenance['plan']['profile']['name']}, {len(self._medians)} cases, "
            f"{int(counted(self.samples).sum())} samples, {machine}"
        )

    def __repr__(self) -> str:
        lines = [*listing.as_text(self._medians), *(f"not timed: {why}" for why in listing.told(self.not_timed))]
        return "\n  ".join([f"<Record {self.path.name}: {self._about()}>", *lines])

    def _repr_html_(self) -> str:
        return joined(
            [
                paragraph(element("b", self.path.name), f": {self._about()}"),
                listing.as_html(self._medians),
                listing.reasons_html("Not timed:", self.not_timed),
            ]
        )


def from_journal(journal: Journal, provenance: dict[str, Any], folder: Path) -> Path:
    """Store a finished journal as ``<study>-<time>-<definition>.parquet`` with its provenance beside it.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file cannot be written; the journal is left as it is. A file that exists is not touched.
    """

    def named() -> Path:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return folder / f"{journal.plan.study}-{stamp}-{journal.plan.definition}{_SUFFIX}"

    path = named()
    provenance = {
        "schema": SCHEMA_VERSION,
        "plan": journal.plan.to_json(),
        "definition": journal.plan.definition,
        "notes": journal.notes,
        **provenance,
    }
    text = stored_provenance.as_text(provenance)
    kinds = {name: facts["kind"] for name, facts in provenance.get("implementations", {}).items()}
    table = pa.Table.from_pandas(_frame(journal, kinds, provenance.get("quality", [])), preserve_index=False)
    partial, beside = (path.with_name(f".{path.name}.{os.getpid()}{end}") for end in ("", ".json"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Of numbers that are all different a dictionary only adds to the size.
        texts = [field.name for field in table.schema if not pa.types.is_primitive(field.type)]
        with pq.ParquetWriter(
            partial,
            table.schema,
            compression="zstd",
            compression_level=19,
            use_dictionary=texts,
            column_encoding=dict.fromkeys(_NUMBERS, "BYTE_STREAM_SPLIT"),
        ) as writer:
            writer.write_table(table)
            # Were it metadata of the schema, Arrow would store it a second time, in base64.
            writer.add_key_value_metadata({_KEY: stored_provenance.packed(text)})
        # Both are whole before either has its name: samples that are in a record must not be stored once more.
        beside.write_text(text + "\n", encoding="utf-8")
        # A hard link fails where the name is taken, which a rename would not.
        try:
            os.link(partial, path)
        except FileExistsError:
            # A short run of the same plan ended in this second as well; the next one is free.
            time.sleep(1)
            path = named()
            os.link(partial, path)
        beside.replace(path.with_suffix(".json"))
    except OSError as error:
        # Arrow puts its own words into `strerror`.
        why = os.strerror(error.errno) if error.errno else error
        raise RecordError(f"{path} could not be written: {why}; the samples are in {journal.path}") from error
    finally:
        for left in (partial, beside):
            with contextlib.suppress(OSError):
                left.unlink()
    return path


def _frame(journal: Journal, kinds: dict[str, str], quality: list[str]) -> pd.DataFrame:
    rows = [case.row() for case in journal.plan.cases]
    samples = pd.DataFrame(journal.samples, columns=list(SAMPLE_FIELDS)).astype("int64")
    samples.insert(0, "order", range(len(samples)))
    samples["warmup"] = samples["warmup"].astype(bool)
    samples["status"] = "ok"
    nothing = dict.fromkeys(SAMPLE_FIELDS, 0) | {"order": -1, "round": -1, "warmup": True}
    failed = pd.DataFrame(
        [nothing | {"case": case, "status": f"failed: {why}"} for case, why in journal.failures.items()],
        columns=samples.columns,
    ).astype(samples.dtypes.to_dict())
    # Samples that a case gave before it failed stay, but cannot be taken for good ones.
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


def load_record(path: str | Path) -> Record:
    """Read a record, with ``seconds``, ``gib_per_s`` and ``cycles_per_byte`` (of the time-stamp counter) added.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is missing, damaged, no record, or of another schema version.
    """
    path = Path(path)
    if not path.is_file():
        raise RecordError(f"there is no record {path}")
    try:
        with pq.ParquetFile(path) as file:
            table, kept = file.read(), file.metadata
    except (OSError, pa.ArrowException) as error:
        raise RecordError(f"{path} is damaged or no Parquet file ({str(error).splitlines()[0]})") from error
    provenance, version = _provenance(path, kept)
    samples = table.to_pandas()
    for upgrade in range(version, SCHEMA_VERSION) if version in _NEW_COLUMNS else ():
        samples = samples.assign(**_NEW_COLUMNS[upgrade])
        version = upgrade + 1
    if version != SCHEMA_VERSION:
        raise RecordError(
            f"{path} has schema version {version}, this aeadlab reads {min(_NEW_COLUMNS)} to {SCHEMA_VERSION}: use the "
            "version that wrote it"
        )
    samples = _with_derived(samples)
    samples.attrs.update(_circumstances(provenance))
    return Record(path, samples, provenance)


def _circumstances(provenance: dict[str, Any]) -> dict[str, Any]:
    """What figures need to know: logical cores, bytes of the data caches that a core has, and what is missing."""
    machine = provenance.get("machine") or {}
    caches = {
        f"L{cache['level']}": cache["size"]
        for cache in machine.get("caches") or ()
        if cache.get("type") != "instruction" and cache.get("size")
    }
    cores = machine.get("cpu_affinity_count") or machine.get("cpu_count")
    return {"logical_cores": cores, "caches": caches, "refused": provenance.get("refused") or {}}


def provenance_of(path: Path) -> dict[str, Any]:
    """The provenance of a record, without its samples, whatever the schema version.

    Raises
    ------
    aeadlab.errors.RecordError
        If the file is missing, damaged or no record.
    """
    try:
        kept = pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise RecordError(f"{path} is damaged or no Parquet file ({str(error).splitlines()[0]})") from error
    return _provenance(path, kept)[0]


def _provenance(path: Path, kept: pq.FileMetaData) -> tuple[dict[str, Any], Any]:
    """The provenance and its schema version."""
    text = (kept.metadata or {}).get(_KEY)
    if text is None:
        raise RecordError(f"{path} is a Parquet file, but not a record of aeadlab")
    try:
        provenance = stored_provenance.from_text(text)
        return provenance, provenance["schema"]
    except (LookupError, TypeError, ValueError) as error:
        raise RecordError(f"{path} is damaged: its provenance cannot be read ({error!r})") from error


def _with_derived(samples: pd.DataFrame) -> pd.DataFrame:
    per_message = samples["batch"].where(samples["batch"] > 0)
    samples["seconds"] = samples["wall_ns"] / per_message * 1e-9
    samples["gib_per_s"] = samples["bytes"] / samples["seconds"] / 2**30
    samples["cycles_per_byte"] = samples["tsc_ticks"] / per_message / samples["bytes"].where(samples["bytes"] > 0)
    return samples


def records_of(study: str | None, folder: Path) -> list[Path]:
    """Records of a study, or of all, in `folder`, the oldest first."""
    named = ((_NAME.fullmatch(path.name), path) for path in folder.glob(f"*{_SUFFIX}"))
    found = [(match["stamp"], path) for match, path in named if match and study in (None, match["study"])]
    return [path for _, path in sorted(found)]


def study_of(path: Path) -> str:
    """The study in a record's file name."""
    match = _NAME.fullmatch(path.name)
    return match["study"] if match else path.stem


def record_folders() -> list[Path]:
    """Where records are looked for: the results folder, then the reference records of a checkout."""
    return [paths.results() / "records", *([paths.reference_records()] if paths.checkout() else [])]


def stored_records(study: str | None = None, folders: Iterable[Path] | None = None) -> list[Path]:
    """Records of a study, or of all, the oldest first.

    Parameters
    ----------
    folders
        Where to look, `record_folders` by default. What lies in one counts as newer than all in those after it, so the
        reference records count as older than any of one's own.
    """
    found: dict[str, Path] = {}
    for folder in reversed(record_folders() if folders is None else list(folders)):
        for path in records_of(study, folder):
            # A copy of a reference record among one's own is the same run.
            found.setdefault(path.name, path)
    return list(found.values())


def latest(study: str | None = None, folders: Iterable[Path] | None = None) -> Record:
    """The newest record of a study, or of all: the last of `stored_records`.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is none.
    """
    folders = record_folders() if folders is None else list(folders)
    if found := stored_records(study, folders):
        return load_record(found[-1])
    of = f" of study {study}" if study is not None else ""
    raise RecordError(
        f"there is no record{of} in {' or '.join(map(str, folders))}: run `aeadlab measure {study or 'STUDY'}`"
    )


def check_folder(folder: Path) -> None:
    """Make `folder` and see whether it can be written, before hours of measuring.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it cannot.
    """
    probe = folder / f".writable-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ArgumentError(f"output folder {folder} cannot be written ({error.strerror}): choose another") from error
