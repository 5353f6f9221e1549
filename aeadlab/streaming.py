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
from typing import TYPE_CHECKING, Any, Protocol, cast

from aeadlab import _native
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError, AuthenticationError, FormatError, UnknownNameError
from aeadlab.parsplit import ParSplit, _catalogue

if TYPE_CHECKING:
    from aeadlab.parsplit import Memory

# Bytes of a header from which its length is known: docs/FORMAT.md.
_FIXED = 17
_UNFIT = {"research", "baseline", "historical"}
_FIRST_ROOM = 1 << 16


class Source(Protocol):
    """What is read from: a binary file, a socket's file, a pipe."""

    def read(self, size: int, /) -> bytes | None: ...


class Sink(Protocol):
    """What is written to."""

    def write(self, data: Any, /) -> int | None: ...


def cipher_for(algorithm: str, threads: int | None = None) -> ParSplit:
    """A ParSplit for this algorithm: the first implementation in the catalogue that is meant for use.

    Raises
    ------
    aeadlab.errors.FormatError
        If there is none.
    """
    catalogue = _catalogue(registered())
    fit = [i for i in catalogue.select("aead", algorithm=algorithm) if isinstance(i, NativeImplementation)]
    fit = [i for i in fit if not _UNFIT & i.description.flags and i.description.nonce_bytes >= 12]
    if not fit:
        raise FormatError(f"sealed with {algorithm}, for which no implementation is here: give one to open it with")
    best = min(fit, key=lambda i: "thread-safe" not in i.description.flags)
    return ParSplit(best.name, threads=threads if "thread-safe" in best.description.flags else 1)


def encrypt_file(
    cipher: ParSplit, key: Memory, source: Source, sink: Sink, aad: Memory = b"", *, nonce: Memory | None = None
) -> int:
    """`ParSplit.encrypt_file` as a function."""
    writer, written = _writer(sink, source), 0
    for piece in _sealed(cipher, key, _reader(source), aad, nonce):
        writer(piece)
        written += len(piece)
    return written


def decrypt_file(
    key: Memory,
    source: Source,
    sink: Sink,
    aad: Memory = b"",
    *,
    cipher: ParSplit | None = None,
    threads: int | None = None,
) -> int:
    """Open a stream of which only the key is known.

    Memory is a few blocks per thread. See the head of this module for what truncation means.

    Parameters
    ----------
    key
        The one that the stream was sealed with.
    source
        A binary file or anything with `read`; it need not be seekable.
    sink
        A binary file or anything with `write`.
    aad
        The associated data that the stream was sealed with.
    cipher
        Opens it; None takes the first implementation of the algorithm that the header names, which is refused for a
        stream whose key was not derived.
    threads
        As for `ParSplit`, where `cipher` is not given.

    Returns
    -------
    int
        Bytes written to `sink`.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If a block was changed, moved, added or is missing. What was written before is a beginning of the message, and
        not the message: throw it away.
    aeadlab.errors.FormatError
        If `source` is no sealed stream.
    aeadlab.errors.ArgumentError
        If the key is too short, a file is closed or is in text mode, or `cipher` is for another algorithm.
    """
    writer, written = _writer(sink, source), 0
    for piece in _opened(key, _reader(source), aad, cipher, threads):
        writer(piece)
        written += len(piece)
    return written


def encrypt_iter(
    cipher: ParSplit, key: Memory, chunks: Iterable[Memory], aad: Memory = b"", *, nonce: Memory | None = None
) -> Iterator[bytes]:
    """`ParSplit.encrypt_iter` as a function."""
    return map(bytes, _sealed(cipher, key, _Chunks(chunks), aad, nonce))


def decrypt_iter(
    key: Memory,
    chunks: Iterable[Memory],
    aad: Memory = b"",
    *,
    cipher: ParSplit | None = None,
    threads: int | None = None,
) -> Iterator[bytes]:
    """`decrypt_file` for an iterator of bytes, giving an iterator of bytes: some verified blocks each.

    An iterator that is left before its end has not verified that the message is whole.
    """
    return map(bytes, _opened(key, _Chunks(chunks), aad, cipher, threads))


class _Reader:
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


class _Chunks:
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


_Input = _Reader | _Chunks


def _reader(source: Source) -> _Reader:
    return _Reader(source)


def _writer(sink: Any, source: Any) -> Callable[[memoryview], None]:
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


class _Batches:
    """Batches of `size` bytes of an input that ends somewhere, each with whether it is the last.

    One byte more than a batch is read ahead, to know whether the input goes on.
    """

    def __init__(self, source: _Input, size: int) -> None:
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


class _Room:
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


def _sealed(cipher: ParSplit, key: Memory, source: _Input, aad: Memory, nonce: Memory | None) -> Iterator[memoryview]:
    # Made here and not in the generator: what is wrong is said when it is given, not when the first bytes are wanted.
    sealer = _native.Sealer(cipher._engine, key, aad, nonce)

    def pieces() -> Iterator[memoryview]:
        yield memoryview(sealer.header)
        room, batches = _Room(), _Batches(source, sealer.batch_bytes)
        try:
            for data, ends in batches:
                out = room.of(sealer.sealed_bytes(len(data)))
                yield out[: sealer.seal(data, ends, out)]
        finally:
            batches.wipe()

    return pieces()


def read_header(source: _Input) -> tuple[bytes, str]:
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


def opener_for(
    key: Memory, header: bytes, algorithm: str, aad: Memory, cipher: ParSplit | None, threads: int | None
) -> _native.Opener:
    """What opens the blocks of the stream with this header."""
    if cipher is None:
        if not header[9]:
            raise ArgumentError(
                "this stream's key was not derived, so that its header does not choose the algorithm: "
                f"give cipher=ParSplit(an implementation of {algorithm})"
            )
        try:
            cipher = cipher_for(algorithm, threads)
        except UnknownNameError as error:
            raise FormatError(f"sealed with {algorithm}: {error}") from None
    return _native.Opener(cipher._engine, header, key, aad)


def _opened(
    key: Memory, source: _Input, aad: Memory, cipher: ParSplit | None, threads: int | None
) -> Iterator[memoryview]:
    def pieces() -> Iterator[memoryview]:
        header, algorithm = read_header(source)
        opener = opener_for(key, header, algorithm, aad, cipher, threads)
        whole = opener.block_size + opener.tag_bytes
        room, first, handed = _Room(), 0, 0
        try:
            for data, ends in _Batches(source, opener.batch_blocks * whole):
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
