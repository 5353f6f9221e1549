from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from aeadlab.bench.case import Case
from aeadlab.bench.journal import SAMPLE_FIELDS
from aeadlab.bench.plan import Plan
from aeadlab.errors import RecordError
from aeadlab.records import lookup
from aeadlab.records.lookup import stored_records
from aeadlab.records.reading import load_record
from aeadlab.records.storing import store_journal
from tests.fixtures.journals import CASES, PLAN, PROVENANCE, journal, sample, stored

TEXT = (
    *("implementation", "library", "algorithm", "kind", "engine", "model", "op"),
    *("schedule", "tags", "placement", "cache", "mask", "flags", "status"),
)
INTEGERS = (
    *(
        "bytes",
        "block_size",
        "aad_bytes",
        "threads",
        "replica",
        "order",
        "round",
        "batch",
        "wall_ns",
        "cpu_ns",
        "tsc_ticks",
    ),
    *("minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "process"),
)
DERIVED = ("seconds", "gib_per_s", "cycles_per_byte")


def test_stored_record_equals_the_record_read_back(tmp_path: Path) -> None:
    taken = journal(tmp_path, sample(0, -1), sample(0), sample(1), failures={2: "SIGSEGV"})
    stored = store_journal(taken, {**PROVENANCE, "refused": {"gone/aes-256-gcm": "absent"}}, tmp_path)
    read = load_record(stored.path)
    pd.testing.assert_frame_equal(stored.samples, read.samples)
    assert stored.provenance == read.provenance


def test_columns_keep_their_types(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(0, -1), sample(1), failures={2: "why"})).samples
    assert {name: frame[name].dtype.kind for name in frame} == {
        **dict.fromkeys(TEXT, "O"),
        **dict.fromkeys(INTEGERS, "i"),
        **dict.fromkeys(DERIVED, "f"),
        "warmup": "b",
    }
    assert all(frame[name].dtype == "int64" for name in INTEGERS)
    assert all(isinstance(value, str) for name in TEXT for value in frame[name])


def test_stored_columns_are_documented(tmp_path: Path) -> None:
    """Derived columns are not stored, since a stored speed could contradict its time."""
    table = pq.read_table(stored(tmp_path, sample(0)))
    assert set(table.column_names) == {*TEXT, *INTEGERS, "warmup"}
    assert table.column_names[:5] == ["implementation", "library", "algorithm", "kind", "op"]
    documented = (Path(__file__).parents[2] / "data" / "README.md").read_text(encoding="utf-8")
    columns = [cell for line in documented.splitlines() if line.startswith("| ") for cell in line.split("|")[1:2]]
    assert {name.strip() for cell in columns[1:] for name in cell.split(",")} == set(table.column_names)


def test_samples_keep_their_values_and_order(tmp_path: Path) -> None:
    taken = [tuple([case, round, int(round < 0), *range(9 * i + 1, 9 * i + 10)]) for i, (case, round) in enumerate(
        [(1, -1), (0, -1), (3, 0), (0, 0), (1, 0)]
    )]  # fmt: skip
    frame = load_record(stored(tmp_path, *taken)).samples
    assert frame["order"].tolist() == [0, 1, 2, 3, 4]
    fields = [name for name in SAMPLE_FIELDS if name != "case"]
    assert frame[fields].astype("int64").to_numpy().tolist() == [list(row[1:]) for row in taken]
    found = [Case.from_row(row) for row in frame.to_dict("records")]
    assert found == [CASES[row[0]] for row in taken]


def test_library_algorithm_and_kind_columns(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, sample(0), sample(1), sample(2))).samples
    assert frame["library"].tolist() == ["openssl", "aeadlab", "blake3"]
    assert frame["algorithm"].tolist() == ["aes-256-gcm", "aes-256-ctr+blake3", "blake3"]
    assert frame["kind"].tolist() == ["aead", "unknown", "hash"]


def test_a_failed_case_has_a_reason_and_no_counted_sample(tmp_path: Path) -> None:
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


def test_stores_a_run_in_which_every_case_failed(tmp_path: Path) -> None:
    frame = load_record(stored(tmp_path, failures=dict.fromkeys(range(4), "no"))).samples
    assert frame["status"].tolist() == ["failed: no"] * 4
    assert frame["wall_ns"].dtype == "int64"


def test_provenance_is_equal_in_the_record_and_its_json_file(tmp_path: Path) -> None:
    path = stored(tmp_path, sample(0))
    record = load_record(path)
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) == record.provenance
    assert record.provenance["implementations"] == PROVENANCE["implementations"]
    assert Plan.from_json(record.provenance["plan"]) == PLAN
    assert record.provenance["definition"] == PLAN.definition
    assert record.provenance["notes"] == [{"start": 1.5, "pid": 7}]
    assert record.study == "study"


def test_runs_that_end_in_one_second_are_separate_records(tmp_path: Path) -> None:
    """At least two of three consecutive short runs end within one second."""
    paths = [stored(tmp_path / "records", sample(0, wall_ns=1000 + again)) for again in range(3)]
    assert [load_record(path).samples["wall_ns"].iloc[0] for path in paths] == [1000, 1001, 1002]
    assert len(set(paths)) == 3
    assert stored_records("study", [tmp_path / "records"]) == paths


def test_a_record_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup.time, "strftime", lambda *_: "20260102T030405Z")
    path = stored(tmp_path, sample(0))
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    assert len(before) == 3
    with pytest.raises(RecordError, match=r"could not be written: File exists; the samples are in .*journal"):
        stored(tmp_path, sample(1))
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before
    assert load_record(path).samples["library"].tolist() == ["openssl"]


@pytest.mark.parametrize("suffix", [".b3", ".json", ".parquet"])
def test_a_full_disk_leaves_no_part_of_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    """The journal is stored again later; with one of the files left, its samples could be in two records."""
    write_bytes = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if suffix not in path.name:
            return write_bytes(path, content)
        write_bytes(path, content[:100])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(RecordError, match="could not be written: No space left on device; the samples are in"):
            stored(tmp_path / "new", sample(0))
    assert list((tmp_path / "new").iterdir()) == []
    stored(tmp_path / "new", sample(0))
    assert {path.suffix for path in (tmp_path / "new").iterdir()} == {".parquet", ".json", ".b3"}


def test_a_sample_has_the_flags_of_its_run_and_counters(tmp_path: Path) -> None:
    quiet = {"major_faults": 0, "involuntary_switches": 0}
    rows = [sample(0, **quiet), sample(0, 1, **quiet | {"major_faults": 2}), sample(1)]
    given = {**PROVENANCE, "quality": ["!affinity", "load"]}
    samples = load_record(store_journal(journal(tmp_path, *rows), given, tmp_path).path).samples
    assert samples["flags"].tolist() == [
        "!affinity load", "!affinity load major-fault", "!affinity load major-fault preempted"
    ]  # fmt: skip
