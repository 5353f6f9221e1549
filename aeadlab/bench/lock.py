"""One measurement at a time on a machine: two would time each other."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeadlab.errors import BusyError

PATH = Path("/tmp/aeadlab-measurement.lock")
"""The same for all users, whatever their TMPDIR."""


VARIABLE = "AEADLAB_LOCK"
"""Environment variable: another file in place of `PATH`. Who has another lock counts as another machine: for tests."""


def place() -> Path:
    """The file of the machine's lock."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else PATH


@contextmanager
def machine_lock(path: Path | None = None) -> Iterator[int]:
    """Hold the machine's lock; the kernel lets it go when every process that has it ended, however it ends.

    Parameters
    ----------
    path
        The lock's file; None means `place()`.

    Yields
    ------
    int
        The lock's file descriptor, for children that shall hold it too.

    Raises
    ------
    aeadlab.errors.BusyError
        If another process holds it, or that cannot be told.
    """
    descriptor = _opened(place() if path is None else path)
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


def _opened(path: Path) -> int:
    """A descriptor of the lock's file, which stays there for all users."""
    # A link that somebody put there is not followed: its target would be overwritten.
    flags = os.O_RDWR | os.O_NOFOLLOW
    try:
        try:
            # Linux refuses O_CREAT on a file of another user in /tmp (fs.protected_regular).
            return os.open(path, flags)
        except FileNotFoundError:
            descriptor = os.open(path, flags | os.O_CREAT, 0o666)
            os.fchmod(descriptor, 0o666)
            return descriptor
    except OSError as error:
        raise BusyError(
            f"whether another process measures cannot be told: {path} cannot be opened ({error.strerror}), remove it"
        ) from error
