"""Finds stored records by study and age: file names, folders, and the latest record."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path

from aeadlab import paths
from aeadlab.bench.plan import Plan
from aeadlab.errors import RecordError
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record

_NAME = re.compile(r"(?P<study>.+)-(?P<stamp>\d{8}T\d{6}Z)-[^-]+\.parquet")


def file_name(plan: Plan) -> str:
    """Return the file name of a record of this plan that is stored now: study, UTC time and definition."""
    return f"{plan.study}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{plan.definition}.parquet"


def study_of(path: Path) -> str:
    """Return the study in a record's file name, or the whole stem of a file with another name."""
    match = _NAME.fullmatch(path.name)
    return match["study"] if match else path.stem


def records_of(study: str | None, folder: Path) -> list[Path]:
    """Return the records of a study, or of all studies, in `folder`, the oldest first."""
    matches = ((_NAME.fullmatch(path.name), path) for path in folder.glob("*.parquet"))
    stamped = [(match["stamp"], path) for match, path in matches if match and study in (None, match["study"])]
    return [path for _, path in sorted(stamped)]


def record_folders() -> list[Path]:
    """Return the folders to search for records: that of the results, then that of a checkout's reference records."""
    return [paths.results() / "records", *([paths.reference_records()] if paths.checkout() else [])]


def stored_records(study: str | None = None, folders: Iterable[Path] | None = None) -> list[Path]:
    """Return the records of a study, or of all studies, the oldest first.

    Parameters
    ----------
    folders
        Folders to search, `record_folders` by default. Records of a folder follow those of all folders after it,
        so that the user's records count as newer than the reference records.
    """
    by_name: dict[str, Path] = {}
    for folder in reversed(record_folders() if folders is None else list(folders)):
        for path in records_of(study, folder):
            # A copy of a reference record among the user's records is the same run.
            by_name.setdefault(path.name, path)
    return list(by_name.values())


def latest(study: str | None = None, folders: Iterable[Path] | None = None) -> Record:
    """Read the newest record of a study, or of all studies: the last of `stored_records`.

    Raises
    ------
    aeadlab.errors.RecordError
        If there is none, or it cannot be read.
    """
    folders = record_folders() if folders is None else list(folders)
    if records := stored_records(study, folders):
        return load_record(records[-1])
    which = f" of study {study}" if study is not None else ""
    raise RecordError(
        f"there is no record{which} in {' or '.join(map(str, folders))}: run `aeadlab measure {study or 'STUDY'}`"
    )
