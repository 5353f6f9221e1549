from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import aeadlab
from aeadlab.errors import ArgumentError, UnknownNameError

pytestmark = pytest.mark.usefixtures("own_folders")

GCM, XOR, GONE = "rustcrypto/aes-256-gcm", "baseline/xor", "gone/aes-256-gcm"


def test_a_study_is_measured_and_drawn_with_a_notebooks_parameters(tmp_path: Path) -> None:
    names = f'["{GCM}"]'
    ready = aeadlab.prepare(
        "baselines",
        "smoke",
        size=4096,
        samples=2,
        threads="[1, 2]",
        implementations=names,
        venue="ieee",
        output=tmp_path / "out",
    )
    record = ready.measure()
    assert record.path.parent == tmp_path / "out" / "records"
    samples = record.samples[~record.samples["warmup"]]
    assert set(samples["implementation"]) == {GCM, XOR, "baseline/memcpy"}
    assert set(samples.loc[samples["engine"] == "parsplit", "threads"]) == {1, 2}
    assert (samples["bytes"].unique().tolist(), samples["round"].nunique()) == ([4096], 2)
    figure = ready.show("figure-2-aeads")
    assert figure.get_size_inches()[0] == pytest.approx(3.5)
    assert (tmp_path / "out" / "figures" / "figure-2-aeads.pdf").is_file()
    assert GCM in set(ready.table("figure-2-aeads")["implementation"])
    assert not (tmp_path / "results").exists()


def test_what_is_absent_is_said_first_and_the_rest_goes_on() -> None:
    ready = aeadlab.prepare("baselines", "smoke", size=4096, samples=1, implementations=[GONE, XOR])
    assert "Absent: " in repr(ready) and GONE in repr(ready) and "<li>" in ready._repr_html_()
    assert {case.implementation for case in ready.cases} == {XOR, "baseline/memcpy"}
    record = ready.measure()
    assert set(record.samples["implementation"]) == {XOR, "baseline/memcpy"}
    assert GONE in record.provenance["refused"]
    assert record.provenance["selection"]["implementations"] == [GONE, XOR]


def test_nothing_left_is_an_error_that_names_the_reason() -> None:
    with pytest.raises(UnknownNameError, match=GONE):
        aeadlab.prepare("baselines", "smoke", implementations=[GONE])


def test_html_of_a_name_is_text() -> None:
    ready = aeadlab.prepare("baselines", "smoke", implementations=["<b>/x", XOR])
    assert "<b>" not in ready._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"profile": "quik"}, "no profile is called 'quik'"),
        ({"threads": [300]}, "300 threads given, 1 to 256 wanted"),
        ({"venue": "natur"}, "there is no venue 'natur'"),
        ({"samples": -1}, "-1 samples given"),
        ({"size": -1}, "-1 bytes given"),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_is_measured(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(aeadlab.Error, match=said):
        aeadlab.prepare("baselines", **{"profile": "smoke", **wrong})  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="output folder .*file.* cannot be written"):
        aeadlab.prepare("baselines", "smoke", output=tmp_path / "file")


def test_a_figure_before_the_measurement_is_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"call measure\(\) first"):
        aeadlab.prepare("baselines", "smoke", implementations=[XOR]).show("figure-2-aeads")


def test_a_figure_of_something_else_is_kept_with_what_it_shows(tmp_path: Path) -> None:
    ready = aeadlab.prepare("thread-modes", "smoke", output=tmp_path)
    shown = pd.DataFrame({"worker": [0, 1]})
    figure = Figure(figsize=(1, 1))
    assert ready.keep("gantt", (figure, shown)) is figure
    folder = tmp_path / "figures"
    kinds = ("pdf", "svg", "png", "csv", "json")
    assert {path.name for path in folder.iterdir()} == {f"gantt.{kind}" for kind in kinds}
    assert (folder / "gantt.csv").read_text() == "worker\n0\n1\n"
    assert '"study": "thread-modes"' in (folder / "gantt.json").read_text()


def test_results_go_to_the_results_folder_unless_told(tmp_path: Path) -> None:
    ready = aeadlab.prepare("baselines", "smoke", implementations=[XOR])
    assert ready.folder == Path(os.environ["AEADLAB_RESULTS"])
