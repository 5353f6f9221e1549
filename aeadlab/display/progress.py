"""Progress of long work: on the progress line of a command, in a callback, or as a bar when interactive."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from aeadlab.display.front_end import in_notebook
from aeadlab.display.units import count_noun

PROGRESS = "AEADLAB_PROGRESS"
"""Environment variable: the file to which the kernel of a notebook that is executed without a browser writes its
progress; see `read_work`."""

DELAY_SECONDS = 2.0
"""Shorter work shows no bar."""

WRITE_SECONDS = 0.25
"""Time between two writes to the file `PROGRESS`."""

Callback = Callable[[str, int, int], object]
"""Called with the name of the work, the units done and the total; an exception that it raises ends the work."""


@dataclass
class Work:
    """Work of a known extent.

    Attributes
    ----------
    name, unit
        Of the work and of its units, such as ``measuring`` and ``sample``.
    total, n
        Units in all, and done.
    limit
        Seconds after which the work ends even if units remain; None for no limit.
    begun
        Time of the start on the monotonic clock, which all processes share.
    first
        Units done at the first update, which a resumed run did not do now.
    resumes
        Whether the units done are stored, so that the same command does only the others.
    """

    name: str
    unit: str
    total: int
    limit: float | None = None
    n: int = 0
    begun: float = field(default_factory=time.monotonic)
    first: int | None = None
    resumes: bool = False

    def update(self, n: int = 1) -> None:
        """Add `n` to the units done."""
        self.n += n
        if self.first is None and n:
            self.first = self.n if n > 1 else 0

    def left(self, now: float) -> float | None:
        """Return the seconds left, from the time per unit so far and `limit`; None where nothing is known."""
        elapsed, done = now - self.begun, self.n - (self.first or 0)
        left = elapsed / done * (self.total - self.n) if done > 0 else None
        if self.limit is not None:
            left = min(self.limit - elapsed, self.limit if left is None else left)
        return None if left is None else max(left, 0.0)

    def __str__(self) -> str:
        return f"{self.name} {self.n:,} of {self.total:,}"

    @property
    def interrupted(self) -> str:
        """The end of the message after an interrupt: ``after 5 of 12 samples; the same command resumes``."""
        text = f"after {self.n:,} of {count_noun(self.total, self.unit)}"
        return f"{text}; the same command resumes" if self.resumes else text


class Display(Protocol):
    """Shows work; the most recently added is shown."""

    def add(self, work: Work) -> object:
        """Show work from now on."""

    def remove(self, work: Work) -> object:
        """Show the work before it again."""


_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)
_display: ContextVar[Display | None] = ContextVar("display", default=None)


class Bar(Protocol):
    """An indicator of progress.

    Attributes
    ----------
    n
        Units done.
    """

    n: Any

    def update(self, n: int = 1) -> object:
        """Add `n` to the units done."""


class _CallbackBar:
    def __init__(self, callback: Callback, name: str, total: int) -> None:
        self.n = 0
        self._callback, self._name, self._total = callback, name, total
        self.update(0)

    def update(self, n: int = 1) -> None:
        self.n += n
        self._callback(self._name, self.n, self._total)


class _FileBar:
    def __init__(self, work: Work, file: Path) -> None:
        self.n = 0
        self._work, self._file, self._written = work, file, 0.0
        self.update(0)

    def update(self, n: int = 1) -> None:
        self._work.update(n)
        self.n = self._work.n
        if (now := time.monotonic()) - self._written >= WRITE_SECONDS:
            self._written = now
            self._write(json.dumps(asdict(self._work)))

    def _write(self, text: str) -> None:
        # Progress that cannot be written must not end a measurement.
        with suppress(OSError):
            self._file.write_text(text, encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")


def read_work(file: Path) -> Work | None:
    """Return the work that a kernel has written to the file `PROGRESS`; None for none, or an incomplete text."""
    try:
        return Work(**json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


@contextmanager
def report_to(callback: Callback) -> Iterator[None]:
    """Pass the progress of work within this context to `callback` instead of showing it."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


@contextmanager
def show_on(display: Display) -> Iterator[None]:
    """Show the progress of work within this context on a display."""
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)


@contextmanager
def bar(total: int, name: str, unit: str, limit: float | None = None, *, resumes: bool = False) -> Iterator[Bar]:
    """Return an indicator for work of `total` units, which ends after `limit` seconds if that is given.

    A `KeyboardInterrupt` during the work gets a message with the units done, and whether the same command `resumes`.

    The indicator is the callback of `report_to`, else the display of `show_on`, else the file `PROGRESS`, else tqdm on
    a terminal or in a notebook, and else hidden.
    """
    work = Work(name, unit, total, limit, resumes=resumes)
    with _shown(work) as shown:
        try:
            yield shown
        except KeyboardInterrupt as interrupt:
            if str(interrupt):
                raise
            work.n = shown.n
            raise KeyboardInterrupt(f"interrupted {work.interrupted}") from None


@contextmanager
def _shown(work: Work) -> Iterator[Bar]:
    if (callback := _callback.get()) is not None:
        yield _CallbackBar(callback, work.name, work.total)
        return
    if (display := _display.get()) is not None:
        display.add(work)
        try:
            yield work
        finally:
            display.remove(work)
        return
    if file := os.environ.get(PROGRESS):
        with _FileBar(work, Path(file)) as shown:
            yield shown
        return
    import tqdm as package

    kind: Any = package.tqdm
    hidden = False
    if in_notebook():
        import tqdm.notebook

        kind = tqdm.notebook.tqdm
    else:
        hidden = not sys.stderr.isatty()
    options = {"disable": hidden, "delay": DELAY_SECONDS, "leave": False}
    with kind(total=work.total, desc=work.name, unit=work.unit, **options) as shown:
        # A hidden bar of tqdm does not count.
        yield work if hidden else shown
