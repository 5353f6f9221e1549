"""Files that are given as paths."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from aeadlab.parsplit.stream_io import Sink, Source

StrPath: TypeAlias = str | os.PathLike[str]


@contextmanager
def opened_source(source: Source | StrPath) -> Iterator[Any]:
    """Open a path for reading for the duration of the block; a file-like object is passed on and stays open."""
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    with open(source, "rb", buffering=0) as file:
        yield file


@contextmanager
def opened_sink(sink: Sink | StrPath) -> Iterator[Any]:
    """Open a path for writing for the duration of the block; a file-like object is passed on and stays open.

    A regular file gets its new content when the block ends without an error: until then a temporary file beside it is
    written, so that neither a part of a message nor unverified data has the name, and `source` may be the same path.
    """
    if not isinstance(sink, str | os.PathLike):
        yield sink
        return
    path = os.path.realpath(sink)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb", buffering=0) as file:
            yield file
        return
    partial = f"{path}.{secrets.token_hex(4)}.partial"
    try:
        with open(partial, "xb", buffering=0) as file:
            if os.path.exists(path):
                shutil.copymode(path, partial)
            yield file
        os.replace(partial, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise
