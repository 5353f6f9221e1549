"""A study to measure on a host, and the record that the host returns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aeadlab import paths
from aeadlab.errors import RecordError
from aeadlab.records.digest import SUFFIX, sums
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record


@dataclass(frozen=True)
class Job:
    """The arguments of `aeadlab.measure`, in a form that can be sent."""

    id: str
    """Identifier of the caller's call, on which the measurement does not depend."""
    study: str
    profile: str
    plugins: tuple[str, ...] = ()
    """Absolute paths."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further keywords of `aeadlab.measure`, as JSON values."""


@dataclass(frozen=True)
class JobResult:
    """The contents of the two files of a host's record, or the reason why it has none."""

    name: str = ""
    """File name of the record on the host, without suffix; empty if there is no record."""
    parquet: bytes = b""
    provenance: bytes = b""
    sha256: str = ""
    """Hash of both contents, the Parquet file first."""
    failure: str = ""
    """Reason why there is no record; empty if there is one."""


def read_result(path: Path) -> JobResult:
    """Return the record at `path` as a result."""
    parquet, provenance = path.read_bytes(), path.with_suffix(".json").read_bytes()
    return JobResult(path.stem, parquet, provenance, hashlib.sha256(parquet + provenance).hexdigest())


def store_result(result: JobResult, label: str, folder: Path) -> Record:
    """Write a host's record as ``<its name>-<label>.parquet``, with the files beside it; existing files are kept."""
    if hashlib.sha256(result.parquet + result.provenance).hexdigest() != result.sha256:
        raise RecordError(f"record {result.name} was damaged in transit: repeat the command, the host still has it")
    path = folder / f"{result.name}-{label}.parquet"
    contents = {path.with_suffix(".json"): result.provenance, path: result.parquet}
    contents[path.with_suffix(SUFFIX)] = sums({file.name: content for file, content in contents.items()})
    for file, content in contents.items():
        _write_once(file, content)
    return load_record(path)


def _write_once(path: Path, content: bytes) -> None:
    try:
        paths.write_atomically(path, content, overwrite=False)
    except FileExistsError as error:
        # A host sends the same record again if it was not informed that the first one arrived.
        if path.read_bytes() != content:
            raise RecordError(
                f"{path} exists with other content and is left as it is: give another folder with --output and repeat "
                "the command, the host still has its record"
            ) from error
    except OSError as error:
        raise RecordError(
            f"{path} could not be written ({error.strerror}): repeat the command, the host still has its record"
        ) from error
