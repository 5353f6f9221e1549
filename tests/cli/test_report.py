from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab.reporting import SECTIONS

Command = Callable[..., Any]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit pages to their last section, for tests of the file."""
    monkeypatch.setattr(sys.modules["aeadlab.reporting.page"], "SECTIONS", SECTIONS[-1:])


def test_writes_a_page_and_prints_its_path(command: Command, record: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    result = command("report", record, "--output", target)
    assert (result.code, result.out, result.err) == (0, f"{target}\n", "")
    html = target.read_text("utf-8")
    assert "openssl/aes-256-gcm" in html
    assert "cannot be created" not in html
    assert "cannot be drawn" not in html


@pytest.mark.usefixtures("short")
def test_selects_the_newest_record(command: Command, record: Path, own_folders: Path) -> None:
    records = own_folders / "results/records"
    records.mkdir(parents=True)
    for name in ("baselines-20250101T000000Z-0", "baselines-20260101T000000Z-0", "zzz-20240101T000000Z-0"):
        shutil.copy(record, records / f"{name}.parquet")
    page = own_folders / "results/reports/baselines-20260101T000000Z-0.html"
    for words in ((), ("baselines",)):
        result = command("report", *words)
        assert (result.code, result.out, result.err) == (0, f"{page}\n", "")
    # A record can be selected by a study that does not exist.
    result = command("report", "zzz")
    assert (result.code, result.out) == (0, f"{page.with_name('zzz-20240101T000000Z-0.html')}\n")


@pytest.mark.usefixtures("short")
def test_replaces_an_existing_page_only_with_force(command: Command, record: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine")
    result = command("report", record, "--output", target)
    assert result.is_invalid_use()
    assert f"{target} exists already: choose another file, or replace it with --force" in result.err
    assert target.read_text() == "mine"
    assert command("report", record, "--output", target, "--force").code == 0
    assert target.read_text() != "mine"
    assert command("report", record, "--output", target).code == 0


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("output", ["/proc/no/such.html", "/dev/null/page.html", "/", "."])
def test_rejects_an_unwritable_path(command: Command, record: Path, output: str) -> None:
    result = command("report", record, "--output", output)
    assert result.is_invalid_use()
    assert output in result.err


def test_a_misspelt_study_error_suggests_the_nearest(command: Command) -> None:
    result = command("report", "baselnies")
    assert result.is_invalid_use()
    assert "no study 'baselnies'; did you mean baselines?" in result.err


@pytest.mark.parametrize("name", ["", "*", "**", "[", "a b"])
def test_unusual_names_are_unknown_studies(command: Command, name: str) -> None:
    result = command("report", name)
    assert result.is_invalid_use()
    assert f"no study {name!r}" in result.err


def test_a_missing_record_error_names_the_command(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.paths.checkout", lambda: None)
    for words, ending in (((), "run `aeadlab measure STUDY`"), (("baselines",), "run `aeadlab measure baselines`")):
        result = command("report", *words)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith("aeadlab report: there is no record ")
        assert result.err.endswith(f"{ending}\n")


def test_an_invalid_record_is_a_failure(command: Command, tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("order,round\n1,2\n" * 9)
    for name, code, why in (
        ("none.parquet", 2, "there is no record "),
        ("text.parquet", 1, " is damaged or not a Parquet file "),
    ):
        result = command("report", tmp_path / name)
        assert (result.code, result.out) == (code, "")
        assert why in result.err
        assert result.err.count("\n") == 1
