from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.figures.caption import Caption
from aeadlab.records.record import Record
from aeadlab.studies import Study, draw, find_study
from aeadlab.studies.draw import figure_provenance, show, table


def bars(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
    return Figure(figsize=(1, 1)), pd.DataFrame({"venue": [venue], "samples": [len(samples)]})


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Study:
    monkeypatch.setitem(sys.modules, "tiny.figures", SimpleNamespace(FIGURES={"bars": bars, "lines": bars}))
    one = Study("tiny", "Does it draw?", lambda *_: [], module="tiny.study")
    monkeypatch.setattr(draw, "find_study", lambda name: one if name == "tiny" else find_study(name))
    monkeypatch.setenv("AEADLAB_RESULTS", str(tmp_path))
    return one


@pytest.fixture
def record() -> Record:
    provenance = {"plan": {"study": "tiny"}, "commit": {"id": "abc", "dirty": False}}
    return Record(
        Path("/elsewhere/tiny-1.parquet"),
        pd.DataFrame({"wall_ns": [1, 2, 3], "process": [0, 1, 2], "status": "ok", "warmup": False}),
        provenance,
    )


def test_all_figures_are_written_with_provenance(study: Study, record: Record, tmp_path: Path) -> None:
    written, absent = draw.draw(study, record, "ieee")
    assert absent == {}
    names = {f"{figure}.{kind}" for figure in ("bars", "lines") for kind in ("pdf", "svg", "png", "csv", "json")}
    assert {path.name for path in written} == {path.name for path in (tmp_path / "figures").iterdir()} == names
    assert (tmp_path / "figures" / "bars.csv").read_text() == "venue,samples\nieee,3\n"
    described = json.loads((tmp_path / "figures" / "lines.json").read_text())["provenance"]
    assert described == figure_provenance(record, "lines", "ieee")
    assert (described["record"], described["commit"]["id"]) == ("tiny-1.parquet", "abc")
    assert described["call"] == "aeadlab figure tiny --venue ieee"


@pytest.mark.parametrize(
    ("process", "second"),
    [([0, 0, 0], " Intervals hold within one process."), ([0, 1, 1], " Intervals hold within 2 processes."),
     ([0, 1, 2], "")],
)  # fmt: skip
def test_a_caption_says_of_how_few_processes_its_intervals_are(
    monkeypatch: pytest.MonkeyPatch, study: Study, record: Record, process: list[int], second: str
) -> None:
    captions = []

    def captioned(samples: pd.DataFrame, venue: str) -> tuple[Figure, pd.DataFrame]:
        captions.append(Caption(["Result.", "Bars: 95 % intervals."], 4.0).text)
        return bars(samples, venue)

    monkeypatch.setitem(study.figures, "bars", captioned)
    study.draw("bars", Record(record.path, record.samples.assign(process=process), record.provenance), "lncs")
    assert captions == [f"Result.{second} Bars: 95 % intervals."]
    assert Caption(["Result."], 4.0).text == "Result.", "no sentence outside of a drawing"


def test_figures_are_written_to_the_given_folder(study: Study, record: Record, tmp_path: Path) -> None:
    assert {path.parent for path in draw.draw(study, record, folder=tmp_path / "other")[0]} == {tmp_path / "other"}


def test_rejects_a_record_of_another_study(study: Study, record: Record) -> None:
    with pytest.raises(ArgumentError, match=r"tiny-1.parquet is a record of study tiny; choose a record of baselines"):
        draw.draw(find_study("baselines"), record)


@pytest.mark.usefixtures("study")
def test_show_writes_the_files_and_returns_the_figure(record: Record, tmp_path: Path) -> None:
    assert isinstance(show(record, "bars"), Figure)
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {"bars"}
    assert table(record, "bars", "acm")["venue"].tolist() == ["acm"]


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("function", [show, table])
def test_unknown_figure_error_lists_the_known_ones(record: Record, function: object, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="study tiny has no figure 'pie'; it has bars, lines"):
        function(record, "pie")  # type: ignore[operator]
    assert not (tmp_path / "figures").exists()


def test_a_figure_receives_the_facts_of_its_parameters(
    study: Study, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lines(samples: pd.DataFrame, venue: str, refused: dict[str, str]) -> tuple[Figure, pd.DataFrame]:
        return Figure(), pd.DataFrame({"refused": list(refused)})

    monkeypatch.setitem(sys.modules, "tiny.figures", SimpleNamespace(FIGURES={"bars": bars, "lines": lines}))
    record.provenance["refused"] = {"gone/aes-256-gcm": "absent"}
    assert study.draw("lines", record, "lncs")[1]["refused"].tolist() == ["gone/aes-256-gcm"]
    assert study.draw("bars", record, "lncs")[1]["samples"].tolist() == [3]
