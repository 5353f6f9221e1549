from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.records import Record
from aeadlab.studies import Study, draw, find_study
from aeadlab.studies.draw import origin, show, table


def bars(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    return Figure(figsize=(1, 1)), pd.DataFrame({"venue": [venue], "samples": [len(samples)]})


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Study:
    one = Study("tiny", "Does it draw?", lambda *_: [], {"bars": bars, "lines": bars}, "")
    monkeypatch.setattr(draw, "find_study", lambda name: one if name == "tiny" else find_study(name))
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path))
    return one


@pytest.fixture
def record() -> Record:
    provenance = {"plan": {"study": "tiny"}, "commit": {"id": "abc", "dirty": False}}
    return Record(Path("/elsewhere/tiny-1.parquet"), pd.DataFrame({"wall_ns": [1, 2, 3]}), provenance)


def test_all_figures_of_a_study_are_written_and_say_where_they_come_from(
    study: Study, record: Record, tmp_path: Path
) -> None:
    written, absent = draw.draw(study, record, "ieee")
    assert absent == {}
    names = {f"{figure}.{kind}" for figure in ("bars", "lines") for kind in ("pdf", "svg", "png", "csv", "json")}
    assert {path.name for path in written} == {path.name for path in (tmp_path / "figures").iterdir()} == names
    assert (tmp_path / "figures" / "bars.csv").read_text() == "venue,samples\nieee,3\n"
    described = json.loads((tmp_path / "figures" / "lines.json").read_text())["provenance"]
    assert described == origin(record, "lines", "ieee")
    assert (described["record"], described["commit"]["id"]) == ("tiny-1.parquet", "abc")
    assert described["call"] == "aeadlab figure tiny --venue ieee"


def test_figures_go_where_they_are_wanted(study: Study, record: Record, tmp_path: Path) -> None:
    assert {path.parent for path in draw.draw(study, record, folder=tmp_path / "other")[0]} == {tmp_path / "other"}


def test_a_record_of_another_study_is_refused(study: Study, record: Record) -> None:
    with pytest.raises(ArgumentError, match=r"tiny-1.parquet is a record of study tiny, one of baselines is wanted"):
        draw.draw(find_study("baselines"), record)


@pytest.mark.usefixtures("study")
def test_a_notebook_gets_the_figure_its_files_and_its_numbers(record: Record, tmp_path: Path) -> None:
    assert isinstance(show(record, "bars"), Figure)
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {"bars"}
    assert table(record, "bars", "acm")["venue"].tolist() == ["acm"]


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("function", [show, table])
def test_an_unknown_figure_is_answered_with_those_that_exist(record: Record, function: object, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="study tiny has no figure 'pie'; it has bars, lines"):
        function(record, "pie")  # type: ignore[operator]
    assert not (tmp_path / "figures").exists()
