"""One measurement at a time on a machine: two would time each other."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeadlab.errors import BusyError

PATH = Path(tempfile.gettempdir()) / "aeadlab-measurement.lock"


@contextmanager
def machine_lock(path: Path = PATH) -> Iterator[int]:
    """Hold the machine's lock; the kernel lets it go when every process that has it ended, however it ends.

    Yields
    ------
    int
        The lock's file descriptor, for children that shall hold it too.

    Raises
    ------
    aeadlab.errors.BusyError
        If another process holds it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            raise BusyError(
                f"process {holder} is measuring on this machine: wait until it ends, two would time each other"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)
