from __future__ import annotations

import ipywidgets as widgets
import pytest
from matplotlib.figure import Figure

from aeadlab.display import front_end
from aeadlab.errors import ArgumentError
from aeadlab.lab.illustrated import Illustrated
from aeadlab.lab.interactive.panel import choice, panel, slider


def drawn(count: int, name: str) -> Illustrated:
    if count > 8:
        raise ArgumentError(f"count {count} given, at most 8 expected")
    return Illustrated([f"{count} of {name}"], Figure(figsize=(count / 4, 1)))


def controls() -> dict[str, object]:
    return {"count": slider("count", 1, 10, 3), "name": choice("name", ["a", ("b and c", "b")][:1] + ["d"])}


def test_without_widgets_the_first_picture_is_static(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(front_end.WIDGETS, "0")
    shown = panel(drawn, **controls())
    assert isinstance(shown, Illustrated) and shown.sentences == ["3 of a"]


def test_the_picture_follows_the_controls_and_errors_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(front_end.WIDGETS, "1")
    count, name, text, picture = panel(drawn, **controls()).children
    first = bytes(picture.value)
    assert first.startswith(b"\x89PNG") and "3 of a" in text.value
    count.value = 5
    assert picture.value != first and "5 of a" in text.value
    name.value = "d"
    assert "5 of d" in text.value
    count.value = 9
    assert "at most 8 expected" in text.value
    assert "aeadlab-count" in count._dom_classes


def test_sliders_are_of_numbers_of_their_step() -> None:
    assert isinstance(slider("x", 1, 5, 2), widgets.IntSlider)
    assert slider("x", 0.5, 5.0, 2.0, 0.5).step == 0.5
    assert choice("x", [("one", 1), ("two", 2)]).value == 1 and choice("x", ["a", "b"], "b").value == "b"
