from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aeadlab import records
from aeadlab.bench.case import Case
from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.plan import Plan
from aeadlab.bench.profile import Profile
from aeadlab.errors import ArgumentError, RecordError
from aeadlab.records import (
    check_folder,
    from_journal,
    latest,
    load_record,
    provenance_of,
    records_of,
    stored_records,
)

WriteRecord = Callable[..., Path]

CASES = (
    Case("openssl/aes-256-gcm", "seal", 1 << 20),
    Case("aeadlab/aes-256-ctr+blake3", "open", 4096, engine="parsplit", block_size=1024, threads=2, schedule="rayon"),
    Case("blake3/blake3", "digest", 0),
    Case("openssl/aes-256-gcm", "seal", 1 << 20, replica=1),
)
PLAN = Plan("study", Profile("tiny", 1 << 20, 2, 0.0, 0.0, None), CASES, seed=5)
PROVENANCE = {"implementations": {"openssl/aes-256-gcm": {"kind": "aead"}, "blake3/blake3": {"kind": "hash"}}}

TEXT = (
    *("implementation", "library", "algorithm", "kind", "engine", "model", "op"),
    *("schedule", "placement", "cache", "mask", "flags", "status"),
)
INTEGERS = (
    *("bytes", "block_size", "threads", "replica", "order", "round", "batch", "wall_ns", "cpu_ns", "tsc_ticks"),
    *("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "process"),
)
DERIVED = ("seconds", "gib_per_s", "cycles_per_byte")


def sample(case: int, round: int = 0, **changes: int) -> tuple[int, ...]:
    values = {"case": case, "round": round, "warmup": int(round < 0), "batch": 1, "wall_ns": 1000}
    return tuple({**dict.fromkeys(SAMPLE_FIELDS, 3), **values, **changes}.values())


def journal(folder: Path, *samples: tuple[int, ...], failures: dict[int, str] | None = None) -> Journal:
    return Journal(folder / "journal", PLAN, list(samples), failures or {}, [{"start": 1.5, "pid": 7}])


def stored(folder: Path, *samples: tuple[int, ...], **given: Any) -> Path:
    return from_journal(journal(folder, *samples, **given), dict(PROVENANCE), folder)


def test_samples_know_what_was_not_timed(tmp_path: Path) -> None:
    refused = {"gone/aes-256-gcm": "it is absent"}
    path = from_journal(journal(tmp_path, sample(0)), {**PROVENANCE, "refused": refused}, tmp_path)
    assert load_record(path).samples.attrs["refused"] == refused


def test_every_column_comes_back_with_its_type(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(0, -1), sample(1), failures={2: "why"})).samples
    assert {name: frame[name].dtype.kind for name in frame} == {
        **dict.fromkeys(TEXT, "O"),
        **dict.fromkeys(INTEGERS, "i"),
        **dict.fromkeys(DERIVED, "f"),
        "warmup": "b",
    }
    assert all(frame[name].dtype == "int64" for name in INTEGERS)
    assert all(isinstance(value, str) for name in TEXT for value in frame[name])


def test_what_is_in_the_file_is_what_the_documentation_lists(tmp_path: Path) -> None:
    """The derived columns are not stored: a stored speed could contradict its own time."""
    table = pq.read_table(stored(tmp_path, sample(0)))
    assert set(table.column_names) == {*TEXT, *INTEGERS, "warmup"}
    documented = (Path(__file__).parents[1] / "data" / "README.md").read_text(encoding="utf-8")
    columns = [cell for line in documented.splitlines() if line.startswith("| ") for cell in line.split("|")[1:2]]
    assert {name.strip() for cell in columns[1:] for name in cell.split(",")} == set(table.column_names)


def test_every_value_of_every_sample_is_kept_in_the_order_taken(tmp_path: Path) -> None:
    taken = [tuple([case, round, int(round < 0), *range(9 * i + 1, 9 * i + 10)]) for i, (case, round) in enumerate(
        [(1, -1), (0, -1), (3, 0), (0, 0), (1, 0)]
    )]  # fmt: skip
    frame = load_record(stored(tmp_path, *taken)).samples
    assert frame["order"].tolist() == [0, 1, 2, 3, 4]
    fields = [name for name in SAMPLE_FIELDS if name != "case"]
    assert frame[fields].astype("int64").to_numpy().tolist() == [list(row[1:]) for row in taken]
    found = [Case.from_row(row) for row in frame.to_dict("records")]
    assert found == [CASES[row[0]] for row in taken]


def test_names_are_split_and_kinds_filled_in(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(0), sample(1), sample(2))).samples
    assert frame["library"].tolist() == ["openssl", "aeadlab", "blake3"]
    assert frame["algorithm"].tolist() == ["aes-256-gcm", "aes-256-ctr+blake3", "blake3"]
    assert frame["kind"].tolist() == ["aead", "unknown", "hash"]


def test_derived_columns_by_hand(tmp_path: Path) -> None:
    # 1 MiB, four executions in 2 ms: 0.5 ms each, 2048 MiB/s. 4 * 2^20 bytes in 6,291,456 ticks: 1.5 a byte.
    frame = load_record(stored(tmp_path, sample(0, batch=4, wall_ns=2_000_000, tsc_ticks=6_291_456))).samples
    assert frame[list(DERIVED)].iloc[0].tolist() == pytest.approx([0.0005, 1.953125, 1.5], rel=1e-12)


def test_an_empty_message_has_a_time_but_no_cost_per_byte(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(2, batch=10, wall_ns=1000))).samples
    assert frame["seconds"][0] == pytest.approx(1e-7)
    assert frame["gib_per_s"][0] == 0
    assert pd.isna(frame["cycles_per_byte"][0])


def test_a_failed_case_has_its_reason_and_no_sample_that_passes_for_good(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0, -1), sample(1, -1), sample(0), sample(1), failures={1: "SIGSEGV", 2: "absent"})
    frame = load_record(path).samples
    assert set(frame.loc[frame["status"] == "ok", "implementation"]) == {"openssl/aes-256-gcm"}
    reasons = frame[frame["order"] < 0]
    assert dict(zip(reasons["implementation"], reasons["status"], strict=True)) == {
        "aeadlab/aes-256-ctr+blake3": "failed: SIGSEGV",
        "blake3/blake3": "failed: absent",
    }
    assert reasons["warmup"].all() and (reasons["round"] == -1).all()
    assert reasons[list(DERIVED)].isna().all(axis=None)
    assert (frame["order"] >= 0).sum() == 4, "samples taken before are kept"


def test_a_run_in_which_everything_failed_is_a_record_too(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, failures=dict.fromkeys(range(4), "no"))).samples
    assert frame["status"].tolist() == ["failed: no"] * 4
    assert frame["wall_ns"].dtype == "int64"


def test_the_provenance_is_the_same_inside_and_beside(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    record = load_record(path)
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) == record.provenance
    assert record.provenance["implementations"] == PROVENANCE["implementations"]
    assert Plan.from_json(record.provenance["plan"]) == PLAN
    assert record.provenance["definition"] == PLAN.definition
    assert record.provenance["notes"] == [{"start": 1.5, "pid": 7}]
    assert record.study == "study"


def test_a_record_shows_its_medians_and_what_was_not_timed(tmp_path: Path) -> None:
    refused = {"evil/<b>": "evil/<b> crashes"}
    journalled = journal(tmp_path, *(sample(0, round) for round in range(6)), sample(3, 0), failures={1: "SIGSEGV"})
    record = load_record(from_journal(journalled, {**PROVENANCE, "refused": refused}, tmp_path))
    failed = "aeadlab/aes-256-ctr+blake3 open 4096 B parsplit in 1024 B blocks, 2 threads, rayon, keyed"
    assert record.not_timed == {**refused, failed: "SIGSEGV"}
    page = record._repr_html_()
    for part in ("study study, profile tiny, 1 cases, 7 samples", "openssl/aes-256-gcm</th>", "evil/&lt;b&gt; crashes"):
        assert part in page
    assert f"{failed}: SIGSEGV" in page
    first, shared, case, *rest = repr(record).splitlines()
    assert first.startswith(f"<Record {record.path.name}: study study, profile tiny, 1 cases, 7 samples")
    assert shared == "  1 MiB, seal, whole message, 1 thread, keyed"
    assert case == "  openssl/aes-256-gcm  977 GiB/s (977 to 977)"
    assert rest == ["  not timed: evil/<b> crashes", f"  not timed: {failed}: SIGSEGV"]


def test_a_record_without_samples_shows_why(tmp_path: Path) -> None:
    record = load_record(stored(tmp_path, failures=dict.fromkeys(range(4), "no")))
    assert "no case has a sample" in repr(record) and repr(record).count(": no") == 4
    assert "No case has a sample" in record._repr_html_()


def test_the_name_says_study_time_and_definition(tmp_path: Path) -> None:
    before = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = stored(tmp_path, sample(0))
    study, stamp, definition = path.stem.split("-")
    assert (study, definition) == ("study", PLAN.definition)
    assert before <= stamp <= time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def test_two_runs_of_one_plan_that_end_in_one_second_are_two_records(tmp_path: Path) -> None:
    """A quick look, repeated: of three runs at a stretch at least two end in one second."""
    paths = [stored(tmp_path / "records", sample(0, wall_ns=1000 + again)) for again in range(3)]
    assert [load_record(path).samples["wall_ns"].iloc[0] for path in paths] == [1000, 1001, 1002]
    assert len(set(paths)) == 3
    assert stored_records("study", [tmp_path / "records"]) == paths


def test_a_record_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records.time, "strftime", lambda *_: "20260102T030405Z")
    path = stored(tmp_path, sample(0))
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    assert len(before) == 2
    with pytest.raises(RecordError, match=r"could not be written: File exists; the samples are in .*journal"):
        stored(tmp_path, sample(1))
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert load_record(path).samples["library"].tolist() == ["openssl"]


def test_a_full_disk_leaves_no_half_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(where: Path, schema: pa.Schema, **_: object) -> None:
        where.write_bytes(b"PAR1 and then")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(records.pq, "ParquetWriter", full)
    with pytest.raises(RecordError, match="could not be written: No space left on device; the samples are in"):
        stored(tmp_path / "new", sample(0))
    assert list((tmp_path / "new").iterdir()) == []


def test_a_disk_that_is_full_before_the_provenance_is_beside_leaves_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal stays and is stored later: with a record here already, its samples would be in two."""

    def full(where: Path, text: str, **_: object) -> int:
        where.write_bytes(text[:100].encode())
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(RecordError, match="could not be written: No space left on device; the samples are in"):
            stored(tmp_path / "new", sample(0))
    assert list((tmp_path / "new").iterdir()) == []
    stored(tmp_path / "new", sample(0))
    assert {path.suffix for path in (tmp_path / "new").iterdir()} == {".parquet", ".json"}


def test_a_parquet_file_cut_anywhere_is_damaged(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    content = path.read_bytes()
    for length in (0, 3, 100, len(content) // 2, len(content) - 8, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(RecordError, match=f"{path} is damaged or no Parquet file"):
            load_record(path)


def test_a_foreign_parquet_file_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pd.DataFrame({"implementation": ["openssl/aes-256-gcm"], "wall_ns": [1]}).to_parquet(path)
    with pytest.raises(RecordError, match="is a Parquet file, but not a record of aeadlab"):
        load_record(path)


@pytest.mark.parametrize("text", [b"not json", b"[1]", b"\xff"])
def test_a_record_whose_provenance_is_damaged_is_said_so(tmp_path: Path, text: bytes) -> None:
    path = stored(tmp_path, sample(0))
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({b"aeadlab": text}), path)
    with pytest.raises(RecordError, match="provenance"):
        load_record(path)


def test_another_schema_version_is_refused_with_both_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, sample(0))
    monkeypatch.setattr(records, "SCHEMA_VERSION", 3)
    with pytest.raises(RecordError, match="has schema version 2, this aeadlab reads 1 to 3: use the version that"):
        load_record(path)


def test_a_record_of_version_1_is_read_as_what_it_was(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0), sample(1))
    table = pq.read_table(path)
    old = provenance_of(path) | {"schema": 1}
    table = table.drop_columns(["cache", "mask", "flags"])
    pq.write_table(table.replace_schema_metadata({b"aeadlab": json.dumps(old).encode()}), path)
    samples = load_record(path).samples
    assert [Case.from_row(row) for row in samples.to_dict("records")] == [CASES[0], CASES[1]]
    assert set(samples["flags"]) == {""}


def test_a_sample_says_what_speaks_against_it(tmp_path: Path) -> None:
    quiet = {"major_faults": 0, "involuntary_switches": 0}
    rows = [sample(0, **quiet), sample(0, 1, **quiet | {"major_faults": 2}), sample(1)]
    given = {**PROVENANCE, "quality": ["!affinity", "load"]}
    samples = load_record(from_journal(journal(tmp_path, *rows), given, tmp_path)).samples
    assert samples["flags"].tolist() == [
        "!affinity load", "!affinity load major-fault", "!affinity load major-fault preempted"
    ]  # fmt: skip


def test_a_missing_file_or_a_folder_is_no_record(tmp_path: Path) -> None:
    stored(tmp_path, sample(0))
    for path in (tmp_path / "nothing.parquet", tmp_path):
        with pytest.raises(RecordError, match=f"there is no record {path}"):
            load_record(path)


def test_the_latest_is_the_newest_of_exactly_this_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {}
    for stamp in ("20260102T030405Z", "20270102T030405Z", "20260102T030406Z"):
        monkeypatch.setattr(records.time, "strftime", lambda *_, stamp=stamp: stamp)
        paths[stamp] = stored(tmp_path, sample(0))
    newest = paths["20270102T030405Z"]
    # Another study whose name begins like this one's, and what a crash left.
    newest.with_name(newest.name.replace("study-", "study-of-modes-").replace("2027", "2028")).write_bytes(b"")
    newest.with_name("study-xyz-20280102T030405Z-0.parquet").write_bytes(b"")
    newest.with_name(f".{newest.name}.77").write_bytes(b"")
    assert records_of("study", tmp_path) == sorted(paths.values())
    assert latest("study", [tmp_path / "nothing", tmp_path]).path == newest


def test_own_records_are_newer_than_the_reference_and_a_copy_of_it_is_none(
    write_record: WriteRecord, own_folders: Path
) -> None:
    one = write_record("20260104T000000Z", folder=own_folders / "reference")
    assert latest("study").path == one
    own = write_record("20260101T000000Z")
    (own.parent / one.name).write_bytes(one.read_bytes())
    assert stored_records("study") == stored_records() == [one, own]
    assert stored_records("stud") == []
    assert latest().path == own


def test_a_study_without_records_is_answered_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=f"no record of study none in {tmp_path}: run `aeadlab measure none`"):
        latest("none", [tmp_path])


def test_a_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here")
    with pytest.raises(ArgumentError, match=r"output folder .*file/records cannot be written \(Not a directory\)"):
        check_folder(tmp_path / "file" / "records")
