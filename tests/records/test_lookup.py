from __future__ import annotations

import time
from pathlib import Path

import pytest

from aeadlab.errors import RecordError
from aeadlab.records import lookup
from aeadlab.records.lookup import latest, records_of, stored_records
from tests.conftest import WriteRecord
from tests.fixtures.journals import PLAN, sample, stored


def test_file_name_has_study_time_and_definition(tmp_path: Path) -> None:
    before = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = stored(tmp_path, sample(0))
    study, stamp, definition = path.stem.split("-")
    assert (study, definition) == ("study", PLAN.definition)
    assert before <= stamp <= time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def test_latest_is_the_newest_record_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {}
    for stamp in ("20260102T030405Z", "20270102T030405Z", "20260102T030406Z"):
        monkeypatch.setattr(lookup.time, "strftime", lambda *_, stamp=stamp: stamp)
        paths[stamp] = stored(tmp_path, sample(0))
    newest = paths["20270102T030405Z"]
    # A study with a longer name, and files that a crash left.
    newest.with_name(newest.name.replace("study-", "study-of-modes-").replace("2027", "2028")).write_bytes(b"")
    newest.with_name("study-xyz-20280102T030405Z-0.parquet").write_bytes(b"")
    newest.with_name(f".{newest.name}.77").write_bytes(b"")
    assert records_of("study", tmp_path) == sorted(paths.values())
    assert latest("study", [tmp_path / "nothing", tmp_path]).path == newest


def test_own_records_rank_as_newer_than_reference_records(write_record: WriteRecord, own_folders: Path) -> None:
    one = write_record("20260104T000000Z", folder=own_folders / "reference")
    assert latest("study").path == one
    own = write_record("20260101T000000Z")
    (own.parent / one.name).write_bytes(one.read_bytes())
    assert stored_records("study") == stored_records() == [one, own]
    assert stored_records("stud") == []
    assert latest().path == own


def test_latest_without_records_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"no record of study none in {tmp_path}: run `aeadlab measure none`"):
        latest("none", [tmp_path])
