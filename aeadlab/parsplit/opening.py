"""Opening of streams with the key alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from aeadlab import _native
from aeadlab.parsplit.arguments import memory_limit
from aeadlab.parsplit.files import StrPath, opened_sink, opened_source
from aeadlab.parsplit.implementations import find_by_algorithm
from aeadlab.parsplit.parsplit import ParSplit
from aeadlab.parsplit.stream_io import ChunkInput, FileInput, Sink, Source, writer
from aeadlab.parsplit.streaming import opened, write_all

if TYPE_CHECKING:
    from aeadlab.parsplit.buffers import Memory


def cipher_for(algorithm: str, threads: int | None = None) -> ParSplit:
    """Return a ParSplit over the implementation that `find_by_algorithm` returns."""
    implementation = find_by_algorithm(algorithm)
    thread_safe = "thread-safe" in implementation.description.flags
    return ParSplit(implementation.name, threads=threads if thread_safe else 1)


def _opener(
    key: Memory, aad: Memory, threads: int | None, max_memory: int | None, header: bytes, algorithm: str
) -> _native.Opener:
    return _native.Opener(cipher_for(algorithm, threads)._engine, header, key, aad, None, max_memory)


def decrypt_file(
    key: Memory,
    source: Source | StrPath,
    sink: Sink | StrPath,
    aad: Memory = b"",
    *,
    threads: int | None = None,
    max_memory: int | None = None,
) -> int:
    """Open a stream with the first implementation of the algorithm that its header names.

    Parameters
    ----------
    key
        The key that sealed the stream.
    source
        A path, a binary file or any object with `read`; it need not be seekable.
    sink
        A path, a binary file or any object with `write`. The file of a path gets the complete message or nothing.
    aad
        The associated data of the stream.
    threads
        As for `ParSplit`.
    max_memory
        Maximum length in bytes of all buffers together, whatever the header of the stream states. The default is 64
        MiB, or 400 KiB for each thread if that is more. Every stream opens with the default. With fewer blocks in
        memory than threads, some threads have no work.

    Returns
    -------
    int
        Bytes written to `sink`.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If a block is changed, moved, added or missing. The bytes that a file object got before are the beginning of the
        message but not the message: delete them. See `aeadlab.parsplit.streaming`.
    aeadlab.errors.FormatError
        If `source` is not a sealed stream, was sealed with a nonce, or no implementation of its algorithm is available.
    aeadlab.errors.ArgumentError
        If the key is too short, a file is closed or in text mode, or the blocks of the stream need more memory than
        `max_memory`: three times their length with its tag and one byte.
    OSError
        If a path cannot be opened, such as FileNotFoundError.
    """
    with opened_source(source) as readable:
        pieces = opened(FileInput(readable), partial(_opener, key, aad, threads, memory_limit(max_memory)))
        with opened_sink(sink) as writable:
            return write_all(pieces, writer(writable, readable))


def decrypt_iter(
    key: Memory,
    chunks: Iterable[Memory],
    aad: Memory = b"",
    *,
    threads: int | None = None,
    max_memory: int | None = None,
) -> Iterator[bytes]:
    """Open a stream given as an iterable of bytes, and iterate over its plaintext in verified blocks.

    The message is complete only if the iterator ends without an error. Parameters and errors are those of
    `decrypt_file`.
    """
    return map(bytes, opened(ChunkInput(chunks), partial(_opener, key, aad, threads, memory_limit(max_memory))))
