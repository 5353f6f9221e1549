"""One way of showing progress: a bar where somebody can see it, nothing elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from aeadlab.front_end import in_notebook

TERMINAL = "AEADLAB_TERMINAL"
"""Environment variable: the terminal of the user, for a notebook's kernel that was started without a browser."""

PATIENCE = 2.0
"""Seconds before a bar appears."""


Watcher = Callable[[str, int, int], object]
"""Called with what is going on, how much of it is done, and how much there is; what it raises ends the work."""

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class Bar(Protocol):
    """What shows progress.

    Attributes
    ----------
    n
        How much is done.
    """

    n: Any

    def update(self, n: int = 1) -> object:
        """So much more is done."""


class _Told:
    def __init__(self, watcher: Watcher, what: str, total: int) -> None:
        self.n = 0
        self._watcher, self._what, self._total = watcher, what, total
        self.update(0)

    def update(self, n: int = 1) -> None:
        self.n += n
        self._watcher(self._what, self.n, self._total)


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have this thread's work tell its progress to `watcher`, in place of bars."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


@contextmanager
def bar(total: int, what: str, unit: str) -> Iterator[Bar]:
    """A tqdm bar: on a terminal, in a notebook that someone looks at, or hidden; or what tells a watcher."""
    if (watcher := _watcher.get()) is not None:
        yield _Told(watcher, what, total)
        return
    import tqdm as package

    terminal = os.environ.get(TERMINAL)
    kind: Any = package.tqdm
    hidden = False
    if not terminal and in_notebook():
        import tqdm.notebook

        kind = tqdm.notebook.tqdm
    elif not terminal:
        hidden = not sys.stderr.isatty()
    with ExitStack() as stack:
        file = stack.enter_context(open(terminal, "w", encoding="utf-8")) if terminal else None
        yield stack.enter_context(
            kind(total=total, desc=what, unit=unit, disable=hidden, delay=PATIENCE, leave=False, file=file)
        )
