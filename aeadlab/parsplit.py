"""ParSplit from Python: any AEAD of the catalogue, parallel."""

from __future__ import annotations

import os
import sys
from functools import cache, partial
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aeadlab import _native, automatic, schedules, streaming
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.catalogue.plugins import registered
from aeadlab.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from aeadlab.memory import Memory as Memory
    from aeadlab.streaming import Sink, Source


_BLOCK_SIZE = 65536
_MOST_THREADS = 256


@cache
def _catalogue(registered: tuple[Path, ...] = ()) -> Catalogue:
    """Kept until another plugin is made known to this process."""
    return load()


class ParSplit:
    """An AEAD cut into blocks that several threads seal at once.

    The sealed message is the ciphertext followed by one tag per block (ETH paper, Figure 1). Nonces follow STREAM
    (Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015), so that no block can be swapped, dropped, repeated or cut off.

    Parameters
    ----------
    implementation
        Name in the catalogue, such as ``openssl/aes-256-gcm``. ``auto`` takes what `aeadlab.tune` finds fastest here,
        with its block size and threads: measured for a few seconds the first time, remembered from then on. What was
        taken is not part of the ciphertext, and differs between machines: keep `implementation` and `block_size` with
        what you seal, and open with these.
    block_size
        Bytes per block, at least 1; None means 65536, and of ``auto`` what is fastest.
    threads
        1 to 256; None means the cores that this process may use, and 1 where the implementation is not thread-safe. Of
        ``auto`` it is the most that may be taken.
    schedule
        Who does which block: one of `ParSplit.schedules`, which docs/SCHEDULES.md describes.
    serial_below
        Messages of fewer bytes stay on the caller's thread and wake no other; None means what was measured to be best
        for AES-GCM, 0 that every message of more than one block goes to all threads.
    baseline
        Whether an implementation that protects nothing may be used, such as ``baseline/delay``: for studies.
    allow, message_bytes
        Of ``auto`` alone: the AEADs to choose from, as `aeadlab.tune` takes them, and the usual length of a message.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the implementation does not exist here.
    aeadlab.errors.ArgumentError
        If it is no AEAD behind the C ABI, has a nonce under 12 bytes, or a number is out of range; if the schedule is
        not available here, or belongs to another layer of Numba than this process has.
    aeadlab.errors.Error
        Of ``auto``, what `aeadlab.tune` raises, such as BusyError where another process measures.

    Examples
    --------
    >>> from aeadlab import ParSplit
    >>> cipher = ParSplit("openssl/aes-256-gcm", block_size=65536, threads=2)
    >>> key, nonce = bytes(32), bytes(7)
    >>> sealed = cipher.encrypt(key, nonce, b"attack at dawn", aad=b"orders")
    >>> len(sealed)
    30
    >>> cipher.decrypt(key, nonce, sealed, aad=b"orders")
    b'attack at dawn'
    """

    schedules: tuple[str, ...] = schedules.NAMES

    def __init__(
        self,
        implementation: str,
        block_size: int | None = None,
        threads: int | None = None,
        schedule: str = "dynamic",
        *,
        serial_below: int | None = None,
        baseline: bool = False,
        allow: Sequence[str] | None = None,
        message_bytes: int | None = None,
    ) -> None:
        if implementation == "auto" and automatic.chooser is not None:
            implementation, block_size, threads = automatic.chooser(allow, message_bytes, block_size, threads)
        elif allow is not None or message_bytes is not None:
            raise ArgumentError(f'allow and message_bytes are for "auto", not for {implementation}')
        found = _catalogue(registered()).find(implementation)
        if not isinstance(found, NativeImplementation):
            same = _catalogue(registered()).select("aead", algorithm=found.description.algorithm)
            native = [i.name for i in same if isinstance(i, NativeImplementation)]
            hint = f", such as {native[0]}" if native else ""
            raise ArgumentError(f"{implementation} is called from Python: ParSplit needs one behind the C ABI{hint}")
        if "baseline" in found.description.flags and found.description.kind == "aead" and not baseline:
            raise ArgumentError(f"{implementation} protects nothing: for a study of it give baseline=True")
        if threads is None:
            threads = most_threads(None) if "thread-safe" in found.description.flags else 1
        block_size = _whole("block size", _BLOCK_SIZE if block_size is None else block_size, 1)
        threads = _whole("threads", threads, 1)
        if serial_below is not None:
            serial_below = _whole("serial_below", serial_below, 0)
        schedules.prepare(schedule)
        self._engine = _native.ParSplit(found.native, block_size, threads, schedule, serial_below)
        self._given = (implementation, block_size, threads, schedule)
        # Bound once: a message costs one call into the extension and no look-up.
        self._encrypt, self._decrypt = self._engine.encrypt, self._engine.decrypt

    @property
    def implementation(self) -> str:
        """Name of the implementation."""
        return self._given[0]

    @property
    def block_size(self) -> int:
        """Bytes per block."""
        return self._given[1]

    @property
    def threads(self) -> int:
        """How many threads work on a message."""
        return self._given[2]

    @property
    def schedule(self) -> str:
        """Who does which block."""
        return self._given[3]

    @property
    def key_bytes(self) -> int:
        """Length of a key."""
        return self._engine.key_bytes

    @property
    def nonce_bytes(self) -> int:
        """Length of a nonce: the AEAD's own less 5, in which ParSplit numbers the blocks."""
        return self._engine.nonce_bytes

    def sealed_bytes(self, bytes: int) -> int:
        """Length of the sealed message for a message of `bytes`: itself and a tag per block.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If no message has this length, or it makes more than 2**32 blocks.
        """
        return self._engine.sealed_bytes(_whole("message length", bytes, 0))

    def encrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory = b"", out: Memory | None = None
    ) -> bytes | memoryview:
        """Seal `data`.

        Parameters
        ----------
        key, nonce
            `key_bytes` and `nonce_bytes` long; a nonce is never used twice with one key.
        data
            Any contiguous buffer: bytes, bytearray, memoryview, NumPy array. It is not copied, and the GIL is
            released meanwhile.
        aad
            Authenticated with the message, not part of the result.
        out
            A writable buffer of at least ``sealed_bytes(len(data))`` bytes; `data` itself, at the start of `out`, is
            sealed in place. Fresh memory costs more than the encryption, so reuse one for large messages.

        Returns
        -------
        bytes or memoryview
            Ciphertext and tags; with `out`, a view of the part of it that was written.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If key or nonce have the wrong length, or the message makes more than 2**32 blocks.
        aeadlab.errors.BufferError
            If a buffer is not contiguous, `out` is too small or read-only, or overlaps `data`.
        KeyboardInterrupt
            After Ctrl-C, at the end of the blocks in work; `out` is then wiped, and with it a message sealed in place.

        Examples
        --------
        >>> cipher = ParSplit("openssl/aes-256-gcm", threads=2)
        >>> memory = bytearray(cipher.sealed_bytes(100_000))
        >>> memory[:6] = b"attack"
        >>> sealed = cipher.encrypt(bytes(32), bytes(7), memoryview(memory)[:100_000], out=memory)
        >>> len(sealed), sealed.obj is memory
        (100032, True)
        >>> bytes(cipher.decrypt(bytes(32), bytes(7), memory, out=memory)[:6])
        b'attack'
        """
        return self._encrypt(key, nonce, data, aad, out)

    def decrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory = b"", out: Memory | None = None
    ) -> bytes | memoryview:
        """Open what `encrypt` returned, all of it or nothing.

        Parameters
        ----------
        data
            Ciphertext and tags.
        out
            A writable buffer for the message; `data` itself is opened in place.

        Returns
        -------
        bytes or memoryview
            The message; with `out`, a view of the part of it that was written.

        Raises
        ------
        aeadlab.errors.AuthenticationError
            If any block's tag does not match. `out` is then wiped.
        aeadlab.errors.ArgumentError
            If a length is one that no sealed message has.
        aeadlab.errors.BufferError, KeyboardInterrupt
            As for `encrypt`.
        """
        return self._decrypt(key, nonce, data, aad, out)

    def decrypt_range(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        count: int,
        aad: Memory = b"",
        out: Memory | None = None,
    ) -> bytes | memoryview:
        """Open some blocks of what `encrypt` returned, reading nothing but those and their tags.

        Each block is verified to be this message's with that number, and the last one to be the last. So that nothing
        was cut off is known only when the last block is among them, and `aad` is verified only with block 0.

        Parameters
        ----------
        data
            The whole sealed message; ``numpy.memmap`` and ``mmap`` give one that is larger than memory.
        first_block, count
            Which blocks, numbered from 0, at least one.
        out
            A writable buffer for the plaintext, apart from `data`.

        Returns
        -------
        bytes or memoryview
            The plaintext of these blocks.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the message does not have these blocks.
        aeadlab.errors.AuthenticationError, aeadlab.errors.BufferError, KeyboardInterrupt
            As for `decrypt`.

        Examples
        --------
        >>> cipher, key, nonce = ParSplit("openssl/aes-256-gcm", block_size=4), bytes(32), bytes(7)
        >>> cipher.decrypt_range(key, nonce, cipher.encrypt(key, nonce, b"attack at dawn"), 2, 2)
        b't dawn'
        """
        first_block, count = _whole("first block", first_block, 0), _whole("count", count, 1)
        return self._engine.decrypt_range(key, nonce, data, first_block, count, aad, out)

    def encrypt_file(
        self, key: Memory, source: Source, sink: Sink, aad: Memory = b"", *, nonce: Memory | None = None
    ) -> int:
        """Seal all that `source` has as a stream, in the memory of a few blocks per thread.

        The stream gets a key of its own, derived from `key` and a random salt that is stored with it, so that any
        number of streams may be sealed with one key: see `message_key` and docs/SECURITY.md.

        Parameters
        ----------
        key
            At least `key_bytes` long, and at least 16; random, not a password.
        source
            A binary file or anything with `read`; it need not be seekable, and may be larger than memory.
        sink
            A binary file or anything with `write`.
        aad
            Authenticated with the stream, not part of it.
        nonce
            Given, `key` itself seals the blocks, under this nonce of `nonce_bytes`, never used twice with one key: for
            keys that are used once anyway.

        Returns
        -------
        int
            Bytes written to `sink`.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the key is too short, blocks are larger than 16 MiB, the message makes more than 2**32 blocks, or a file
            is closed or in text mode.

        Examples
        --------
        >>> import io
        >>> from aeadlab import ParSplit, decrypt_file
        >>> cipher, key = ParSplit("openssl/aes-256-gcm"), bytes(range(32))
        >>> sealed, back = io.BytesIO(), io.BytesIO()
        >>> cipher.encrypt_file(key, io.BytesIO(b"attack at dawn"), sealed, aad=b"orders")
        97
        >>> _ = sealed.seek(0)
        >>> decrypt_file(key, sealed, back, aad=b"orders")
        14
        >>> back.getvalue()
        b'attack at dawn'
        """
        pieces = streaming.sealed(self._engine, key, streaming.Reader(source), aad, nonce)
        return streaming.copied(pieces, streaming.writer(sink, source))

    def decrypt_file(
        self, key: Memory, source: Source, sink: Sink, aad: Memory = b"", *, nonce: Memory | None = None
    ) -> int:
        """Open a stream with this implementation, whatever its block size; see `aeadlab.decrypt_file`.

        A stream that was sealed with a `nonce` is opened with it.

        What is written before an error, or before this returns, is verified and may be only a beginning of the message.
        """
        pieces = streaming.opened(streaming.Reader(source), partial(self._opener, key, aad, nonce))
        return streaming.copied(pieces, streaming.writer(sink, source))

    def encrypt_iter(
        self, key: Memory, chunks: Iterable[Memory], aad: Memory = b"", *, nonce: Memory | None = None
    ) -> Iterator[bytes]:
        """`encrypt_file` from an iterable of bytes of any lengths, giving an iterator of bytes.

        Examples
        --------
        >>> from aeadlab import ParSplit
        >>> cipher, key = ParSplit("openssl/aes-256-gcm"), bytes(range(32))
        >>> sealed = cipher.encrypt_iter(key, [b"attack ", b"at ", b"dawn"])
        >>> b"".join(cipher.decrypt_iter(key, sealed))
        b'attack at dawn'
        """
        return map(bytes, streaming.sealed(self._engine, key, streaming.Chunks(chunks), aad, nonce))

    def decrypt_iter(
        self, key: Memory, chunks: Iterable[Memory], aad: Memory = b"", *, nonce: Memory | None = None
    ) -> Iterator[bytes]:
        """`decrypt_file` from an iterable of bytes, giving an iterator of bytes: some verified blocks each.

        Only its end without an error says that the message is whole.
        """
        return map(bytes, streaming.opened(streaming.Chunks(chunks), partial(self._opener, key, aad, nonce)))

    def _opener(self, key: Memory, aad: Memory, nonce: Memory | None, header: bytes, _algorithm: str) -> _native.Opener:
        return _native.Opener(self._engine, header, key, aad, nonce)

    def traced(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        aad: Memory = b"",
        out: Memory | None = None,
        op: Literal["encrypt", "decrypt"] = "encrypt",
    ) -> tuple[bytes | memoryview, NDArray[Any]]:
        """Seal or open, and tell who did which block when.

        Returns
        -------
        bytes or memoryview
            What `encrypt` or `decrypt` returns.
        numpy.ndarray
            One row per block, by index: ``block``, ``thread`` (the worker, from 0), ``leaf`` (the first of the
            neighbouring blocks that were handed out together), ``start_ns`` and ``end_ns`` (nanoseconds since the call
            began), all unsigned 64-bit.

        Raises
        ------
        aeadlab.errors.Error
            As `encrypt` and `decrypt`.

        Examples
        --------
        >>> cipher = ParSplit("openssl/aes-256-gcm", block_size=65536, threads=2)
        >>> sealed, spans = cipher.traced(bytes(32), bytes(7), bytes(2**20))
        >>> spans["block"].tolist() == list(range(16))
        True
        """
        if op not in ("encrypt", "decrypt"):
            raise ArgumentError(f"op {op!r} given, encrypt or decrypt wanted")
        result, spans = self._engine.traced(op == "decrypt", key, nonce, data, aad, out)
        return result, schedules.spans(spans)

    def __repr__(self) -> str:
        return f"ParSplit{self._given!r}"


def most_threads(given: int | None) -> int:
    """How many threads may work on a message: those given, else one for each core that this process may use.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is no number from 1 to 256.
    """
    if given is None:
        return min(_cores(), _MOST_THREADS)
    if (threads := _whole("threads", given, 1)) > _MOST_THREADS:
        raise ArgumentError(f"threads {threads} given, at most {_MOST_THREADS} wanted")
    return threads


def _cores() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _whole(what: str, given: int, least: int) -> int:
    """The number, if it is a whole one that a machine word holds."""
    try:
        number = index(given)
    except TypeError:
        raise ArgumentError(f"{what} {given!r} given, a whole number wanted") from None
    if not least <= number <= sys.maxsize:
        raise ArgumentError(
            f"{what} {number} given, {f'at least {least}' if number < least else f'at most {sys.maxsize}'} wanted"
        )
    return number
