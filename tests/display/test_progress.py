from __future__ import annotations

import importlib
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.display import progress
from aeadlab.display.progress import bar, report_to


@pytest.fixture
def without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)


@pytest.mark.usefixtures("without_delay")
def test_shows_no_bar_without_a_terminal_or_notebook(capfd: pytest.CaptureFixture[str]) -> None:
    # A program that executes notebooks has these modules loaded without being a notebook.
    assert importlib.import_module("ipykernel") and importlib.import_module("IPython")
    with bar(3, "measuring", "sample") as shown:
        for _ in range(3):
            shown.update()
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("without_delay")
@pytest.mark.parametrize("where", ["terminal", "kernel"])
def test_shows_a_bar_on_the_terminal_also_from_a_kernel(
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


def test_short_work_shows_no_bar(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar(3, "measuring", "sample") as shown:
        shown.update(3)
    assert "measuring" not in capfd.readouterr().err


@pytest.mark.usefixtures("without_delay")
def test_a_notebook_gets_a_widget_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    kinds = []
    monkeypatch.setattr("tqdm.notebook.tqdm", lambda **options: kinds.append(options) or nullcontext())
    with bar(3, "measuring", "sample"):
        pass
    assert [(options["total"], options["disable"]) for options in kinds] == [(3, False)]


def test_a_callback_replaces_the_bar_and_can_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tqdm.tqdm", lambda **_: pytest.fail("a bar is created despite the callback"))
    calls: list[tuple[str, int, int]] = []

    def callback(*arguments: Any) -> None:
        calls.append(arguments)
        if arguments[1] == 2:
            raise InterruptedError

    with report_to(callback), pytest.raises(InterruptedError), bar(3, "measuring", "sample") as shown:
        for _ in range(3):
            shown.update()
    assert calls == [("measuring", 0, 3), ("measuring", 1, 3), ("measuring", 2, 3)]
    monkeypatch.undo()
    with bar(1, "measuring", "sample") as shown:
        shown.update()
    assert len(calls) == 3
