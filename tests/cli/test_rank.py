from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

WriteRecord = Callable[..., Path]
Command = Callable[..., Any]
OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"


def test_text_has_the_order_and_warnings(command: Command, write_record: WriteRecord) -> None:
    path = write_record(factors={OPENSSL: 1.3}, failures={2: "SIGSEGV"})
    result = command("rank", path)
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    assert [line.split()[:2] for line in result.out.splitlines() if "/aes-" in line] == [["1", RING], ["2", OPENSSL]]
    assert "aead whole: 3 cases, 10 processes, 30 rounds" in result.out
    assert "WARNING: a geometric mean gives every case the same weight" in result.out
    assert "WARNING: aead whole: 3 of 4 cases are ranked" in result.out


def test_passes_options_to_the_ranking(command: Command, write_record: WriteRecord) -> None:
    write_record("20260101T000000Z", study="mine", factors={OPENSSL: 1.3})
    write_record("20260102T000000Z")
    words = ("--study", "mine", "--by", "op,bytes", "--reference", OPENSSL, "--format", "csv")
    result = command("rank", *words, "--implementation", OPENSSL, "--implementation", RING)
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [(row["op"], row["bytes"]) for row in rows[::2]] == [
        ("open", "4096"), ("open", "1048576"), ("seal", "4096"), ("seal", "1048576")
    ]  # fmt: skip
    assert {row["implementation"]: float(row["ratio"]) for row in rows}[OPENSSL] == 1.0
    assert "aeadlab rank: a geometric mean" in result.err


def test_prints_a_markdown_table(command: Command, write_record: WriteRecord) -> None:
    out = command("rank", write_record(), "--format", "markdown").out
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert len(rows) == 2 + 2
    assert "**Warning**: a geometric mean" in out


def test_errors_are_one_line(command: Command, write_record: WriteRecord) -> None:
    result = command("rank")
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert "there is no latest record of any study" in result.err
    path = write_record()
    for words, why in (
        ((path, "--by", "colour"), "'colour' is not a column to group by"),
        ((path, "--reference", "x/y"), "has no implementation 'x/y'"),
        ((path, "--implementation", OPENSSL), "expected at least two implementations"),
    ):
        result = command("rank", *words)
        assert result.is_invalid_use()
        assert why in result.err
