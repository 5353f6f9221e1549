"""Messages of any length with little memory: files and iterators in, files and iterators out.

A stream is a header and then the blocks, each followed by its tag; docs/FORMAT.md has it byte for byte. The header
names the algorithm, so that only the key is needed to open it. Each stream has a key of its own, derived from the
caller's.

**What comes out while opening is verified, and may still be only a beginning.** Every block is handed out after its
tag was verified, never before. That nothing is missing at the end is known when the last block was verified: when the
call returns, or the iterator ends, without an error. Until then treat what came out as a message that somebody cut
off: write it where it can be thrown away, and do nothing with it that cannot be undone.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from aeadlab import _native
from aeadlab.errors import ArgumentError, AuthenticationError, FormatError

if TYPE_CHECKING:
    from aeadlab.memory import Memory

# Bytes of a header from which its length is known: docs/FORMAT.md.
_FIXED = 17
_FIRST_ROOM = 1 << 16


class Source(Protocol):
    """What is read from: a binary file, a socket's file, a pipe."""

    def read(self, size: int, /) -> bytes | None: ...


class Sink(Protocol):
    """What is written to."""

    def write(self, data: Any, /) -> int | None: ...


class Reader:
    """Fills buffers from a source, whose reads may be short."""

    def __init__(self, source: Any, name: str = "source") -> None:
        if isinstance(source, io.TextIOBase):
            raise ArgumentError(f"{name} is in text mode: open it with 'rb'")
        if getattr(source, "closed", False):
            raise ArgumentError(f"{name} is closed")
        if isinstance(source, io.IOBase) and not source.readable():
            raise ArgumentError(f"{name} is not open for reading: open it with 'rb'")
        into, read = getattr(source, "readinto", None), getattr(source, "read", None)
        if into is None and read is None:
            raise ArgumentError(f"{name} of type {type(source).__name__} given, a binary file wanted: it has no read")
        self._name, self._into, self._read = name, into, read

    def _some(self, room: memoryview) -> int:
        if self._into is not None:
            count = self._into(room)
            if count is not None:
                return int(count)
        elif self._read is not None and (data := self._read(len(room))) is not None:
            if not isinstance(data, bytes | bytearray | memoryview):
                raise ArgumentError(f"{self._name} gave {type(data).__name__}, bytes wanted: open it with 'rb'")
            if len(data) > len(room):
                raise ArgumentError(f"{self._name} gave {len(data)} bytes where at most {len(room)} were asked for")
            room[: len(data)] = data
            return len(data)
        raise ArgumentError(f"{self._name} has no data yet: it is non-blocking, and this needs one that waits")

    def fill(self, room: memoryview) -> int:
        """Bytes read: as many as there is room for, or fewer at the end."""
        filled = 0
        while filled < len(room) and (count := self._some(room[filled:])):
            filled += count
        return filled


class Chunks:
    """The same for an iterator of bytes."""

    def __init__(self, chunks: Iterable[Memory]) -> None:
        if isinstance(chunks, str | bytes | bytearray | memoryview):
            raise ArgumentError(
                f"chunks of type {type(chunks).__name__} given, an iterable of bytes wanted: use [data]"
            )
        try:
            self._chunks = iter(chunks)
        except TypeError:
            raise ArgumentError(f"chunks of type {type(chunks).__name__} given, an iterable of bytes wanted") from None
        self._left = memoryview(b"")

    def fill(self, room: memoryview) -> int:
        filled = 0
        while filled < len(room):
            if not self._left:
                chunk = next(self._chunks, None)
                if chunk is None:
                    break
                try:
                    self._left = memoryview(cast(Any, chunk)).cast("B")
                except TypeError:
                    raise ArgumentError(f"chunks gave {type(chunk).__name__}, contiguous bytes wanted") from None
            count = min(len(room) - filled, len(self._left))
            room[filled : filled + count] = self._left[:count]
            self._left = self._left[count:]
            filled += count
        return filled


Input = Reader | Chunks


def writer(sink: Any, source: Any) -> Callable[[memoryview], None]:
    """A function that writes all of its argument to the sink."""
    if isinstance(sink, io.TextIOBase):
        raise ArgumentError("sink is in text mode: open it with 'wb'")
    if getattr(sink, "closed", False):
        raise ArgumentError("sink is closed")
    if isinstance(sink, io.IOBase) and not sink.writable():
        raise ArgumentError("sink is not open for writing: open it with 'wb'")
    if not hasattr(sink, "write"):
        raise ArgumentError(f"sink of type {type(sink).__name__} given, a binary file wanted: it has no write")
    if sink is source:
        raise ArgumentError("source and sink are the same file: write to another, and rename it at the end")
    raw = isinstance(sink, io.RawIOBase)

    def write(piece: memoryview) -> None:
        while len(piece):
            count = sink.write(piece)
            if raw and count is None:
                raise ArgumentError("sink takes no data now: it is non-blocking, and this needs one that waits")
            # What is not a raw file takes everything, and need not say so.
            piece = piece[count:] if raw else piece[:0]

    return write


class Batches:
    """Batches of `size` bytes of an input that ends somewhere, each with whether it is the last.

    One byte more than a batch is read ahead, to know whether the input goes on.
    """

    def __init__(self, source: Input, size: int) -> None:
        self._source, self._size = source, size
        # A short input needs no room for a long one's batch.
        self._memory = memoryview(bytearray(min(size + 1, _FIRST_ROOM)))

    def __iter__(self) -> Iterator[tuple[memoryview, bool]]:
        held, ends = 0, False
        while not ends:
            held += self._source.fill(self._memory[held:])
            while held == len(self._memory) <= self._size:
                larger = memoryview(bytearray(min(4 * held, self._size + 1)))
                larger[:held] = self._memory
                self._memory = larger
                held += self._source.fill(larger[held:])
            ends = held <= self._size
            yield self._memory[: min(held, self._size)], ends
            if not ends:
                self._memory[:1] = self._memory[self._size : self._size + 1]
                held = 1

    def wipe(self) -> None:
        self._memory[:] = bytes(len(self._memory))


class Room:
    """Memory for results, which grows to what was wanted of it."""

    def __init__(self) -> None:
        self.memory = memoryview(bytearray())

    def of(self, bytes: int) -> memoryview:
        if len(self.memory) < bytes:
            self.wipe()
            self.memory = memoryview(bytearray(bytes))
        return self.memory

    def wipe(self) -> None:
        self.memory[:] = bytes(len(self.memory))


def sealed(
    engine: _native.ParSplit, key: Memory, source: Input, aad: Memory, nonce: Memory | None
) -> Iterator[memoryview]:
    """A stream's header, then its blocks; each piece is overwritten when the next one is asked for."""
    # Made here and not in the generator: what is wrong is said when it is given, not when the first bytes are wanted.
    sealer = _native.Sealer(engine, key, aad, nonce)

    def pieces() -> Iterator[memoryview]:
        yield memoryview(sealer.header)
        room, batches = Room(), Batches(source, sealer.batch_bytes)
        try:
            for data, ends in batches:
                out = room.of(sealer.sealed_bytes(len(data)))
                yield out[: sealer.seal(data, ends, out)]
        finally:
            batches.wipe()

    return pieces()


def read_header(source: Input) -> tuple[bytes, str]:
    """A stream's header, of which no byte too much is read, and the name of its algorithm."""
    start = bytearray(_FIXED)
    given = source.fill(memoryview(start))
    length, _ = _native.read_header(start[:given])
    header = start + bytearray(length - _FIXED)
    given = source.fill(memoryview(header)[_FIXED:])
    _, algorithm = _native.read_header(header[: _FIXED + given])
    if algorithm is None:
        raise FormatError(f"no sealed stream: it ends in its header, after {_FIXED + given} bytes of {length}")
    return bytes(header), algorithm


Choose: TypeAlias = Callable[[bytes, str], _native.Opener]


def opened(source: Input, choose: Choose) -> Iterator[memoryview]:
    """A stream's plaintext, in pieces of verified blocks; each is overwritten when the next one is asked for.

    Parameters
    ----------
    choose
        Gives what opens the blocks, for the stream's header and the name of its algorithm.
    """

    def pieces() -> Iterator[memoryview]:
        opener = choose(*read_header(source))
        whole = opener.block_size + opener.tag_bytes
        room, first, handed = Room(), 0, 0
        try:
            for data, ends in Batches(source, opener.batch_blocks * whole):
                out = room.of(max(len(data), opener.block_size))
                try:
                    count = opener.open(first, data, ends, out)
                except AuthenticationError as error:
                    raise AuthenticationError(
                        f"{error}. The stream is changed or cut off after byte {handed} of the message or later: "
                        "what came out before is verified, and not the whole message"
                    ) from None
                yield out[:count]
                handed += count
                first += opener.batch_blocks
        finally:
            room.wipe()

    return pieces()


def copied(pieces: Iterator[memoryview], write: Callable[[memoryview], None]) -> int:
    """Writes all pieces; returns their bytes."""
    written = 0
    for piece in pieces:
        write(piece)
        written += len(piece)
    return written
