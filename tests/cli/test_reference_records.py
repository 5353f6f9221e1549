"""Answers from reference records are named as such in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.display.terminal import fill
from aeadlab.studies.claims import claims

WriteRecord = Callable[..., Path]
Command = Callable[..., Any]
OPENSSL, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"
NOTE = (
    "There is no record of your own of study: the answer is from the reference record of an AMD EPYC, not measured "
    "here; `aeadlab measure study` makes one."
)


@pytest.fixture
def reference(write_record: WriteRecord, own_folders: Path) -> Path:
    """Write a reference record."""
    return write_record(machine={"cpu_model_name": "AMD EPYC"}, folder=own_folders / "reference")


@pytest.mark.parametrize("words", [("rank",), ("compare", OPENSSL, RING)], ids=str)
@pytest.mark.parametrize("form", ["--format=text", "--format=markdown", "--format=json"])
def test_tables_begin_with_the_note(
    command: Command, reference: Path, write_record: WriteRecord, words: tuple[str, ...], form: str
) -> None:
    out = command(*words, form).out
    if form.endswith("json"):
        assert json.loads(out)["reference_record"] == NOTE
    else:
        assert " ".join(out.split()).startswith(NOTE)
    write_record("20250101T000000Z")
    out = command(*words, form).out
    assert json.loads(out)["reference_record"] is None if form.endswith("json") else "not measured here" not in out


def test_csv_is_without_the_note_which_goes_to_standard_error(command: Command, reference: Path) -> None:
    for words in (("rank",), ("compare", OPENSSL, RING)):
        result = command(*words, "--format", "csv")
        assert NOTE in result.err and "not measured here" not in result.out


def test_a_report_names_the_reference_record(command: Command, reference: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    result = command("report", "--output", target)
    assert (result.code, result.out, result.err) == (0, f"{target}\n", f"{fill(NOTE)}\n")
    assert "<b>From the reference record of an AMD EPYC, not measured here.</b>" in target.read_text("utf-8")


def test_claims_name_the_reference_records(command: Command) -> None:
    note = "There is no record of your own of cells: the answer is from the reference record of an AMD EPYC (family "
    found = {form: command("claims", "--document", "tor", *form).out for form in ((), ("--markdown",), ("--json",))}
    assert " ".join(found[()].split()).startswith(note) and found["--markdown",].startswith(note)
    assert json.loads(found["--json",])["reference_record"].startswith(note)
    assert note in claims("tor")._repr_html_()
