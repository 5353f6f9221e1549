"""Random access to the plaintext of a sealed file."""

from __future__ import annotations

import io
import os
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO
from weakref import WeakSet

from aeadlab.catalogue.octets import octets
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.files.engines import Opening
from aeadlab.parsplit.arguments import integer
from aeadlab.parsplit.stream_io import FileInput

if TYPE_CHECKING:
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.parsplit import ParSplit


_opened: WeakSet[SealedFile] = WeakSet()


def _renew_locks() -> None:
    """Give every file a lock of this process: a thread that does not exist here may hold the inherited one."""
    for file in _opened:
        file._lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


class SealedFile(io.RawIOBase):
    """An encrypted file as a seekable binary file of its plaintext, from which pandas, pyarrow and zipfile read.

    The constructor verifies the header, the associated data and, by opening the last block, the length. Every block is
    verified at each read, so a later change of the file raises an error. Only the block at the current position is
    cached: for many small reads wrap this file in ``io.BufferedReader``, with a buffer of a few blocks per thread.

    Parameters
    ----------
    key
        As for `aeadlab.decrypt_file`.
    file
        A seekable binary file, positioned at the start of the encrypted file, which extends to its end; or a path,
        which is opened here and closed with this file.
    aad
        The associated data of the file.
    format
        As for `aeadlab.decrypt_file`.
    cipher, threads, nonce
        As for `aeadlab.decrypt_file`.
    max_memory
        As for `aeadlab.decrypt_file`: maximum length in bytes of the buffers for one read.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If the key or the associated data is wrong, or the file is changed or truncated.
    aeadlab.errors.FormatError
        If it is a file of another format, `nonce` is not its nonce, or no implementation of its algorithm is available.
    aeadlab.errors.ArgumentError
        If `file` is closed, in text mode or not seekable, `nonce` is given without `cipher`, or the blocks of the
        stream need more memory than `max_memory`.

    Examples
    --------
    >>> import io
    >>> from aeadlab import SealedFile, encrypt_file
    >>> key, sealed = bytes(range(32)), io.BytesIO()
    >>> _ = encrypt_file(key, io.BytesIO(bytes(20000) + b"attack at dawn"), sealed)
    >>> _ = sealed.seek(0)
    >>> file = SealedFile(key, sealed)
    >>> file.seek(-4, 2), file.read(), file.size
    (20010, b'dawn', 20014)
    >>> file.decrypt_range(1, 1)[-7:]
    b'at dawn'
    """

    def __init__(
        self,
        key: Key,
        file: BinaryIO | str | os.PathLike[str],
        aad: Memory = b"",
        *,
        format: str | None = None,
        cipher: ParSplit | None = None,
        threads: int | None = None,
        nonce: Memory | None = None,
        max_memory: int | None = None,
    ) -> None:
        super().__init__()
        self._closes_file = isinstance(file, str | os.PathLike)
        self._file: Any = io.FileIO(file) if isinstance(file, str | os.PathLike) else file
        try:
            self._open(Opening(key, aad, format, cipher, threads, nonce, max_memory))
        except BaseException:
            if self._closes_file:
                self._file.close()
            raise

    def _open(self, opening: Opening) -> None:
        self._source = FileInput(self._file, "file")
        seekable = getattr(self._file, "seekable", None)
        if seekable is None or not seekable():
            raise ArgumentError("file is not seekable: open it from its start with decrypt_file or decrypt_iter")
        self._opener = opening(self._source)
        self._start = self._file.tell()
        self._sealed_bytes = self._file.seek(0, io.SEEK_END) - self._start
        self._size, self._blocks = self._opener.layout(self._sealed_bytes)
        self._position = 0
        self._lock = Lock()
        _opened.add(self)
        self._cached = (0, b"")
        self._load(self._blocks - 1, self._blocks)
        if not self._opener.committing:
            self._load(0, 1)

    @property
    def size(self) -> int:
        """Message length in bytes."""
        return self._size

    @property
    def blocks(self) -> int:
        """Number of blocks, at least 1."""
        return self._blocks

    @property
    def block_size(self) -> int:
        """Bytes of plaintext per block; the last block may be shorter, and so is the first of Tink."""
        return self._opener.block_size

    def decrypt_range(self, first_block: int, count: int) -> bytes:
        """Return the plaintext of `count` blocks from `first_block` on.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the range exceeds the message.
        aeadlab.errors.AuthenticationError
            If one of them has changed since the file was opened.
        """
        self._check_open()
        first_block, count = integer("first block", first_block, 0), integer("count", count, 1)
        if first_block + count > self._blocks:
            raise ArgumentError(
                f"{count} block{'s' * (count > 1)} from block {first_block} requested, the message has {self._blocks}: "
                f"blocks 0 to {self._blocks - 1}"
            )
        with self._lock:
            return self._decrypt(first_block, first_block + count)

    def _decrypt(self, first: int, end: int) -> bytes:
        start = self._starts(first)[0]
        out = bytearray(self._starts(end)[0] - start)
        view, step = memoryview(out), self._opener.batch_blocks
        for block in range(first, end, step):
            last = min(block + step, end)
            plain, offset = self._starts(block)
            sealed = bytearray(self._starts(last)[1] - offset)
            self._file.seek(self._start + offset)
            if self._source.fill(memoryview(sealed)) < len(sealed):
                raise AuthenticationError(f"the file is truncated in or before block {last - 1} since it was opened")
            try:
                self._opener.open(block, sealed, last == self._blocks, view[plain - start :])
            except AuthenticationError as error:
                view[:] = bytes(len(view))
                raise AuthenticationError(f"blocks {block} to {last - 1}: {error}") from None
        return bytes(out)

    def _starts(self, block: int) -> tuple[int, int]:
        """Return where a block starts in the message and after the header; for the number of blocks, both lengths."""
        plain, sealed = self._opener.starts(block)
        return min(plain, self._size), min(sealed, self._sealed_bytes)

    def _load(self, first: int, end: int) -> None:
        self._cached = (0, b"")
        self._cached = (self._starts(first)[0], self._decrypt(first, end))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Memory, /) -> int:
        """Fill `buffer` and return the number of bytes, fewer only at the end or before a block that fails."""
        self._check_open()
        out, filled = memoryview(octets(buffer, "buffer")), 0
        with self._lock:
            while filled < len(out) and self._position < self._size:
                try:
                    plain = self._plaintext(len(out) - filled)
                except AuthenticationError:
                    if filled:
                        break
                    raise
                out[filled : filled + len(plain)] = plain
                filled += len(plain)
                self._position += len(plain)
        return filled

    def _plaintext(self, size: int) -> memoryview:
        """Return the plaintext from the position on, at least one byte and at most `size`."""
        offset, plain = self._cached
        if not offset <= self._position < offset + len(plain):
            first = self._opener.block_at(self._position)
            end = self._opener.block_at(min(self._position + size, self._size) - 1) + 1
            self._load(first, min(end, first + self._opener.batch_blocks))
            offset, plain = self._cached
        return memoryview(plain)[self._position - offset :][:size]

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Set and return the position, which may be beyond the end of the message."""
        self._check_open()
        with self._lock:
            base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}.get(whence)
            if base is None:
                raise ArgumentError(f"whence {whence!r} given, 0, 1 or 2 expected")
            if base + offset < 0:
                raise ArgumentError(f"position {base + offset} requested, which is before the start of the message")
            self._position = base + offset
            return self._position

    def tell(self) -> int:
        self._check_open()
        return self._position

    def close(self) -> None:
        self._cached = (0, b"")
        if not self.closed and self._closes_file:
            self._file.close()
        super().close()

    def _check_open(self) -> None:
        if self.closed:
            raise ArgumentError("this SealedFile is closed")
        if self._file.closed:
            raise ArgumentError("the underlying file of this SealedFile is closed")
