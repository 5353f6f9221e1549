"""Options that several verbs share: sizes, formats and words for selection."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.cli.options import OPTIONS
from aeadlab.studies import all_studies

WriteRecord = Callable[..., Path]
Command = Callable[..., Any]
RING = "ring/aes-256-gcm"

WITH_SIZES = [
    ("measure", "baselines", "--size"),
    ("measure", "baselines", "--block-size"),
    ("speed", RING, "--size"),
    ("tune", "--size"),
    ("tune", "--block-size"),
]
PRINTING = [
    ("list", "--library", "baseline"),
    ("verify", "blake3/blake3"),
    ("measure", "baselines", "--profile", "smoke", "--size", "1K", "--samples", "2", "--implementation", RING),
    ("speed", RING, "--samples", "2", "--size", "1K"),
    ("tune", "--allow", RING, "--size", "16K", "--seconds", "0.1"),
    ("masks", "blake3/blake3"),
    ("studies", "cells"),
    ("doctor",),
    ("rank",),
    ("compare", RING, "openssl/aes-256-gcm", "--study", "study"),
]


@pytest.mark.parametrize("words", WITH_SIZES, ids=" ".join)
@pytest.mark.parametrize("size", ["0", "-1", "16Q", "1.5", "", "1400,", "K"])
def test_sizes_are_parsed_alike(command: Command, words: tuple[str, ...], size: str) -> None:
    result = command(*words[:-1], f"{words[-1]}={size}")
    assert result.is_invalid_use()
    assert "given, a positive number of bytes expected: 1400, 16K, 1MiB or 100MB" in result.err


@pytest.mark.parametrize("words", PRINTING, ids=lambda words: words[0])
def test_results_have_the_same_formats(
    command: Command, own_results: Path, write_record: WriteRecord, words: tuple[str, ...]
) -> None:
    write_record()
    assert command(*words, "--json", "--markdown").is_invalid_use()
    result = command(*words, "--markdown")
    assert result.code == 0
    table = [line for line in result.out.splitlines() if line.startswith("|")]
    assert table or words == ("doctor",) or "\n- " in result.out
    assert all(line.count(" | ") == table[0].count(" | ") for line in table[:2])


def test_older_spellings_of_formats_remain(command: Command, write_record: WriteRecord) -> None:
    write_record()
    new, old = (command("rank", *form).out for form in (("--csv",), ("--format", "csv")))
    assert new == old and len(list(csv.DictReader(io.StringIO(new)))) == 2


def test_globs_select_in_every_verb(command: Command, own_results: Path, write_record: WriteRecord) -> None:
    write_record()
    listed = json.loads(command("list", "baseline/*", "memcpy", "--json").out)["implementations"]
    assert {row["library"] for row in listed} == {"baseline"} and len(listed) == 5
    checked = json.loads(command("verify", "blake3/blake3*", "--json").out)["reports"]
    assert len(checked) > 1 and all(row["implementation"].startswith("blake3/blake3") for row in checked)
    assert "blake3" in json.loads(command("masks", "blake3/blake?", "--json").out)["untold"]
    ranked = json.loads(command("rank", "--implementation", "*gcm", "--json").out)["rows"]
    assert {row["implementation"] for row in ranked} == {RING, "openssl/aes-256-gcm"}
    words = ("measure", "baselines", "--profile", "smoke", "--samples", 1, "--size", "1K", "--json")
    measured = json.loads(command(*words, "--implementation", "ring/*256-gcm").out)
    assert RING in {row["implementation"] for row in measured["rows"]} and measured["complete"]
    assert {row["name"] for row in json.loads(command("studies", "b*s", "--json").out)} == {
        "baselines", "block-ciphers", "blocks"
    }  # fmt: skip


@pytest.mark.parametrize("study", [name for name, study in all_studies().items() if study.fixed_lengths])
def test_a_study_with_fixed_lengths_rejects_others(command: Command, study: str) -> None:
    result = command("measure", study, "--profile", "smoke", "--size", "1400")
    assert result.is_invalid_use()
    assert (
        f"study {study} has fixed message lengths, " in result.err and "`aeadlab speed NAME --size 1400`" in result.err
    )


def test_a_study_that_shortens_its_messages_rejects_the_size(command: Command) -> None:
    result = command("measure", "everything", "--profile", "smoke", "--size", "64M")
    assert result.is_invalid_use()
    assert "study everything has only message lengths, 16 KiB, and size 64 MiB was given" in result.err


def test_every_shared_option_has_help() -> None:
    assert all(settings["help"] for settings in OPTIONS.values())
