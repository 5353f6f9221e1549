"""The progress line of a command: stage, time since the start, and time left.

It is imported and shown before the packages that take seconds to load, and therefore imports none of them.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Final, Self, TextIO

from aeadlab.display.progress import Work, show_on
from aeadlab.display.terminal import fill

FIRST_SECONDS = 0.6
"""Time until the first line where standard error is no terminal; a command with invalid arguments ends before."""

EVERY_SECONDS = 10.0
"""Time between two lines where standard error is no terminal."""

_REDRAW_SECONDS: Final = 0.5
_CLEAR: Final = "\r\x1b[K"


class ProgressLine:
    """Shows the progress of the work within its context on standard error.

    A terminal has one line, which is redrawn and removed at the end. Otherwise a line is printed every ten seconds.

    Parameters
    ----------
    command
        First words of a printed line.

    Attributes
    ----------
    place
        Part of the work, such as ``notebook 2/12``, which stands for the stage where no progress is known.
    stage
        Name of the stage; that of the most recent work.
    elsewhere
        Returns the work of another process where this one has none.
    """

    def __init__(self, command: str, stream: TextIO | None = None) -> None:
        self.place = ""
        self.stage = "starting"
        self.elsewhere: Callable[[], Work | None] = lambda: None
        self._command = command
        self._stream = sys.stderr if stream is None else stream
        self._works: list[Work] = []
        self._begun = time.monotonic()
        self._ended = Event()
        self._lock = Lock()
        self._shown: AbstractContextManager[None] = show_on(self)

    def add(self, work: Work) -> None:
        """Show work from now on."""
        self._works.append(work)
        self.stage = work.name

    def remove(self, work: Work) -> None:
        """Show the work before it again."""
        self._works.remove(work)

    def work(self) -> Work | None:
        """Return the work that is shown."""
        return self._works[-1] if self._works else self.elsewhere()

    def text(self, now: float) -> str:
        """Return the line at a time on the monotonic clock."""
        work = self.work()
        left = None if work is None else work.left(now)
        stage = str(work or "" if self.place else work or self.stage)
        parts = [self.place, stage, f"{_minutes(now - self._begun)} gone"]
        parts += [f"{_minutes(left)} left"] if left is not None else []
        return ", ".join(filter(None, parts))

    def print(self, text: str) -> None:
        """Print text to standard output, above the line."""
        with self._lock:
            if self._stream is not None and self._stream.isatty():
                self._write(_CLEAR)
            print(text, flush=True)

    def note(self, text: str) -> None:
        """Print text to standard error, above the line."""
        if self._stream is not None:
            with self._lock:
                start = _CLEAR if self._stream.isatty() else ""
                self._write(f"{start}{fill(f'{self._command}: {text}')}\n")

    def __enter__(self) -> Self:
        self._shown.__enter__()
        if self._stream is not None:
            is_terminal = self._stream.isatty()
            if is_terminal:
                self._redraw()
            Thread(target=self._run, args=(is_terminal,), daemon=True, name="progress line").start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shown.__exit__(kind, error, trace)
        with self._lock:
            self._ended.set()
            if self._stream is not None and self._stream.isatty():
                self._write(_CLEAR)

    def _run(self, is_terminal: bool) -> None:
        wait = _REDRAW_SECONDS if is_terminal else FIRST_SECONDS
        while not self._ended.wait(wait):
            with self._lock:
                if self._ended.is_set():
                    return
                if is_terminal:
                    self._redraw()
                else:
                    wait = EVERY_SECONDS
                    self._write(f"{self._command}: {self.text(time.monotonic())}\n")

    def _redraw(self) -> None:
        # A line as wide as the terminal would wrap, and could not be cleared.
        columns = shutil.get_terminal_size().columns
        self._write(f"{_CLEAR}{self.text(time.monotonic())[: columns - 1]}")

    def _write(self, text: str) -> None:
        # A closed pipe must not end the work.
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
