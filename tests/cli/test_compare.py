from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WriteRecord = Callable[..., Path]
Command = Callable[..., Any]
OLD, NEW = "20260101T000000Z", "20260102T000000Z"
OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"


@pytest.fixture
def pair(write_record: WriteRecord) -> tuple[Path, Path]:
    """Write two records, the second with a slower OpenSSL and without ring."""
    refused = {RING: "it is absent: " + "for a long reason " * 8}
    return write_record(OLD), write_record(
        NEW, names=("baseline/memcpy", OPENSSL), factors={OPENSSL: 1.2}, refused=refused, quality=["!load"]
    )


def test_text_has_sides_warnings_and_slower_rows_first(command: Command, pair: tuple[Path, Path]) -> None:
    result = command("compare", *pair)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("A: study-20260101T000000Z")
    assert "Two runs, not interleaved" in result.out
    assert "WARNING: B: measured under critical conditions: load." in result.out
    start = lines.index(next(line for line in lines if line.startswith("slower (4)")))
    assert [line.split()[0] for line in lines[start + 1 : start + 5]] == [OPENSSL] * 4
    assert "no credible difference (2)" in result.out
    assert "only in A (not timed in B: it is absent: for a long reason" in result.out


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--fail-if-worse",), 1)], ids=str)
def test_fails_on_slower_rows_only_if_requested(
    command: Command, pair: tuple[Path, Path], options: tuple[str, ...], code: int
) -> None:
    assert command("compare", "previous", "latest", *options).code == code
    assert command("compare", "latest", "previous", *options).code == 0


def test_prints_a_markdown_table(command: Command, pair: tuple[Path, Path]) -> None:
    out = command("compare", *pair, "--format", "markdown").out
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert rows[1].startswith("| --- | ---:")
    assert len(rows) == 2 + 6
    assert out.count("**slower**") == 4
    assert "- **Warning**: B: measured" in out


def test_csv_has_all_digits_and_both_sides(command: Command, pair: tuple[Path, Path]) -> None:
    result = command("compare", *pair, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [row["verdict"] for row in rows] == ["slower"] * 4 + ["no credible difference"] * 2 + ["only in A"] * 4
    assert float(rows[0]["low"]) < float(rows[0]["ratio"]) < float(rows[0]["high"])
    assert rows[-1]["implementation"] == RING and rows[-1]["ratio"] == ""
    assert rows[-1]["note"].startswith("not timed in B: it is absent")
    assert "aeadlab compare: B: measured under critical conditions" in result.err


def test_compares_two_implementations(command: Command, write_record: WriteRecord) -> None:
    path = write_record(factors={RING: 1.2})
    result = command("compare", OPENSSL, RING, "--record", path)
    assert (result.code, result.err) == (0, "")
    assert "Paired by round, 10 processes, 30 rounds." in " ".join(result.out.split())
    assert "slower (4)" in result.out
    assert command("compare", OPENSSL, RING, "--fail-if-worse").code == 1
    out = command("compare", OPENSSL, RING, "--study", "study", "--format", "csv").out
    assert len(list(csv.DictReader(io.StringIO(out)))) == 4


def test_rejects_fail_if_worse_for_different_machines(command: Command, write_record: WriteRecord) -> None:
    pair = write_record(OLD), write_record(NEW, machine={"cpu_model_name": "Slow"})
    result = command("compare", *pair, "--fail-if-worse")
    assert result.is_invalid_use()
    assert "the records come from different machines" in result.err
    result = command("compare", *pair)
    assert result.code == 0
    assert "WARNING: different machines: CPU Test CPU -> Slow." in result.out


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (("latest", "latest"), 2, "both sides are one record"),
        (("latest", "gone.parquet"), 2, "there is no record gone.parquet"),
        (("previous", "latest"), 1, "there is no previous record of study study"),
        (("latest", "no-such-revision"), 2, "'no-such-revision' is no record, no git revision"),
        ((OPENSSL, "rnig/aes-256-gcm"), 2, "study-20260101T000000Z"),
        ((OPENSSL, OPENSSL), 2, f"{OPENSSL} is compared with itself"),
        (("baseline/memcpy", OPENSSL), 2, f"baseline/memcpy and {OPENSSL} have no case in common"),
        ((OPENSSL, RING, "--study", "stuy"), 2, "no study 'stuy'; did you mean study?"),
        ((OPENSSL, RING, "--record", "gone"), 2, "there is no record gone"),
    ],
    ids=str,
)
def test_errors_are_one_line(
    command: Command, write_record: WriteRecord, words: tuple[object, ...], code: int, why: str
) -> None:
    write_record(OLD)
    result = command("compare", *words)
    assert (result.code, result.out, result.err.count("\n")) == (code, "", 1)
    assert result.err.startswith(f"aeadlab compare: {why}")


def test_rejects_records_that_cannot_be_compared(command: Command, write_record: WriteRecord) -> None:
    good = write_record(OLD)
    result = command("compare", good, write_record("20260103T000000Z", schema=99))
    assert (result.code, result.out) == (1, "") and "has schema version 99" in result.err
