from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import aeadlab
from aeadlab.display import front_end
from aeadlab.errors import BusyError
from aeadlab.lab.interactive.measure_button import measure_button
from aeadlab.lab.prepared import Prepared

Write = Callable[..., Path]


@pytest.fixture
def study(write_record: Write, own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    write_record(study="baselines", folder=own_folders / "reference")
    monkeypatch.setenv(front_end.WIDGETS, "1")
    return aeadlab.prepare("baselines", "reference", implementations=["openssl/aes-256-gcm"])


def test_a_reference_study_has_a_button_where_widgets_are_shown(
    study: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "application/vnd.jupyter.widget-view+json" in study._repr_mimebundle_()
    monkeypatch.setenv(front_end.WIDGETS, "0")
    assert set(study._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_the_button_measures_the_same_selection_here(study: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Prepared.measure_here
    monkeypatch.setattr(Prepared, "measure_here", lambda self: here(self, "smoke"))
    before = study.record
    text, button, _ = measure_button(study).children
    button.click()
    assert study.record is not before and study.record is not None and not study.stored
    assert {*study.record.samples["implementation"]} >= {"openssl/aes-256-gcm"}
    assert study.profile.name == "smoke" and str(study.record.path) in text.value and not button.disabled
    assert study.measure_here.__self__ is study


def test_errors_are_shown(study: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_: Prepared) -> None:
        raise BusyError("another process measures")

    monkeypatch.setattr(Prepared, "measure_here", busy)
    text, button, _ = measure_button(study).children
    button.click()
    assert "another process measures" in text.value and study.stored and not button.disabled
