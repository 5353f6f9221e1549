from __future__ import annotations

import importlib
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeadlab.display import progress
from aeadlab.display.progress import Work, bar, read_work, report_to


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
def test_shows_a_bar_on_the_terminal(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar(3, "measuring", "sample") as shown:
        shown.update(2)
        shown.refresh()  # type: ignore[attr-defined]
    seen = capfd.readouterr().err
    assert "measuring" in seen and "2/3" in seen


def test_a_kernel_writes_its_work_to_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "progress"
    assert read_work(file) is None
    monkeypatch.setenv(progress.PROGRESS, str(file))
    monkeypatch.setattr(progress, "WRITE_SECONDS", 0.0)
    with bar(30, "measuring", "sample", 60.0) as shown:
        shown.update(12)
        assert shown.n == 12
        work = read_work(file)
    assert work is not None and (str(work), work.limit) == ("measuring 12 of 30", 60.0)
    assert read_work(file) is None, "the work has ended"
    file.write_text('{"name": "measu')
    assert read_work(file) is None


def test_a_kernel_writes_at_most_four_times_each_second(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "progress"
    monkeypatch.setenv(progress.PROGRESS, str(file))
    with bar(30, "measuring", "sample") as shown:
        shown.update(12)
        work = read_work(file)
    assert work is not None and work.n == 0


def test_an_unwritable_file_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(progress.PROGRESS, str(tmp_path / "no" / "such"))
    with bar(3, "measuring", "sample") as shown:
        shown.update()


@pytest.mark.parametrize(
    ("done", "limit", "left"),
    [
        ((), None, None),
        ((), 60.0, 50.0),
        # 2 units in 10 s; 8 remain.
        ((1, 1), None, 40.0),
        ((1, 1), 60.0, 40.0),
        ((1, 1), 30.0, 20.0),
        ((1, 1), 5.0, 0.0),
        # 6 units of an earlier process: 2 in 10 s; 2 remain.
        ((6, 1, 1), None, 10.0),
    ],
)
def test_time_left_follows_from_the_rate_and_the_limit(
    done: tuple[int, ...], limit: float | None, left: float | None
) -> None:
    work = Work("measuring", "sample", 10, limit, begun=100.0)
    for n in done:
        work.update(n)
    assert work.left(110.0) == left


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


@pytest.mark.parametrize("resumes", [True, False])
def test_an_interrupt_has_the_units_done(resumes: bool) -> None:
    end = "; the same command resumes" if resumes else ""
    with (
        pytest.raises(KeyboardInterrupt, match=f"^interrupted after 2 of 1,200 samples{end}$"),
        bar(1200, "measuring", "sample", resumes=resumes) as shown,
    ):
        shown.update(2)
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt, match="^with a message$"), bar(3, "measuring", "sample"):
        raise KeyboardInterrupt("with a message")
