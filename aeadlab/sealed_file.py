"""A sealed file as a file: read anywhere, only the blocks needed, each verified."""

from __future__ import annotations

import io
import os
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from aeadlab import _native
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.opening import cipher_for
from aeadlab.streaming import Reader, read_header

if TYPE_CHECKING:
    from aeadlab.memory import Memory
    from aeadlab.parsplit import ParSplit


class SealedFile(io.RawIOBase):
    """A stream that `ParSplit.encrypt_file` made, for reading at any place.

    When it is made, the first and the last block are opened. So from then on the header, the associated data and the
    length are known to be genuine: the last block's nonce says that it is the last, and what number it has. Every other
    block is verified when it is read, at each reading, so that a later change of the file is an error and never
    plaintext. Small reads open a block each time they leave the one before; for many of them in sequence wrap this in
    ``io.BufferedReader``, with a buffer of a few blocks per thread.

    Parameters
    ----------
    key
        The one that the stream was sealed with.
    file
        A seekable binary file, at the beginning of the stream, which goes on to its end; or its path, which is then
        closed with this.
    aad
        The associated data that it was sealed with.
    cipher
        Opens it; None takes the first implementation of the algorithm that the header names.
    threads
        As for `ParSplit`, where `cipher` is not given.
    nonce
        The one that the stream was sealed with, if one was given then; `cipher` must be given too.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If key or associated data are wrong, or the file was changed or cut off.
    aeadlab.errors.FormatError
        If it is no sealed stream.
    aeadlab.errors.ArgumentError
        If `file` is closed, in text mode or cannot be sought.

    Examples
    --------
    >>> import io
    >>> from aeadlab import ParSplit, SealedFile
    >>> cipher, key, sealed = ParSplit("openssl/aes-256-gcm", block_size=4), bytes(range(32)), io.BytesIO()
    >>> _ = cipher.encrypt_file(key, io.BytesIO(b"attack at dawn"), sealed)
    >>> _ = sealed.seek(0)
    >>> file = SealedFile(key, sealed)
    >>> file.seek(-4, 2), file.read(), file.size
    (10, b'dawn', 14)
    >>> file.decrypt_range(1, 2)
    b'ck at da'
    """

    def __init__(
        self,
        key: Memory,
        file: BinaryIO | str | os.PathLike[str],
        aad: Memory = b"",
        *,
        cipher: ParSplit | None = None,
        threads: int | None = None,
        nonce: Memory | None = None,
    ) -> None:
        super().__init__()
        self._own = False
        self._file: Any
        if isinstance(file, str | os.PathLike):
            self._file = io.FileIO(file)
            self._own = True
        else:
            self._file = file
        try:
            self._begin(key, aad, cipher, threads, nonce)
        except BaseException:
            if self._own:
                self._file.close()
            raise

    def _begin(
        self, key: Memory, aad: Memory, cipher: ParSplit | None, threads: int | None, nonce: Memory | None
    ) -> None:
        if nonce is not None and cipher is None:
            raise ArgumentError(
                "nonce given without cipher: what seals under a nonce of yours is not the file's to say"
            )
        self._source = Reader(self._file, "file")
        seekable = getattr(self._file, "seekable", None)
        if seekable is None or not seekable():
            raise ArgumentError("file cannot be sought: read it from its beginning with decrypt_file or decrypt_iter")
        header, algorithm = read_header(self._source)
        cipher = cipher or cipher_for(algorithm, threads)
        self._opener = _native.Opener(cipher._engine, header, key, aad, nonce)
        self._start = self._file.tell()
        self._sealed = self._file.seek(0, io.SEEK_END) - self._start
        self._size, self._blocks = self._opener.layout(self._sealed)
        self._position = 0
        self._lock = Lock()
        self._here = (0, b"")
        self._load(self._blocks - 1, self._blocks)
        self._load(0, 1)

    @property
    def size(self) -> int:
        """Bytes of the message."""
        return self._size

    @property
    def blocks(self) -> int:
        """Number of blocks, at least 1."""
        return self._blocks

    @property
    def block_size(self) -> int:
        """Bytes of plaintext per block; the last one may have fewer."""
        return self._opener.block_size

    def decrypt_range(self, first_block: int, count: int) -> bytes:
        """The plaintext of some blocks.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the message does not have them.
        aeadlab.errors.AuthenticationError
            If one of them was changed since the file was opened.
        """
        self._check_open()
        if first_block < 0 or count < 1 or first_block + count > self._blocks:
            raise ArgumentError(
                f"{count} blocks from number {first_block} wanted, the message has {self._blocks}, numbered from 0"
            )
        with self._lock:
            return self._opened(first_block, first_block + count)

    def _opened(self, first: int, end: int) -> bytes:
        whole = self.block_size + self._opener.tag_bytes
        out = bytearray(min(end * self.block_size, self._size) - first * self.block_size)
        view, step = memoryview(out), self._opener.batch_blocks
        for block in range(first, end, step):
            last = min(block + step, end)
            sealed = bytearray(min(last * whole, self._sealed) - block * whole)
            self._file.seek(self._start + block * whole)
            if self._source.fill(memoryview(sealed)) < len(sealed):
                raise AuthenticationError(
                    f"the file has been cut off in or before block {last - 1} since it was opened"
                )
            try:
                self._opener.open(block, sealed, last == self._blocks, view[(block - first) * self.block_size :])
            except AuthenticationError as error:
                view[:] = bytes(len(view))
                raise AuthenticationError(f"blocks {block} to {last - 1}: {error}") from None
        return bytes(out)

    def _load(self, first: int, end: int) -> None:
        self._here = (first * self.block_size, self._opened(first, end))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Memory, /) -> int:
        """Read into `buffer`: as much as it takes, fewer bytes only at the end or before a block that fails."""
        self._check_open()
        room, filled = memoryview(cast(Any, buffer)).cast("B"), 0
        with self._lock:
            while filled < len(room) and self._position < self._size:
                try:
                    some = self._ready(len(room) - filled)
                except AuthenticationError:
                    if filled:
                        break
                    raise
                room[filled : filled + len(some)] = some
                filled += len(some)
                self._position += len(some)
        return filled

    def _ready(self, wanted: int) -> memoryview:
        """Plaintext from the position on, at least a byte and at most `wanted`."""
        offset, plain = self._here
        if not offset <= self._position < offset + len(plain):
            first = self._position // self.block_size
            end = -(-min(self._position + wanted, self._size) // self.block_size)
            self._load(first, min(end, first + self._opener.batch_blocks))
            offset, plain = self._here
        return memoryview(plain)[self._position - offset :][:wanted]

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place in the message; behind its end there is nothing to read."""
        self._check_open()
        with self._lock:
            base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}.get(whence)
            if base is None:
                raise ArgumentError(f"whence {whence!r} given, 0, 1 or 2 wanted")
            if base + offset < 0:
                raise ArgumentError(f"place {base + offset} wanted, which is before the start of the message")
            self._position = base + offset
            return self._position

    def tell(self) -> int:
        self._check_open()
        return self._position

    def close(self) -> None:
        self._here = (0, b"")
        if not self.closed and self._own:
            self._file.close()
        super().close()

    def _check_open(self) -> None:
        if self.closed:
            raise ArgumentError("this SealedFile is closed")
        if self._file.closed:
            raise ArgumentError("the file under this SealedFile is closed")
