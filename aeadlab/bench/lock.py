"""The machine lock, which allows one measurement at a time: two would disturb each other."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeadlab.display.printable import printable
from aeadlab.errors import BusyError

PATH = Path("/tmp/aeadlab-measurement.lock")
"""The same file for all users, whatever their TMPDIR."""


VARIABLE = "AEADLAB_LOCK"
"""Environment variable with another file in place of `PATH`, for tests."""


def lock_path() -> Path:
    """Return the file of the machine lock."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else PATH


@contextmanager
def machine_lock(path: Path | None = None) -> Iterator[int]:
    """Hold the machine lock; the kernel releases it when every process that inherited it has ended.

    Parameters
    ----------
    path
        File of the lock; None means `lock_path()`.

    Yields
    ------
    int
        Its file descriptor, which child processes can inherit to hold it too.

    Raises
    ------
    aeadlab.errors.BusyError
        If another process holds it, or the file cannot be opened.
    """
    path = lock_path() if path is None else path
    descriptor = _open(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = printable(os.pread(descriptor, 32, 0).decode(errors="replace").strip()) or "unknown"
            raise BusyError(f"process {holder} is measuring on this machine: wait until it ends") from None
        except OSError as error:
            raise _unusable(path, str(error.strerror)) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    """Open the file of the lock, which all users can open and nobody removes."""
    # Following a symbolic link in /tmp would overwrite its target. Opening some devices blocks.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
    try:
        try:
            # Linux rejects O_CREAT for a file of another user in /tmp (fs.protected_regular).
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            descriptor = os.open(path, flags | os.O_CREAT, 0o666)
            os.fchmod(descriptor, 0o666)
    except OSError as error:
        raise _unusable(path, str(error.strerror)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _unusable(path, "Not a regular file")
    return descriptor


def _unusable(path: Path, reason: str) -> BusyError:
    return BusyError(
        f"the machine lock {path} cannot be opened ({reason}): remove it, or name another file in {VARIABLE}"
    )
