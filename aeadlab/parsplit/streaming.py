"""Streams: messages of any length, sealed and opened with little memory.

A stream is a header followed by the blocks, each with its tag; docs/FORMATS.md specifies the bytes.

**The plaintext of an unfinished stream is verified, but may be incomplete.** Every block is returned only after its tag
is verified, but the message is known to be complete only after the last block: when the call returns, or the iterator
ends, without an error. Until then treat the output as a truncated message: write it to a place from which it can be
deleted, and start no irreversible action with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from aeadlab import _native
from aeadlab.errors import AuthenticationError, FormatError
from aeadlab.parsplit.stream_io import Input

_HEADER_START = 17
"""Number of bytes that determine the length of the header (docs/FORMATS.md)."""

_INITIAL_BYTES = 1 << 16
"""Maximum length of the first buffer of `Batches`."""

_ZEROS = bytes(1 << 16)

OpenerFor: TypeAlias = Callable[[Input], _native.Opener]
"""Reads the header of a stream and returns the object that opens its blocks."""


class Batches:
    """Batches of `size` bytes of an input, each with whether it is the last; the last one may be shorter, and the first
    one is shorter by `lead` bytes.

    One byte beyond each batch is read ahead, which shows whether the input continues. A batch is overwritten when the
    next one is requested.
    """

    def __init__(self, source: Input, size: int, lead: int = 0) -> None:
        self._source, self._size, self._lead = source, size, lead
        # The buffer grows with the input, because a short message needs no memory for a full batch. Each length is a
        # quarter of the next one, so that the last copy takes only a quarter of a batch more.
        self._lengths = [size + 1]
        while self._lengths[-1] > _INITIAL_BYTES:
            self._lengths.append(-(-self._lengths[-1] // 4))
        self._buffer = memoryview(bytearray(self._lengths.pop()))

    def __iter__(self) -> Iterator[tuple[memoryview, bool]]:
        filled, limit, last = 0, self._size - self._lead, False
        while not last:
            filled += self._source.fill(self._buffer[filled:])
            while self._lengths and filled == len(self._buffer):
                larger = memoryview(bytearray(self._lengths.pop()))
                larger[:filled] = self._buffer
                self.wipe()
                self._buffer = larger
                filled += self._source.fill(larger[filled:])
            last = filled <= limit
            yield self._buffer[: min(filled, limit)], last
            if not last:
                self._buffer[: filled - limit] = self._buffer[limit:filled]
                filled, limit = filled - limit, self._size

    def wipe(self) -> None:
        """Overwrite the buffer with zeros."""
        _wipe(self._buffer)


class ReusableBuffers:
    """Memory for results, used in turn, that grows to the largest length requested.

    Parameters
    ----------
    count
        1, or 2 if a result must stay until the one after the next is requested.
    """

    def __init__(self, count: int) -> None:
        self._buffers = [memoryview(bytearray()) for _ in range(count)]
        self._turn = 0

    def reserve(self, size: int) -> memoryview:
        """Return a buffer of at least `size` bytes, which may hold an old result."""
        self._turn = (self._turn + 1) % len(self._buffers)
        if len(self._buffers[self._turn]) < size:
            _wipe(self._buffers[self._turn])
            self._buffers[self._turn] = memoryview(bytearray(size))
        return self._buffers[self._turn]

    def wipe(self) -> None:
        """Overwrite the buffers with zeros."""
        for buffer in self._buffers:
            _wipe(buffer)


def _wipe(buffer: memoryview) -> None:
    for start in range(0, len(buffer), len(_ZEROS)):
        part = buffer[start : start + len(_ZEROS)]
        part[:] = _ZEROS[: len(part)]


def sealed(sealer: _native.Sealer, header: bytes, source: Input, *, buffers: int = 1) -> Iterator[memoryview]:
    """Iterate over the header of a stream and its sealed blocks.

    Each piece is overwritten by the next one; with two `buffers`, by the one after the next.
    """
    yield memoryview(header)
    results, batches = ReusableBuffers(buffers), Batches(source, sealer.batch_bytes, sealer.lead_bytes)
    try:
        for data, last in batches:
            out = results.reserve(sealer.sealed_bytes(len(data), last))
            yield out[: sealer.seal(data, last, out)]
    finally:
        batches.wipe()


def read_header(source: Input) -> tuple[bytes, str]:
    """Read the header of a stream and nothing beyond it.

    Returns
    -------
    tuple of bytes and str
        The header, and the name of the algorithm.

    Raises
    ------
    aeadlab.errors.FormatError
        If the input does not begin with a header.
    """
    start = bytearray(_HEADER_START)
    count = source.fill(memoryview(start))
    length, _ = _native.read_header(start[:count])
    header = start + bytearray(length - _HEADER_START)
    count = _HEADER_START + source.fill(memoryview(header)[_HEADER_START:])
    _, algorithm = _native.read_header(header[:count])
    if algorithm is None:
        raise FormatError(f"not a sealed stream: header of {count} bytes given, {length} expected")
    return bytes(header), algorithm


def opened(source: Input, opener_for: OpenerFor, results: ReusableBuffers | None = None) -> Iterator[memoryview]:
    """Iterate over the plaintext of a stream in verified blocks.

    Each piece is overwritten by the next one, and after the last one. With `results`, they are overwritten when these
    are, and the caller wipes them.
    """
    opener = opener_for(source)
    places, first, returned = ReusableBuffers(1) if results is None else results, 0, 0
    try:
        for data, last in Batches(source, opener.batch_blocks * opener.sealed_block_bytes, opener.lead_bytes):
            out = places.reserve(max(len(data), opener.block_size))
            try:
                count = opener.open(first, data, last, out)
            except AuthenticationError as error:
                raise AuthenticationError(
                    f"{error}. The stream is changed or truncated after byte {returned} of the message: the output so "
                    "far is verified but incomplete"
                ) from None
            yield out[:count]
            returned += count
            first += opener.batch_blocks
    finally:
        if results is None:
            places.wipe()
