"""Inputs and outputs of streams: binary files, and iterables of bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from aeadlab.catalogue.octets import octets
from aeadlab.errors import ArgumentError, ArgumentTypeError, BufferArgumentError

if TYPE_CHECKING:
    from aeadlab.parsplit.buffers import Memory


class Source(Protocol):
    """A binary file to read from: a regular file, a pipe, the file of a socket."""

    def read(self, size: int, /) -> bytes | None: ...


class Sink(Protocol):
    """A binary file to write to."""

    def write(self, data: Any, /) -> int | None: ...


_READ_BYTES = 1 << 20
"""Maximum length of one read from an object without ``readinto``, whose result takes memory beside the buffer."""


class FileInput:
    """A binary file whose reads may return fewer bytes than requested.

    Parameters
    ----------
    source
        A file-like object with ``readinto`` or ``read``.
    name
        Name of the argument, for messages.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is closed, in text mode, or not readable.
    """

    def __init__(self, source: Any, name: str = "source") -> None:
        if isinstance(source, io.TextIOBase):
            raise ArgumentError(f"{name} is in text mode: open it with 'rb'")
        if getattr(source, "closed", False):
            raise ArgumentError(f"{name} is closed")
        if isinstance(source, io.IOBase) and not source.readable():
            raise ArgumentError(f"{name} is not open for reading: open it with 'rb'")
        readinto, read = getattr(source, "readinto", None), getattr(source, "read", None)
        if readinto is None and read is None:
            raise ArgumentTypeError(
                f"{name} of type {type(source).__name__} given, a path or a binary file expected: it has no method read"
            )
        self._name, self._readinto, self._read = name, readinto, read

    def _read_some(self, buffer: memoryview) -> int:
        if self._readinto is not None:
            count = self._readinto(buffer)
            if count is not None:
                return int(count)
        elif self._read is not None and (data := self._read(min(len(buffer), _READ_BYTES))) is not None:
            if not isinstance(data, bytes | bytearray | memoryview):
                raise ArgumentTypeError(
                    f"{self._name} returned {type(data).__name__}, bytes expected: open it with 'rb'"
                )
            if len(data) > len(buffer):
                raise ArgumentError(f"{self._name} returned {len(data)} bytes, at most {len(buffer)} expected")
            buffer[: len(data)] = data
            return len(data)
        raise ArgumentError(f"{self._name} has no data yet: it is non-blocking, a blocking file is expected")

    def fill(self, buffer: memoryview) -> int:
        """Fill a buffer and return the number of bytes read, which is smaller than the buffer only at the end."""
        filled = 0
        while filled < len(buffer) and (count := self._read_some(buffer[filled:])):
            filled += count
        return filled


class ChunkInput:
    """An iterable of bytes-like chunks of any lengths.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is not iterable, or a single bytes-like object.
    """

    def __init__(self, chunks: Iterable[Memory]) -> None:
        if isinstance(chunks, str | bytes | bytearray | memoryview):
            raise ArgumentTypeError(
                f"chunks of type {type(chunks).__name__} given, an iterable of bytes expected: use [data]"
            )
        try:
            self._chunks = iter(chunks)
        except TypeError:
            raise ArgumentTypeError(
                f"chunks of type {type(chunks).__name__} given, an iterable of bytes expected"
            ) from None
        self._rest = memoryview(b"")

    def fill(self, buffer: memoryview) -> int:
        """See `FileInput.fill`."""
        filled = 0
        while filled < len(buffer):
            if not self._rest:
                chunk = next(self._chunks, None)
                if chunk is None:
                    break
                try:
                    self._rest = memoryview(octets(chunk, "a chunk"))
                except BufferArgumentError as error:
                    raise ArgumentTypeError(
                        f"chunks contain {type(chunk).__name__}, contiguous bytes expected: {error}"
                    ) from error
            count = min(len(buffer) - filled, len(self._rest))
            buffer[filled : filled + count] = self._rest[:count]
            self._rest = self._rest[count:]
            filled += count
        return filled


Input: TypeAlias = FileInput | ChunkInput


def writer(sink: Any, source: Any) -> Callable[[memoryview], None]:
    """Return a function that writes all of its argument to `sink`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If `sink` is closed, in text mode, not writable, or the same file as `source`.
    """
    if isinstance(sink, io.TextIOBase):
        raise ArgumentError("sink is in text mode: open it with 'wb'")
    if getattr(sink, "closed", False):
        raise ArgumentError("sink is closed")
    if isinstance(sink, io.IOBase) and not sink.writable():
        raise ArgumentError("sink is not open for writing: open it with 'wb'")
    if not hasattr(sink, "write"):
        raise ArgumentTypeError(
            f"sink of type {type(sink).__name__} given, a path or a binary file expected: it has no method write"
        )
    if sink is source:
        raise ArgumentError("source and sink are the same file: write to another file and rename it at the end")
    raw = isinstance(sink, io.RawIOBase)

    def write(piece: memoryview) -> None:
        while len(piece):
            count = sink.write(piece)
            if raw and count is None:
                raise ArgumentError("sink accepts no data now: it is non-blocking, a blocking file is expected")
            # Only a raw file may write less than it is given; other files need not return a count.
            piece = piece[count:] if raw else piece[:0]

    return write
