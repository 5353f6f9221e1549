from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
FIGURES = ("figure-2-aeads", "figure-3-hashes")
SUFFIXES = (".pdf", ".svg", ".png", ".csv", ".json")


def test_each_figure_is_written_in_every_form_and_each_file_named(
    command: Command, record: Path, tmp_path: Path
) -> None:
    said = command("figure", "baselines", "--record", record, "--venue", "ieee", "--output", tmp_path / "drawn")
    assert (said.code, said.err) == (0, "")
    named = [Path(line) for line in said.out.splitlines()]
    assert set(named) == {tmp_path / "drawn" / f"{figure}{suffix}" for figure in FIGURES for suffix in SUFFIXES}
    assert all(path.stat().st_size > 0 for path in named)


def test_the_newest_record_is_taken_and_figures_go_to_the_results(
    command: Command, record: Path, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[object, ...]] = []

    def draw(study: Any, of: Any, venue: str, folder: object) -> tuple[list[Path], dict[str, str]]:
        drawn.append((study.name, of.path, venue, folder))
        return [Path("a.pdf"), Path("b.pdf")], {"c": "nothing to show"}

    monkeypatch.setattr("aeadlab.studies.draw.draw", draw)
    monkeypatch.setattr("aeadlab.paths.reference_records", lambda: own_folders / "none")
    records = own_folders / "results/records"
    records.mkdir(parents=True)
    for stamp in ("20250101T000000Z", "20260101T000000Z", "20241231T000000Z"):
        shutil.copy(record, records / f"baselines-{stamp}-0.parquet")
    newest = records / "baselines-20260101T000000Z-0.parquet"
    for study in ("baselines", "all"):
        said = command("figure", study)
        assert (said.code, said.out) == (0, "a.pdf\nb.pdf\n")
        assert "not drawn: c: nothing to show\n" in said.err
        assert ("not drawn: study speedup: there is no record" in said.err) == (study == "all")
    assert drawn == [("baselines", newest, "lncs", None)] * 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("baselnies",), "no study is called 'baselnies'; did you mean baselines?"),
        (("baselines", "--venue", "nature"), "there is no venue 'nature'; wanted one of: lncs, ieee,"),
        (("baselines", "--output", "/proc/no/such"), "/proc/no/such"),
    ],
    ids=str,
)
def test_wrong_use_is_one_line(command: Command, record: Path, words: tuple[str, ...], why: str) -> None:
    said = command("figure", *words, "--record", record)
    assert said.is_wrong_use()
    assert why in said.err


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "there is no record "),
        (lambda path: path.mkdir(), "there is no record "),
        (lambda path: path.write_text("order,round\n1,2\n" * 9), " is damaged or no Parquet file "),
    ],
    ids=["missing", "folder", "text"],
)
def test_what_is_no_record_is_a_failure(
    command: Command, tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    path = tmp_path / "record.parquet"
    make(path)
    said = command("figure", "baselines", "--record", path)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("aeadlab figure: ")
    assert why in said.err
    assert str(path) in said.err
    assert said.err.count("\n") == 1


def test_a_record_cut_short_is_a_failure_that_names_it(command: Command, record: Path, tmp_path: Path) -> None:
    whole = record.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path = tmp_path / f"cut-{length}.parquet"
        path.write_bytes(whole[:length])
        said = command("figure", "baselines", "--record", path)
        assert (said.code, said.out) == (1, "")
        assert f"{path} is damaged or no Parquet file" in said.err
        assert said.err.count("\n") == 1


def test_without_a_record_it_says_how_to_make_one(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aeadlab.paths.checkout", lambda: None)
    said = command("figure", "baselines")
    assert (said.code, said.out) == (1, "")
    assert "there is no record of study baselines in " in said.err
    assert said.err.endswith("run `aeadlab measure baselines`\n")
