from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_a_record_becomes_a_page_and_its_place_is_printed(command: Command, record: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    said = command("report", record, "--output", target)
    assert (said.code, said.out, said.err) == (0, f"{target}\n", "")
    html = target.read_text("utf-8")
    assert "openssl/aes-256-gcm" in html
    assert "cannot be made" not in html
    assert "cannot be drawn" not in html


def test_the_newest_of_a_study_or_of_all_is_taken(command: Command, record: Path, own_folders: Path) -> None:
    records = own_folders / "results/records"
    records.mkdir(parents=True)
    for name in ("baselines-20250101T000000Z-0", "baselines-20260101T000000Z-0", "zzz-20240101T000000Z-0"):
        shutil.copy(record, records / f"{name}.parquet")
    page = own_folders / "results/reports/baselines-20260101T000000Z-0.html"
    for words in ((), ("baselines",)):
        said = command("report", *words)
        assert (said.code, said.out, said.err) == (0, f"{page}\n", "")
    # Records outlive their studies.
    said = command("report", "zzz")
    assert (said.code, said.out) == (0, f"{page.with_name('zzz-20240101T000000Z-0.html')}\n")


def test_a_page_that_is_there_is_replaced_with_force_only(command: Command, record: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine")
    said = command("report", record, "--output", target)
    assert said.is_wrong_use()
    assert f"{target} exists already: choose another file, or replace it with --force" in said.err
    assert target.read_text() == "mine"
    assert command("report", record, "--output", target, "--force").code == 0
    assert target.read_text() != "mine"
    assert command("report", record, "--output", target).code == 0


@pytest.mark.parametrize("output", ["/proc/no/such.html", "/dev/null/page.html", "/", "."])
def test_an_output_that_cannot_be_written_is_wrong_use(command: Command, record: Path, output: str) -> None:
    said = command("report", record, "--output", output)
    assert said.is_wrong_use()
    assert output in said.err


def test_a_misspelt_study_is_answered_with_the_nearest(command: Command) -> None:
    said = command("report", "baselnies")
    assert said.is_wrong_use()
    assert "no study is called 'baselnies'; did you mean baselines?" in said.err


@pytest.mark.parametrize("name", ["", "*", "**", "[", "a b"])
def test_odd_names_are_names(command: Command, name: str) -> None:
    said = command("report", name)
    assert said.is_wrong_use()
    assert f"no study is called {name!r}" in said.err


def test_without_a_record_it_says_how_to_make_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.paths.checkout", lambda: None)
    for words, ending in (((), "run `aeadlab measure STUDY`"), (("baselines",), "run `aeadlab measure baselines`")):
        said = command("report", *words)
        assert (said.code, said.out) == (1, "")
        assert said.err.startswith("aeadlab report: there is no record ")
        assert said.err.endswith(f"{ending}\n")


def test_what_is_no_record_is_a_failure(command: Command, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("order,round\n1,2\n" * 9)
    for name, why in (("none.parquet", "there is no record "), ("text.parquet", " is damaged or no Parquet file ")):
        said = command("report", tmp_path / name)
        assert (said.code, said.out) == (1, "")
        assert why in said.err
        assert said.err.count("\n") == 1
