"""Whole files from path to path, as the commands ``encrypt`` and ``decrypt`` process them."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from aeadlab.errors import ArgumentError, Error
from aeadlab.files.opening import decrypt_file
from aeadlab.files.sealed_file import SealedFile
from aeadlab.files.sealing import encrypt_file
from aeadlab.parsplit.files import opened_sink
from aeadlab.parsplit.stream_io import writer

if TYPE_CHECKING:
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory

STANDARD: Final = "-"
"""The name of standard input and standard output."""

_RANGE_BYTES: Final = 4 << 20

Progress = Callable[[int], object]
"""Called with the number of bytes read since the last call."""


class _Counted:
    """A file that reports the bytes read from it."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file, self._progress, self.count = file, progress, 0

    def readinto(self, buffer: memoryview) -> int:
        count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self.count += count
        self._progress(count)
        return count


@contextmanager
def _source(path: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """Open the input; give also its length, if it is a regular file."""
    descriptor = 0 if path == STANDARD else path
    with open(descriptor, "rb", buffering=0, closefd=path != STANDARD) as file:
        status = os.fstat(file.fileno())
        yield file, status.st_size if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _sink(path: str, force: bool, *, binary: bool) -> Iterator[Any]:
    """Open the output: a file gets its name with its complete content."""
    if path != STANDARD:
        if not force and os.path.lexists(path) and (os.path.isfile(path) or os.path.islink(path)):
            raise ArgumentError(f"{path} exists: --force overwrites it")
        with opened_sink(path) as file:
            yield file
        return
    if binary and sys.stdout.isatty():
        raise ArgumentError("standard output is a terminal: give a file, or a pipe that takes encrypted bytes")
    # The buffer is kept by the interpreter, which closes it at its end; what is written here must not wait for that.
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextmanager
def _transfer(source: str, sink: str, force: bool, *, binary: bool) -> Iterator[tuple[BinaryIO, int | None, Any]]:
    """Open both ends, and make errors of either a message that names it."""
    try:
        with _source(source) as (file, size), _sink(sink, force, binary=binary) as output:
            yield file, size, output
    except BrokenPipeError:
        raise Error("the program that reads the output has closed the pipe") from None


def length(path: str) -> int | None:
    """Return the length of an input in bytes, if it is a regular file."""
    return None if path == STANDARD or not os.path.isfile(path) else os.stat(path).st_size


def encrypt_path(
    key: Key,
    source: str,
    sink: str,
    aad: Memory = b"",
    *,
    format: str,
    threads: int | None = None,
    force: bool = False,
    progress: Progress = lambda count: None,
) -> int:
    """Seal a file into another one, and return the number of bytes written; ``-`` are the standard streams.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the output exists and `force` is false, and as `aeadlab.files.encrypt_file`.
    aeadlab.errors.Error
        If the input has changed its length meanwhile, or the output is a pipe that was closed.
    OSError
        If a file cannot be read or written. The output then does not exist, or has its old content.
    """
    with _transfer(source, sink, force, binary=True) as (file, size, output):
        counted = _Counted(file, progress)
        written = encrypt_file(key, counted, output, aad, format=format, threads=threads)  # type: ignore[arg-type]
        if size is not None and counted.count != size:
            raise Error(f"{source} changed while it was read: {size} bytes at the start, {counted.count} bytes read")
        return written


def decrypt_path(
    key: Key,
    source: str,
    sink: str,
    aad: Memory = b"",
    *,
    format: str | None = None,
    threads: int | None = None,
    force: bool = False,
    span: tuple[int, int | None] | None = None,
    progress: Progress = lambda count: None,
) -> int:
    """Open a file into another one, and return the number of bytes written; ``-`` are the standard streams.

    Parameters
    ----------
    span
        The first byte of the message and the one after the last, of which None is the end; only the chunks that contain
        them are read. None opens all.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If the file is changed. A file as output then does not exist; a pipe has received the verified beginning.
    aeadlab.errors.ArgumentError
        If the span exceeds the message or the input cannot seek, and as `encrypt_path`.
    aeadlab.errors.Error, OSError
        As `encrypt_path`.
    """
    with _transfer(source, sink, force, binary=False) as (file, _, output):
        if span is None:
            counted = _Counted(file, progress)
            return decrypt_file(key, counted, output, aad, format=format, threads=threads)  # type: ignore[arg-type]
        if not file.seekable():
            raise ArgumentError("a range of a pipe given: it needs an input that can seek, such as a file")
        with SealedFile(key, file, aad, format=format, threads=threads) as plain:
            start, end = span[0], plain.size if span[1] is None else span[1]
            if not start <= end <= plain.size:
                raise ArgumentError(f"range {start}:{end} given, the message has {plain.size} bytes")
            plain.seek(start)
            return _copy(plain, writer(output, file), end - start, progress)


def _copy(source: io.RawIOBase, write: Callable[[memoryview], None], count: int, progress: Progress) -> int:
    buffer, left = memoryview(bytearray(min(count, _RANGE_BYTES))), count
    while left:
        # A message has the length that its last chunk authenticates.
        read = source.readinto(buffer[: min(left, len(buffer))])
        if not read:
            raise Error("the file was truncated while it was read")
        write(buffer[:read])
        progress(read)
        left -= read
    return count
