"""Files in memory: one call seals or opens all chunks."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from aeadlab import _native
from aeadlab.errors import BufferArgumentError
from aeadlab.files.engines import Opening, sealer_for
from aeadlab.parsplit.stream_io import FileInput

if TYPE_CHECKING:
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.parsplit import ParSplit

_LONG: Final = 4 << 20
"""Bytes from which new memory has large pages; one has 2 MiB."""


def encrypt(
    key: Key,
    data: Memory,
    aad: Memory = b"",
    *,
    format: str | None = None,
    segment_bytes: int | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    out: Memory | None = None,
) -> memoryview:
    """Seal `data`, which is in memory, as the bytes of a file; see `aeadlab.files.encrypt_file`.

    Parameters
    ----------
    out
        A writable buffer of bytes that is at least as long as the result. New memory for a long message takes longer
        than sealing it.

    Returns
    -------
    memoryview
        Of the part of `out`, or of new memory, that holds the file.

    Raises
    ------
    aeadlab.errors.BufferArgumentError
        If a buffer is not contiguous, or `out` is too short, read-only, or overlaps `data`.

    Examples
    --------
    >>> from aeadlab.files import decrypt, encrypt
    >>> bytes(decrypt(bytes(32), encrypt(bytes(32), b"attack at dawn")))
    b'attack at dawn'
    """
    sealer, header = sealer_for(key, aad, format, segment_bytes, threads, None, cipher)
    view = _output(out, len(header) + sealer.sealed_bytes(_native.check_buffer(data, "data"), True))
    sealer.seal(data, True, view[len(header) :])
    view[: len(header)] = header
    return view


def decrypt(
    key: Key,
    data: Memory,
    aad: Memory = b"",
    *,
    format: str | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    out: Memory | None = None,
) -> memoryview:
    """Open the bytes of a file, as a whole or not at all; see `aeadlab.files.decrypt_file` and `encrypt`.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If a chunk is changed, moved, added or missing. `out` is wiped.
    """
    _native.check_buffer(data, "data")
    source = _View(_view(data))
    opener = Opening(key, aad, format, cipher, threads, None, None)(FileInput(source))
    body = source.rest
    view = _output(out, opener.layout(len(body))[0])
    opener.open(0, body, True, view)
    return view


class _View:
    """Reads from memory."""

    def __init__(self, data: memoryview) -> None:
        self.rest = data

    def readinto(self, buffer: memoryview) -> int:
        count = min(len(buffer), len(self.rest))
        buffer[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        return count


def _output(out: Memory | None, length: int) -> memoryview:
    """Return a view of the first `length` bytes of `out`, or of new memory."""
    if out is None:
        return _new_memory(length)
    given = _native.check_buffer(out, "out")
    view = _view(out)
    if view.readonly or given < length:
        problem = "is read-only" if view.readonly else f"of {given} bytes given"
        raise BufferArgumentError(f"out {problem}, a writable buffer of at least {length} bytes expected")
    return view[:length]


def _new_memory(length: int) -> memoryview:
    """Return new memory of zeros. Large pages, where the system has them, are assigned to a long result sooner."""
    if length < _LONG or not hasattr(mmap, "MADV_HUGEPAGE"):
        return memoryview(bytearray(length))
    memory = mmap.mmap(-1, length, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):
        # A kernel may be built without large pages.
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory)


def _view(memory: Memory) -> memoryview:
    view: memoryview = memoryview(memory).cast("B")  # type: ignore[arg-type] # an array of NumPy is a buffer
    return view
