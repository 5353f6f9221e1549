from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab.comparison import Compared
from aeadlab.display import front_end
from aeadlab.errors import ArgumentError, UnknownNameError
from aeadlab.lab.exploring.record_form import RecordForm
from aeadlab.lab.exploring.record_view import RecordView
from aeadlab.lab.stored import reference_record
from aeadlab.records.record import Record

Write = Callable[..., Path]
GCM, RING = "openssl/aes-256-gcm", "ring/aes-256-gcm"
POINT = f"{RING} 1 MiB, seal"
FIRST_PICTURE_SECONDS = 2.0


@pytest.fixture
def record(write_record: Write) -> Record:
    return aeadlab.load_record(write_record())


@pytest.fixture
def form(record: Record, write_record: Write, monkeypatch: pytest.MonkeyPatch) -> RecordForm:
    write_record("20260202T030405Z")
    monkeypatch.setenv(front_end.WIDGETS, "1")
    made = aeadlab.explore(record)
    assert isinstance(made, RecordForm)
    return made


def test_filters_by_library_and_algorithm(record: Record) -> None:
    view = RecordView(record, library="ring")
    assert {*view.table["implementation"]} == {RING} and view.table["share"].notna().all()
    assert {*RecordView(record, algorithm="aes-256-gcm").table["implementation"]} == {GCM, RING}
    assert view.values("library") == ["baseline", "openssl", "ring"]


def test_axis_and_colours_follow_the_cases(record: Record) -> None:
    view = RecordView(record)
    assert (
        view.axis == "bytes"
        and view.coloured == (RING, GCM, "baseline/memcpy")[: len(view.coloured)]
        or GCM in view.coloured
    )
    assert view.coloured[-1] == "baseline/memcpy", "baselines come last"
    chosen = RecordView(record, names=(GCM,), x="implementation", y="time")
    assert chosen.axis == "implementation" and chosen.coloured == (GCM,)
    assert chosen.illustrated.png() != view.illustrated.png()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"x": "byte"}, "x 'byte' given; did you mean bytes"),
        ({"y": "sped"}, "y 'sped' given; did you mean speed"),
        ({"kind": "aed"}, "kind 'aed' given; did you mean aead"),
        (
            {"names": ("openssl/aes-256-gmc",)},
            "has no implementation 'openssl/aes-256-gmc'; did you mean openssl/aes-256",
        ),
    ],
)
def test_unknown_names_suggest_the_nearest(record: Record, settings: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        RecordView(record, **settings)  # type: ignore[arg-type]


def test_an_empty_selection_is_one_line(record: Record) -> None:
    with pytest.raises(ArgumentError, match="has no case of ring, blake3 with a sample: choose others") as caught:
        RecordView(record, library="ring", algorithm="blake3").table  # noqa: B018
    assert "\n" not in str(caught.value)


def test_a_point_shows_its_samples(record: Record) -> None:
    view = RecordView(record, point=POINT)
    samples = view.samples_of(POINT)
    assert len(samples) == 30 and {*samples["implementation"]} == {RING} and {*samples["bytes"]} == {1 << 20}
    assert samples["order"].is_monotonic_increasing
    assert view.draw().get_size_inches()[1] > RecordView(record).draw().get_size_inches()[1]
    with pytest.raises(UnknownNameError, match="there is no point"):
        view.samples_of("x")


def test_two_records_are_compared(record: Record, write_record: Write) -> None:
    other = aeadlab.load_record(write_record("20260202T030405Z", factors={RING: 2.0}))
    view = RecordView(record, other=other)
    assert isinstance(view.compared, Compared) and f"Dashed: {other.name}" in view.illustrated.sentences[0]
    assert view.illustrated.png() != RecordView(record).illustrated.png()
    assert RecordView(record).compared is None
    assert "one record" in str(RecordView(record, other=record).compared)


def test_the_call_gives_the_same_view_and_is_exported(record: Record, tmp_path: Path) -> None:
    view = RecordView(record, library="ring", y="time", point=POINT.replace(f"{RING} ", f"{RING} "))
    again = eval(view.call, {"aeadlab": aeadlab})
    assert isinstance(again, RecordView) and again.call == view.call
    assert again.illustrated.png() == view.illustrated.png()
    files = {path.suffix: path for path in view.export("seen", tmp_path)}
    assert set(files) == {".pdf", ".svg", ".png", ".csv", ".json"}
    assert json.loads(files[".json"].read_text())["provenance"]["call"] == view.call
    assert view.call in repr(view) and "<img" in view._repr_html_()


def test_explore_without_widgets_returns_the_view(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(front_end.WIDGETS, "0")
    assert isinstance(aeadlab.explore(record, x="bytes"), RecordView)
    with pytest.raises(ArgumentError, match="x given without a record"):
        aeadlab.explore(x="bytes")


@pytest.mark.parametrize("study", ["everything", "message-sizes"])
def test_the_first_picture_is_drawn_quickly(study: str) -> None:
    stored = reference_record(study)
    start = time.process_time()
    assert RecordView(stored).illustrated.png()
    assert time.process_time() - start < FIRST_PICTURE_SECONDS


def test_the_form_follows_its_controls(form: RecordForm) -> None:
    before, controls = bytes(form.picture.value), form.controls
    assert controls["names"].allowed_tags == ["baseline/memcpy", GCM, RING]
    controls["library"].value = "ring"
    assert form.view.library == "ring" and form.picture.value != before
    controls["names"].value = [RING]
    controls["y"].value = "time"
    assert (form.view.names, form.view.y) == ((RING,), "time") and form.view.call in form.table.value.replace(
        "&#x27;", "'"
    )
    (point, *_) = form.view.points
    controls["point"].value = point
    assert form.view.point == point
    assert "application/vnd.jupyter.widget-view+json" in form._repr_mimebundle_()


def test_the_form_keeps_the_view_where_nothing_matches(form: RecordForm) -> None:
    controls = form.controls
    controls["library"].value = "ring"
    controls["point"].value = next(iter(form.view.points))
    controls["algorithm"].value = "memcpy"
    assert "has no case of ring, memcpy" in form.status.value and form.view.algorithm == ""
    controls["library"].value = "baseline"
    assert form.status.value == "" and form.view.point == "", "the point is not among the cases"


def test_the_form_compares_and_exports(form: RecordForm) -> None:
    ((_, none), (label, other)) = form.controls["other"].options
    assert none is None and label == other.name
    form.controls["other"].value = other
    assert form.view.other is not None and form.view.other.path == other and "Dashed" in form.text.value
    form.export_button.click()
    assert "Written to" in form.status.value and form.status.value.count("<li>") == 5
