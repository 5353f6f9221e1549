from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
FIGURES = ("figure-2-aeads", "figure-3-hashes")
SUFFIXES = (".pdf", ".svg", ".png", ".csv", ".json")


def test_writes_each_figure_in_all_formats(command: Command, record: Path, tmp_path: Path) -> None:
    result = command("figure", "baselines", "--record", record, "--venue", "ieee", "--output", tmp_path / "drawn")
    assert (result.code, result.err) == (0, "")
    named = [Path(line) for line in result.out.splitlines()]
    assert set(named) == {tmp_path / "drawn" / f"{figure}{suffix}" for figure in FIGURES for suffix in SUFFIXES}
    assert all(path.stat().st_size > 0 for path in named)


def test_draws_the_newest_record_into_the_results_folder(
    command: Command, record: Path, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[object, ...]] = []

    def draw(study: Any, of: Any, venue: str, folder: object, formats: object) -> tuple[list[Path], dict[str, str]]:
        drawn.append((study.name, of.path, venue, folder, formats))
        return [Path("a.pdf"), Path("b.pdf")], {"c": "nothing to show"}

    monkeypatch.setattr("aeadlab.studies.draw.draw", draw)
    monkeypatch.setattr("aeadlab.paths.reference_records", lambda: own_folders / "none")
    records = own_folders / "results/records"
    records.mkdir(parents=True)
    for stamp in ("20250101T000000Z", "20260101T000000Z", "20241231T000000Z"):
        shutil.copy(record, records / f"baselines-{stamp}-0.parquet")
    newest = records / "baselines-20260101T000000Z-0.parquet"
    for study in ("baselines", "all"):
        result = command("figure", study)
        assert (result.code, result.out) == (0, "a.pdf\nb.pdf\n")
        assert "not drawn: c: nothing to show\n" in result.err
        assert ("not drawn: study speedup: there is no record" in result.err) == (study == "all")
    assert drawn == [("baselines", newest, "lncs", None, ())] * 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("baselnies",), "no study 'baselnies'; did you mean baselines?"),
        (("baselines", "--venue", "nature"), "there is no venue 'nature'; available venues: lncs, ieee,"),
        (("baselines", "--output", "/proc/no/such"), "/proc/no/such"),
        (("baselines", "--format", "eps"), "'eps' given, pgf, tex or pgf,tex expected"),
    ],
    ids=str,
)
def test_errors_are_one_line(command: Command, record: Path, words: tuple[str, ...], why: str) -> None:
    result = command("figure", *words, "--record", record)
    assert result.is_invalid_use()
    assert why in result.err


@pytest.mark.parametrize(
    ("make", "code", "why"),
    [
        (lambda path: None, 2, "there is no record "),
        (lambda path: path.mkdir(), 1, "there is no record "),
        (lambda path: path.write_text("order,round\n1,2\n" * 9), 1, " is damaged or not a Parquet file "),
    ],
    ids=["missing", "folder", "text"],
)
def test_fails_for_an_unreadable_record(
    command: Command, tmp_path: Path, make: Callable[[Path], object], code: int, why: str
) -> None:
    path = tmp_path / "record.parquet"
    make(path)
    result = command("figure", "baselines", "--record", path)
    assert (result.code, result.out) == (code, "")
    assert result.err.startswith("aeadlab figure: ")
    assert why in result.err
    assert str(path) in result.err
    assert result.err.count("\n") == 1


def test_fails_for_a_truncated_record(command: Command, record: Path, tmp_path: Path) -> None:
    whole = record.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path = tmp_path / f"cut-{length}.parquet"
        path.write_bytes(whole[:length])
        result = command("figure", "baselines", "--record", path)
        assert (result.code, result.out) == (1, "")
        assert f"{path} is damaged or not a Parquet file" in result.err
        assert result.err.count("\n") == 1


def test_names_the_command_for_a_missing_record(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.paths.checkout", lambda: None)
    result = command("figure", "baselines")
    assert (result.code, result.out) == (1, "")
    assert "there is no record of study baselines in " in result.err
    assert result.err.endswith("run `aeadlab measure baselines`\n")
