from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import aeadlab
from aeadlab._native import MAX_THREADS
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.stats.resolution import NOISE, resolution
from aeadlab.studies.candidates import BASELINES

pytestmark = pytest.mark.usefixtures("own_folders")

GCM, XOR, ABSENT = "rustcrypto/aes-256-gcm", "baseline/xor", "gone/aes-256-gcm"


def test_measures_and_draws_with_notebook_parameters(tmp_path: Path) -> None:
    names = f'["{GCM}"]'
    prepared = aeadlab.prepare(
        "baselines",
        "smoke",
        size="4K",
        samples=2,
        threads="[1, 2]",
        implementations=names,
        venue="ieee",
        output=tmp_path / "out",
    )
    record = prepared.measure()
    assert record.path.parent == tmp_path / "out" / "records"
    samples = record.samples[~record.samples["warmup"]]
    assert set(samples["implementation"]) == {GCM, *BASELINES}
    assert set(samples.loc[samples["engine"] == "parsplit", "threads"]) == {1, 2}
    assert (samples["bytes"].unique().tolist(), samples["round"].nunique()) == ([4096], 2)
    figure = prepared.show("figure-2-aeads")
    assert figure.get_size_inches()[0] == pytest.approx(3.5)
    assert (tmp_path / "out" / "figures" / "figure-2-aeads.pdf").is_file()
    assert GCM in set(prepared.table("figure-2-aeads")["implementation"])
    assert not (tmp_path / "results").exists()


def test_lists_absent_implementations_and_measures_the_rest() -> None:
    prepared = aeadlab.prepare("baselines", "smoke", size=4096, samples=1, implementations=[ABSENT, XOR])
    assert "Absent: " in repr(prepared) and ABSENT in repr(prepared) and "<li>" in prepared._repr_html_()
    assert {case.implementation for case in prepared.cases} == {*BASELINES}
    record = prepared.measure()
    assert set(record.samples["implementation"]) == {*BASELINES}
    assert ABSENT in record.provenance["refused"]
    assert record.provenance["selection"]["implementations"] == [ABSENT, XOR]


def test_raises_when_no_implementation_is_available() -> None:
    with pytest.raises(UnknownNameError, match=ABSENT):
        aeadlab.prepare("baselines", "smoke", implementations=[ABSENT])


def test_html_escapes_names() -> None:
    prepared = aeadlab.prepare("baselines", "smoke", implementations=["<b>/x", XOR])
    assert "<b>" not in prepared._repr_html_()


def test_announces_what_the_run_is_expected_to_show() -> None:
    prepared = aeadlab.prepare("baselines", "quick", implementations=[XOR])
    assert f"in 14 processes with 4 rounds each, for about 300 s. Expected, if {NOISE}: {resolution(14, 4)}." in repr(
        prepared
    )
    few = aeadlab.prepare("baselines", "quick", samples=16, implementations=[XOR])
    assert "in 14 processes with 1 or 2 rounds each" in repr(few) and str(resolution(14, 1)) in repr(few)
    smoke = aeadlab.prepare("baselines", "smoke", implementations=[XOR])
    assert "in 1 process with 5 rounds, for about 10 s" in repr(smoke) and "no verdicts" in repr(smoke)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"profile": "quik"}, "no profile is called 'quik'"),
        ({"threads": [300]}, f"threads 300: expected 1 to {MAX_THREADS}"),
        ({"venue": "natur"}, "there is no venue 'natur'"),
        ({"samples": -1}, "-1 samples given"),
        ({"size": -1}, "-1 bytes given"),
    ],
)
def test_rejects_wrong_parameters(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(aeadlab.Error, match=message):
        aeadlab.prepare("baselines", **{"profile": "smoke", **parameters})  # type: ignore[arg-type]


def test_rejects_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="output folder .*file.* cannot be written"):
        aeadlab.prepare("baselines", "smoke", output=tmp_path / "file")


def test_rejects_a_figure_before_the_measurement() -> None:
    with pytest.raises(ArgumentError, match=r"call measure\(\) first"):
        aeadlab.prepare("baselines", "smoke", implementations=[XOR]).show("figure-2-aeads")


def test_keeps_a_figure_with_its_numbers(tmp_path: Path) -> None:
    prepared = aeadlab.prepare("thread-modes", "smoke", output=tmp_path)
    shown = pd.DataFrame({"worker": [0, 1]})
    figure = Figure(figsize=(1, 1))
    assert prepared.keep("gantt", (figure, shown)) is figure
    folder = tmp_path / "figures"
    kinds = ("pdf", "svg", "png", "csv", "json")
    assert {path.name for path in folder.iterdir()} == {f"gantt.{kind}" for kind in kinds}
    assert (folder / "gantt.csv").read_text() == "worker\n0\n1\n"
    assert '"study": "thread-modes"' in (folder / "gantt.json").read_text()


def test_default_output_is_the_results_folder(tmp_path: Path) -> None:
    prepared = aeadlab.prepare("baselines", "smoke", implementations=[XOR])
    assert prepared.folder == Path(os.environ["AEADLAB_RESULTS"])
