"""Opening of files and of iterables of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aeadlab.files.engines import Opening
from aeadlab.parsplit.files import StrPath, opened_sink, opened_source
from aeadlab.parsplit.stream_io import ChunkInput, FileInput, Sink, Source, writer
from aeadlab.parsplit.streaming import ReusableBuffers, opened
from aeadlab.parsplit.write_behind import may_write_behind, write_all

if TYPE_CHECKING:
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.parsplit import ParSplit


def decrypt_file(
    key: Key,
    source: Source | StrPath,
    sink: Sink | StrPath,
    aad: Memory = b"",
    *,
    format: str | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    nonce: Memory | None = None,
    max_memory: int | None = None,
) -> int:
    """Open a file of a standard format, or of this project's former one.

    Parameters
    ----------
    key
        The key that sealed the file; for ``age`` an identity ``AGE-SECRET-KEY-1…``, a list of them, or a `Passphrase`.
    source
        A path, a binary file or any object with `read`; it need not be seekable.
    sink
        A path, a binary file or any object with `write`. The file of a path gets the complete message or nothing.
    aad
        The associated data of the file.
    format
        One of `aeadlab.files.FORMATS`. None recognizes ``age``, ``floe`` and ``parsplit-v1`` by their first bytes; any
        other file is taken for ``cobblestone-256`` or ``cobblestone-128``, by the algorithm of `cipher` or the length
        of the key.
    cipher
        The ParSplit that opens the chunks, with its threads and schedule; None selects the first implementation of the
        algorithm that the format or the header names.
    threads
        As for `ParSplit`, without `cipher`.
    nonce
        The nonce that was passed when a ``parsplit-v1`` stream was sealed, if any; it requires `cipher`.
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
        If `source` is a file of another format, was sealed with a nonce, or no implementation of its algorithm is
        available.
    aeadlab.errors.UnknownNameError
        If there is no such format.
    aeadlab.errors.ArgumentError
        If the key has the wrong length, `cipher` has another algorithm, `nonce` is given without `cipher`, a file is
        closed or in text mode, or the blocks of the file need more memory than `max_memory`: three times their length
        with its tag and one byte.
    OSError
        If a path cannot be opened, such as FileNotFoundError.
    """
    with opened_source(source) as readable:
        source_input, opener_for = FileInput(readable), Opening(key, aad, format, cipher, threads, nonce, max_memory)
        with opened_sink(sink) as writable:
            behind = may_write_behind(writable)
            results = ReusableBuffers(1 + behind)
            try:
                pieces = opened(source_input, opener_for, results)
                return write_all(pieces, writer(writable, readable), behind=behind)
            finally:
                # Not by the iterator, which ends while its last piece is still written.
                results.wipe()


def decrypt_iter(
    key: Key,
    chunks: Iterable[Memory],
    aad: Memory = b"",
    *,
    format: str | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    nonce: Memory | None = None,
    max_memory: int | None = None,
) -> Iterator[bytes]:
    """Open a file given as an iterable of bytes, and iterate over its plaintext in verified blocks.

    The message is complete only if the iterator ends without an error. Parameters and errors are those of
    `decrypt_file`.
    """
    return map(bytes, opened(ChunkInput(chunks), Opening(key, aad, format, cipher, threads, nonce, max_memory)))
