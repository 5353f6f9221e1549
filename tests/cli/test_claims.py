from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.judgement import claims_of
from aeadlab.judgement.markers import END, START

Command = Callable[..., Any]


def test_a_terminal_of_80_columns_holds_it(command: Command) -> None:
    said = command("claims")
    assert (said.code, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    assert all(claim.key in said.out for claim in claims_of())
    of_one = command("claims", "--document", "eth").out
    assert all((claim.key in of_one) == (claim.document == "ETH") for claim in claims_of())


def test_one_record_can_be_asked(command: Command, record: Path) -> None:
    said = command("claims", "--record", record, "--json")
    found = json.loads(said.out)
    assert [source["record"] for source in found["records"]] == [record.name]
    decided = [finding["key"] for finding in found["findings"] if finding["verdict"] != "inconclusive"]
    # A smoke run proves nothing; what tags cost needs no run.
    assert (said.code, decided) == (0, ["tag-space"])
    assert "smoke" in found["findings"][0]["reason"]


def test_a_file_is_rewritten_between_its_markers_only(command: Command, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n")
    said = command("claims", "--record", record, "--write", page)
    assert (said.code, said.out, said.err) == (0, f"{page}\n", "")
    written = page.read_text()
    assert written.startswith(f"before\n{START}\n\n")
    assert written.endswith(f"\n{END}\nafter\n")
    assert command("claims", "--record", record, "--markdown").out.strip() in written
    stamp = page.stat().st_mtime_ns
    assert command("claims", "--record", record, "--write", page).code == 0
    assert (page.read_text(), page.stat().st_mtime_ns) == (written, stamp)


@pytest.mark.parametrize("content", ["", f"{START}\n", f"{START}{END}{START}{END}"])
def test_a_file_without_the_markers_is_left_alone(command: Command, tmp_path: Path, content: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(content)
    assert command("claims", "--write", page).is_wrong_use()
    assert page.read_text() == content


def test_wrong_words_are_wrong_use(command: Command, record: Path, tmp_path: Path) -> None:
    assert "there are those of ETH" in command("claims", "--document", "Intel").err
    for words in (
        ("--document", "Intel"),
        ("--record", record, "--record", record),
        ("--write", tmp_path / "none.md"),
    ):
        assert command("claims", *words).is_wrong_use()
    said = command("claims", "--record", tmp_path / "none.parquet")
    assert (said.code, said.out) == (1, "")
