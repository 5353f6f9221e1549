"""Progress of long work: a progress bar when interactive, a callback when one is set, otherwise nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from aeadlab.display.front_end import in_notebook

TERMINAL = "AEADLAB_TERMINAL"
"""Environment variable: the user's terminal, for the kernel of a notebook that is executed without a browser."""

DELAY_SECONDS = 2.0
"""Shorter work shows no bar."""


Callback = Callable[[str, int, int], object]
"""Called with the name of the work, the units done and the total; an exception that it raises ends the work."""

_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)


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


@contextmanager
def report_to(callback: Callback) -> Iterator[None]:
    """Pass the progress of work within this context to `callback` instead of showing bars."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


@contextmanager
def bar(total: int, name: str, unit: str) -> Iterator[Bar]:
    """Return a bar for work of `total` units: tqdm on a terminal or in a notebook, else hidden.

    Within `report_to` the bar calls the callback instead.
    """
    if (callback := _callback.get()) is not None:
        yield _CallbackBar(callback, name, total)
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
            kind(total=total, desc=name, unit=unit, disable=hidden, delay=DELAY_SECONDS, leave=False, file=file)
        )
