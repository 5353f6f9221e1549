from __future__ import annotations

import importlib
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab import progress
from aeadlab.progress import bar, watched_by


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


@pytest.mark.usefixtures("at_once")
def test_nothing_is_shown_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    # What executes notebooks has these loaded, and is no notebook itself.
    assert importlib.import_module("ipykernel") and importlib.import_module("IPython")
    with bar(3, "measuring", "sample") as shown:
        for _ in range(3):
            shown.update()
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("where", ["terminal", "kernel"])
def test_a_bar_is_shown_on_the_terminal_also_for_a_kernel_that_has_none(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    terminal = tmp_path / "terminal"
    if where == "terminal":
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    else:
        monkeypatch.setenv(progress.TERMINAL, str(terminal))
    with bar(3, "measuring", "sample") as shown:
        shown.update(2)
        shown.refresh()
    seen = capfd.readouterr().err if where == "terminal" else terminal.read_text()
    assert "measuring" in seen and "2/3" in seen


def test_work_of_less_than_two_seconds_shows_no_bar(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar(3, "measuring", "sample") as shown:
        shown.update(3)
    assert "measuring" not in capfd.readouterr().err


@pytest.mark.usefixtures("at_once")
def test_a_notebook_gets_a_bar_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    kinds = []
    monkeypatch.setattr("tqdm.notebook.tqdm", lambda **options: kinds.append(options) or nullcontext())
    with bar(3, "measuring", "sample"):
        pass
    assert [(options["total"], options["disable"]) for options in kinds] == [(3, False)]


def test_who_watches_is_told_in_place_of_a_bar_and_can_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tqdm.tqdm", lambda **_: pytest.fail("there is a watcher"))
    heard: list[tuple[str, int, int]] = []

    def watcher(*told: Any) -> None:
        heard.append(told)
        if told[1] == 2:
            raise InterruptedError

    with watched_by(watcher), pytest.raises(InterruptedError), bar(3, "measuring", "sample") as shown:
        for _ in range(3):
            shown.update()
    assert heard == [("measuring", 0, 3), ("measuring", 1, 3), ("measuring", 2, 3)]
    monkeypatch.undo()
    with bar(1, "measuring", "sample") as shown:
        shown.update()
    assert len(heard) == 3
