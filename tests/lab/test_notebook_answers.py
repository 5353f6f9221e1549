from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aeadlab.lab.notebook_answers import answer_one, answer_several, remark
from aeadlab.lab.notebooks import Outcome
from aeadlab.reporting import answer

WriteRecord = Callable[..., Path]


@pytest.fixture
def outcome(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """``outcome(name, *records)``: the outcome of a notebook that stored these records and a figure."""
    monkeypatch.setattr(answer, "write_report", lambda record: record.path.with_suffix(".html"))
    pages = own_folders / "results/notebooks"

    def make(name: str, *records: Path, error: str | None = None) -> Outcome:
        files = [pages / f"{name}.ipynb", pages / f"{name}.html", *records, pages.parent / "figures/x.parquet"]
        return Outcome(name, 1.0, error, files)

    return make


def test_one_notebook_ends_with_the_answer_of_its_own_study(
    outcome: Callable[..., Outcome], write_record: WriteRecord
) -> None:
    other = write_record("20260102T030405Z", study="memory")
    own = write_record("20260102T030406Z", study="baselines", names=("openssl/aes-256-gcm", "ring/aes-256-gcm"))
    text = answer_one(outcome("01-single-threaded-baselines", other, own))
    table, findings, last = text.split("\n\n")
    assert "baseline/memcpy" not in table and "ring/aes-256-gcm" in table
    assert findings.startswith("All 16 claims are inconclusive: ")
    assert last == f"report: {own.with_suffix('.html')}"
    assert len(table.splitlines()) <= 25


@pytest.mark.parametrize("error", [None, "Traceback"])
def test_a_notebook_without_a_record_ends_with_its_page(outcome: Callable[..., Outcome], error: str | None) -> None:
    one = outcome("00-start-here", error=error)
    assert answer_one(one) == f"page: {one.page}"
    assert remark(one) == ""


def test_several_notebooks_end_with_the_findings_and_the_folder_of_pages(
    outcome: Callable[..., Outcome], write_record: WriteRecord, tmp_path: Path
) -> None:
    damaged = tmp_path / "records/baselines-20260102T030407Z-0.parquet"
    damaged.parent.mkdir()
    damaged.touch()
    first = outcome("01-single-threaded-baselines", write_record("20260102T030405Z", study="baselines"))
    second = outcome("02-speedup", write_record("20260102T030406Z", study="speedup"), damaged)
    assert remark(first) == "; 16 claims: 16 inconclusive"
    assert first.page is not None
    findings, last = answer_several([first, second]).split("\n\n")
    assert findings.startswith("All 32 claims are inconclusive: ")
    assert last == f"pages: {first.page.parent}"
    assert answer_several([]) == ""
