"""Writing to files while the next piece of a stream is made."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, Final

_SERIAL_PIECES: Final = 2
"""Header and first batch, after which a short file ends: a thread would cost more than it saves."""


def may_write_behind(sink: Any) -> bool:
    """Return whether another thread may write: to a regular file without a buffer of Python.

    A write to a pipe can wait without end, and then Ctrl-C would have to wait for the thread.
    """
    return isinstance(sink, io.FileIO) and stat.S_ISREG(os.fstat(sink.fileno()).st_mode)


def write_all(pieces: Iterator[memoryview], write: Callable[[memoryview], None], *, behind: bool) -> int:
    """Write all pieces and return the number of bytes.

    Parameters
    ----------
    behind
        Whether each piece is written by another thread while the next one is made. A piece must then stay unchanged
        until the one after the next is requested.
    """
    written = 0

    def counted(piece: memoryview) -> None:
        nonlocal written
        write(piece)
        written += len(piece)

    for piece in islice(pieces, _SERIAL_PIECES) if behind else pieces:
        counted(piece)
    if not behind:
        return written
    pending: Future[None] | None = None
    with ThreadPoolExecutor(1, "aeadlab-write") as writer:
        for piece in pieces:
            if pending is not None:
                pending.result()
            pending = writer.submit(counted, piece)
        if pending is not None:
            pending.result()
    return written
