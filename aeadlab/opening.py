"""Opening streams of which only the key is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from aeadlab import _native
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError, FormatError
from aeadlab.parsplit import ParSplit, _catalogue
from aeadlab.streaming import Chunks, Reader, Sink, Source, copied, opened, writer

if TYPE_CHECKING:
    from aeadlab.memory import Memory

_UNFIT = {"research", "baseline", "historical"}


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


def opener_for(
    key: Memory, aad: Memory, cipher: ParSplit | None, threads: int | None, header: bytes, algorithm: str
) -> _native.Opener:
    """What opens the blocks of the stream with this header."""
    if cipher is None and not header[9]:
        raise ArgumentError(
            "this stream's key was not derived, so that its header does not choose the algorithm: "
            f"give cipher=ParSplit(an implementation of {algorithm})"
        )
    return _native.Opener((cipher or cipher_for(algorithm, threads))._engine, header, key, aad)


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

    Memory is a few blocks per thread. See `aeadlab.streaming` for what truncation means.

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
    pieces = opened(Reader(source), partial(opener_for, key, aad, cipher, threads))
    return copied(pieces, writer(sink, source))


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
    return map(bytes, opened(Chunks(chunks), partial(opener_for, key, aad, cipher, threads)))
