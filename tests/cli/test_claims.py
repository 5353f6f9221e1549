from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.studies.claims import claims_of
from aeadlab.verdicts.pages import END, START

Command = Callable[..., Any]


def test_text_fits_80_columns(command: Command) -> None:
    result = command("claims")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    assert all(claim.key in result.out for claim in claims_of())
    of_one = command("claims", "--document", "eth").out
    assert all((claim.key in of_one) == (claim.document == "ETH") for claim in claims_of())


def test_evaluates_a_given_record(command: Command, record: Path) -> None:
    result = command("claims", "--record", record, "--json")
    found = json.loads(result.out)
    assert [source["record"] for source in found["records"]] == [record.name]
    decided = [finding["key"] for finding in found["findings"] if finding["verdict"] != "inconclusive"]
    # Profile smoke supports no verdict; the size of tags does not depend on a run.
    assert (result.code, decided) == (0, ["tag-space"])
    assert "smoke" in found["findings"][0]["reason"]


def test_writes_only_between_the_markers(command: Command, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    result = command("claims", "--record", record, "--write", page)
    assert (result.code, result.out, result.err) == (0, f"{page}\n", "")
    written = page.read_text()
    assert written.startswith(f"before\n{START}\n\n")
    assert written.endswith(f"\n{END}\nafter\n")
    assert command("claims", "--record", record, "--markdown").out.strip() in written
    stamp = page.stat().st_mtime_ns
    assert command("claims", "--record", record, "--write", page).code == 0
    assert (page.read_text(), page.stat().st_mtime_ns) == (written, stamp)


@pytest.mark.parametrize("content", ["", f"{START}\n", f"{START}{START}{END}"])
def test_rejects_a_file_without_markers(command: Command, tmp_path: Path, content: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(content)
    assert command("claims", "--write", page).is_invalid_use()
    assert page.read_text() == content


def test_rejects_invalid_arguments(command: Command, record: Path, tmp_path: Path) -> None:
    assert "there are claims of ETH" in command("claims", "--document", "Intel").err
    for words in (
        ("--document", "Intel"),
        ("--record", record, "--record", record),
        ("--write", tmp_path / "none.md"),
    ):
        assert command("claims", *words).is_invalid_use()
    result = command("claims", "--record", tmp_path / "none.parquet")
    assert (result.code, result.out) == (2, "")
