from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aeadlab.display import progress_line
from aeadlab.display.progress import Work, bar
from aeadlab.display.progress_line import ProgressLine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait_for(stream: io.StringIO, text: str) -> None:
    end = time.monotonic() + 20
    while text not in stream.getvalue():
        assert time.monotonic() < end, stream.getvalue()
        time.sleep(0.01)


def test_prints_lines_while_the_main_thread_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_line, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(progress_line, "EVERY_SECONDS", 0.02)
    stream = io.StringIO()
    with ProgressLine("aeadlab measure", stream):
        wait_for(stream, "aeadlab measure: starting, 0:00 gone\n")
        with bar(1300, "measuring", "sample", 65.0) as shown:
            shown.update(12)
            wait_for(stream, "aeadlab measure: measuring 12 of 1,300, 0:00 gone, 1:05 left\n")
            with bar(3, "drawing", "figure"):
                wait_for(stream, "drawing 0 of 3")
        wait_for(stream, "drawing, 0:00 gone\n")
    assert "\r" not in stream.getvalue() and "\x1b" not in stream.getvalue()
    printed = stream.getvalue()
    time.sleep(0.1)
    assert stream.getvalue() == printed, "nothing is printed after the end"


def test_a_short_command_prints_nothing() -> None:
    stream = io.StringIO()
    with ProgressLine("aeadlab measure", stream), bar(3, "measuring", "sample") as shown:
        shown.update(3)
    assert stream.getvalue() == ""


def test_a_terminal_has_one_line_at_once_which_is_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr(progress_line, "_REDRAW_SECONDS", 0.02)
    stream = Terminal()
    with ProgressLine("aeadlab run", stream) as line:
        assert stream.getvalue() == "\r\x1b[Kstarting, 0:00 gone"[: 4 + 19]
        line.place = "cell 3/12"
        wait_for(stream, "\r\x1b[Kcell 3/12, 0:00 gon\r")
        line.print("done")
    assert stream.getvalue().endswith("\r\x1b[K") and "\n" not in stream.getvalue()
    assert capsys.readouterr().out == "done\n"


def test_a_note_is_above_the_line_of_a_terminal() -> None:
    piped, terminal = io.StringIO(), Terminal()
    for stream in (piped, terminal):
        with ProgressLine("aeadlab measure", stream) as line:
            line.note("a note that is longer than a line of 80 columns, which is the width of a terminal")
    expected = "aeadlab measure: a note that is longer than a line of 80 columns, which is the\n  width of a terminal\n"
    assert piped.getvalue() == expected
    assert f"\r\x1b[K{expected}" in terminal.getvalue()


def test_shows_the_work_of_another_process() -> None:
    line = ProgressLine("aeadlab run", io.StringIO())
    line.place = "notebook 2/12, cell 3/9"
    now = time.monotonic()
    assert line.text(now + 5) == "notebook 2/12, cell 3/9, 0:05 gone"
    line.elsewhere = lambda: Work("measuring", "sample", 10, n=5, begun=now, first=0)
    assert line.text(now + 3725) == "notebook 2/12, cell 3/9, measuring 5 of 10, 1:02:05 gone, 1:02:05 left"


def test_a_closed_stream_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_line, "FIRST_SECONDS", 0.0)

    class Closed(io.StringIO):
        def isatty(self) -> bool:
            return False

        def write(self, _: str) -> int:
            raise BrokenPipeError

    with ProgressLine("aeadlab run", Closed()), bar(3, "measuring", "sample") as shown:
        time.sleep(0.05)
        shown.update()


def test_imports_nothing_that_takes_long(tmp_path: Path) -> None:
    """The line is shown before NumPy, pandas and Matplotlib are loaded."""
    code = "import sys; import aeadlab.cli.measure, aeadlab.cli.run, aeadlab.cli.speed, aeadlab.cli.verify; "
    code += "print(*{'numpy', 'pandas', 'matplotlib', 'papermill', 'tqdm'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.strip() == ""
