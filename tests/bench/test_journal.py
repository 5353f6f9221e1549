from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.bench.journal import SAMPLE_FIELDS, Journal
from aeadlab.bench.plan import Plan
from aeadlab.errors import RecordError

SAMPLE = [1, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7, 0]


@pytest.fixture
def journal(tmp_path: Path, make_plan: Callable[..., Plan]) -> Journal:
    return Journal.create(tmp_path / "new" / "journal.jsonl", make_plan())


def sample(**changes: int) -> list[int]:
    return list((dict(zip(SAMPLE_FIELDS, SAMPLE, strict=True)) | changes).values())


def test_a_journal_is_read_as_written(journal: Journal) -> None:
    lines = [{"start": 1.5, "pid": 7}, sample(round=-1, warmup=1), sample(), sample(case=0), {"case": 2, "failed": "é"}]
    for line in lines:
        journal.append(line)
    read = Journal.read(journal.path)
    assert read == journal
    assert read.samples == [tuple(line) for line in lines[1:4]]
    assert (read.failures, read.notes) == ({2: "é"}, [lines[0]])


def test_done_omits_warm_ups(journal: Journal) -> None:
    journal.append(sample(round=-1, warmup=1))
    journal.append(sample(round=0))
    journal.append(sample(round=3, case=2))
    assert Journal.read(journal.path).done() == {(0, 1), (3, 2)}


def test_create_rejects_an_existing_journal(journal: Journal) -> None:
    journal.append(sample())
    before = journal.path.read_bytes()
    with pytest.raises(RecordError, match="exists already"):
        Journal.create(journal.path, journal.plan)
    assert journal.path.read_bytes() == before


def test_a_journal_is_created_atomically(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make_plan: Callable[..., Plan]
) -> None:
    write_bytes = Path.write_bytes

    def torn(path: Path, content: bytes) -> int:
        write_bytes(path, content[:20])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", torn)
        with pytest.raises(RecordError, match="cannot be written: No space left"):
            Journal.create(tmp_path / "journal", make_plan())
    assert not (tmp_path / "journal").exists()
    assert Journal.create(tmp_path / "journal", make_plan()).plan == make_plan()


def test_an_incomplete_last_line_is_dropped(journal: Journal) -> None:
    journal.append(sample(case=0))
    whole = journal.path.read_bytes()
    journal.append(sample(case=1))
    journal.append({"case": 2, "failed": "why"})
    content = journal.path.read_bytes()
    for length in range(len(whole), len(content)):
        journal.path.write_bytes(content[:length])
        read = Journal.read(journal.path)
        assert len(read.samples) + len(read.failures) == content[:length].count(b"\n") - 1
        read.repair()
        read.append(sample(case=3))
        assert Journal.read(journal.path).samples == [*read.samples]
        assert read.samples[-1][0] == 3


def test_repair_keeps_a_complete_journal(journal: Journal) -> None:
    journal.append(sample())
    before = journal.path.read_bytes()
    journal.repair()
    assert journal.path.read_bytes() == before


@pytest.mark.parametrize(
    "line",
    [
        b'[1, 0, 0, 8, 1000, 2000, 3000, 4, {"case": 0, "failed": "torn"}',
        b"[1, 0, 0, 8]",
        b"[1, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, null]",
        b"[1, 0, 0, 8, 1000.5, 2000, 3000, 4, 5, 6, 7]",
        b"[4, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7]",
        b"[-1, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7]",
        b'{"case": 9, "failed": "no such case"}',
        b'{"failed": "which?"}',
        b"\xff\xfe\x00",
        b"17",
        b'"text"',
        b"",
    ],
)
def test_a_damaged_line_is_an_error_with_its_number(journal: Journal, line: bytes) -> None:
    journal.append(sample())
    with journal.path.open("ab") as file:
        file.write(line + b"\n")
    journal.append(sample())
    before = journal.path.read_bytes()
    with pytest.raises(RecordError, match=r"damaged in line 3 .*: remove it to start again"):
        Journal.read(journal.path)
    assert journal.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{}\n", b"[]\n", b'{"plan": {}}\n', b"PAR1\x00\xff\n", b'{"plan": {"study"'])
def test_rejects_other_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(RecordError, match="is not a journal of aeadlab"):
        Journal.read(path)


def test_rejects_a_plan_with_an_impossible_case(journal: Journal) -> None:
    journal.path.write_bytes(journal.path.read_bytes().replace(b'"threads": 1', b'"threads": 0'))
    with pytest.raises(RecordError, match="0 threads given"):
        Journal.read(journal.path)


def test_a_full_disk_is_a_record_error(make_plan: Callable[..., Plan]) -> None:
    full = Journal(Path("/dev/full"), make_plan())
    with pytest.raises(RecordError, match="cannot be written: No space left on device.*the same command"):
        full.append(sample())
    assert full.samples == []


def test_append_does_not_recreate_a_removed_journal(journal: Journal) -> None:
    journal.path.unlink()
    with pytest.raises(RecordError, match="No such file"):
        journal.append(sample())
    assert not journal.path.exists()
