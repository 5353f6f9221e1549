"""One way of showing progress: a bar where somebody can see it, nothing elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

TERMINAL = "AEADLAB_TERMINAL"
"""Environment variable: the terminal of the user, for a notebook's kernel that was started without a browser."""

PATIENCE = 2.0
"""Seconds before a bar appears."""


@contextmanager
def bar(total: int, what: str, unit: str) -> Iterator[tqdm[None]]:
    """A tqdm bar: on a terminal, in a notebook that someone looks at, or hidden."""
    import tqdm as package

    terminal = os.environ.get(TERMINAL)
    kind: Any = package.tqdm
    hidden = False
    if not terminal and _in_notebook():
        import tqdm.notebook

        kind = tqdm.notebook.tqdm
    elif not terminal:
        hidden = not sys.stderr.isatty()
    with ExitStack() as stack:
        file = stack.enter_context(open(terminal, "w", encoding="utf-8")) if terminal else None
        yield stack.enter_context(
            kind(total=total, desc=what, unit=unit, disable=hidden, delay=PATIENCE, leave=False, file=file)
        )


def _in_notebook() -> bool:
    """Whether this process is a notebook's kernel; IPython in a terminal is none, and the package may be loaded."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
