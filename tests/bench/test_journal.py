from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3

from aeadlab.bench import journal as journals
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
        b"[1, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7, 9007199254740993]",
        b"[1, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7, true]",
        b"[true, 0, 0, 8, 1000, 2000, 3000, 4, 5, 6, 7, 0]",
        b"[1, 0, 0, -8, 1000, 2000, 3000, 4, 5, 6, 7, 0]",
        b"[" * 9000 + b"]" * 9000,
        b'{"note": 1e999}',
        b'{"note": NaN}',
        b'{"case": true, "failed": "which?"}',
        b'"text"',
        b"",
    ],
)
@pytest.mark.parametrize("valid", [False, True])
def test_a_damaged_line_is_an_error_with_its_number(journal: Journal, line: bytes, valid: bool) -> None:
    """With a valid checksum, the line is one of another program."""
    journal.append(sample())
    last = journal.path.read_bytes().splitlines()[-1][-16:]
    with journal.path.open("ab") as file:
        file.write(line + (b"\t" + blake3(last + line).hexdigest()[:16].encode()) * valid + b"\n")
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
    text = journal.path.read_bytes()[:-18].replace(b'"threads": 1', b'"threads": 0')
    journal.path.write_bytes(text + b"\t" + blake3(text).hexdigest()[:16].encode() + b"\n")
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


def test_every_flipped_bit_is_detected(journal: Journal) -> None:
    """A flip of the last line feed, or one that makes another last line feed, cuts the journal as a crash does."""
    for line in ({"start": 1.5, "pid": 7}, sample(round=-1, warmup=1), sample(), {"case": 2, "failed": "why"}):
        journal.append(line)
    samples, content = journal.samples, journal.path.read_bytes()
    undetected = []
    plan = content.index(b"\n")
    for place in (*range(0, plan, 25), *range(plan, len(content))):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        journal.path.write_bytes(changed)
        try:
            read = Journal.read(journal.path)
        except RecordError:
            continue
        undetected.append(place)
        assert (read.samples, read.failures) == (samples, {})
    assert undetected == [len(content) - 1]


@pytest.mark.parametrize("order", [(0, 1, 3, 2), (0, 1, 3), (0, 1, 1, 2, 3), (1, 2, 3), (0, 2, 3)])
def test_moved_removed_and_repeated_lines_are_detected(journal: Journal, order: tuple[int, ...]) -> None:
    for round in range(3):
        journal.append(sample(round=round))
    lines = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(b"".join(lines[index] for index in order))
    with pytest.raises(RecordError):
        Journal.read(journal.path)


def test_a_fifo_a_folder_and_a_large_file_are_no_journals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(bytes(99))
    monkeypatch.setattr(journals, "MAX_FILE", 98)
    for name, reason in (("fifo", "regular file"), (".", "folder"), ("large", "99 bytes, at most 98")):
        with pytest.raises(RecordError, match=reason):
            Journal.read(tmp_path / name)
