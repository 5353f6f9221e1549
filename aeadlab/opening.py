"""Opening streams of which only the key is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from aeadlab import _native
from aeadlab.catalogue import Implementation
from aeadlab.catalogue.native import NativeImplementation, linked
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import FormatError
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
    # The linked ones first: they are there without a look at plugins and Python libraries.
    found: list[Implementation] = [i for i in linked() if i.description.algorithm == algorithm]
    found = found or _catalogue(registered()).select("aead", algorithm=algorithm)
    fit = [i for i in found if isinstance(i, NativeImplementation) and i.description.kind == "aead"]
    fit = [i for i in fit if not _UNFIT & i.description.flags and i.description.nonce_bytes >= 12]
    if not fit:
        raise FormatError(f"sealed with {algorithm}, for which no implementation is here: give one to open it with")
    best = min(fit, key=lambda i: "thread-safe" not in i.description.flags)
    return ParSplit(best.name, threads=threads if "thread-safe" in best.description.flags else 1)


def _opener(key: Memory, aad: Memory, threads: int | None, header: bytes, algorithm: str) -> _native.Opener:
    return _native.Opener(cipher_for(algorithm, threads)._engine, header, key, aad, None)


def decrypt_file(
    key: Memory,
    source: Source,
    sink: Sink,
    aad: Memory = b"",
    *,
    threads: int | None = None,
) -> int:
    """Open a stream of which only the key is known, with the first implementation of the algorithm that it names.

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
    threads
        As for `ParSplit`.

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
        If the key is too short, a file is closed or is in text mode.
    """
    pieces = opened(Reader(source), partial(_opener, key, aad, threads))
    return copied(pieces, writer(sink, source))


def decrypt_iter(
    key: Memory,
    chunks: Iterable[Memory],
    aad: Memory = b"",
    *,
    threads: int | None = None,
) -> Iterator[bytes]:
    """`decrypt_file` for an iterator of bytes, giving an iterator of bytes: some verified blocks each.

    An iterator that is left before its end has not verified that the message is whole.
    """
    return map(bytes, opened(Chunks(chunks), partial(_opener, key, aad, threads)))
