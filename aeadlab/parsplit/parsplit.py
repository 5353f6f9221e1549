"""ParSplit: encryption of one message by several threads with an AEAD behind the C ABI."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, Self, overload

from aeadlab import _native
from aeadlab.errors import ArgumentError, ArgumentTypeError
from aeadlab.parsplit import implementations, schedules, tags as forms
from aeadlab.parsplit.arguments import integer, thread_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from aeadlab._native import Keyed
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.files import StrPath
    from aeadlab.parsplit.stream_io import Sink, Source

BLOCK_SIZE: Final = 65536
"""Default number of bytes per block."""


class ParSplit:
    """An AEAD that seals the blocks of a message in several threads.

    The sealed message is the ciphertext followed by one tag per block (ETH paper, Figure 1), or by one tag of 32 bytes
    in all; see `tags`. Nonces follow STREAM (Hoang, Reyhanitabar, Rogaway, Vizár, CRYPTO 2015), which detects swapped,
    dropped, repeated and truncated blocks.

    Parameters
    ----------
    implementation
        Name in the catalogue, such as ``openssl/aes-256-gcm``. ``auto`` selects the settings that `aeadlab.tune` finds
        fastest on this computer: it measures for a few seconds the first time and caches the result. The sealed message
        does not contain the settings, and they differ between computers: store `implementation` and `block_size` with
        the message, and pass them to open it.
    block_size
        Bytes per block, at least 1; None selects 65536, or the fastest size for ``auto``.
    threads
        1 to 256; None selects the number of cores of this process, or 1 if the implementation is not thread-safe. For
        ``auto`` it is the maximum.
    schedule
        The assignment of blocks to threads: one of `ParSplit.schedules`, described in docs/SCHEDULES.md.
    serial_below
        Messages of fewer bytes are processed on the thread of the caller; None selects the bound measured for AES-GCM,
        0 uses all threads for every message of more than one block.
    tags
        The form of the tags; both sides must use the same, and docs/SECURITY.md states what each commits to:

        ``concatenated``
            One tag per block: 16 bytes with most AEADs.
        ``digest``
            The tags hashed to 32 bytes. Opening takes about twice the time of sealing, because it computes the tags
            again; the AEAD must encrypt by XOR with a key stream, as AES-GCM and ChaCha20-Poly1305 do.
        ``merkle``
            As ``digest``, and the threads build the BLAKE3 tree as blocks finish. `prove` and `decrypt_proven` open
            ranges: a proof has the tags of up to 64 blocks at each end of the range and 32 bytes for each level above.
        ``blake3``
            Any cipher of the catalogue with a nonce from 12 bytes on, such as ``openssl/aes-256-ctr``, authenticated by
            keyed BLAKE3 of its ciphertext: 32 bytes, and for a proof 32 bytes for each level. Key and nonce have 32
            bytes each, and nonces may be random. Blocks have a power of two from 1024 bytes on.
    baseline
        Whether an implementation that protects nothing is accepted, such as ``baseline/delay``, for studies.
    allow, message_bytes
        Only for ``auto``: the AEADs to choose from, as for `aeadlab.tune`, and the typical message length.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If the catalogue does not contain the implementation.
    aeadlab.errors.ArgumentError
        If the implementation is not an AEAD behind the C ABI (with ``tags="blake3"`` a cipher), does not fit `tags` or
        has a nonce under 12 bytes, `tags` is unknown, a number is out of range, or the schedule is not available, for
        example because this process uses another threading layer of Numba.
    aeadlab.errors.Error
        For ``auto``, the errors of `aeadlab.tune`, such as BusyError while another process measures.

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
        tags: str = forms.CONCATENATED,
        serial_below: int | None = None,
        baseline: bool = False,
        allow: Sequence[str] | None = None,
        message_bytes: int | None = None,
    ) -> None:
        forms.check(tags)
        if implementation == "auto":
            forms.check_auto(tags)
            # An import against the flow of data (ARCHITECTURE.md): tuning measures ParSplit itself.
            from aeadlab.lab.tuning import BYTES, tune

            length = BYTES if message_bytes is None else message_bytes
            implementation, block_size, threads = tune(allow, length, block_size=block_size, threads=threads).settings
        elif allow is not None or message_bytes is not None:
            raise ArgumentError(f'allow and message_bytes given with {implementation}: they apply to "auto" only')
        if not isinstance(implementation, str):
            raise ArgumentTypeError(
                f"implementation {implementation!r} given, a name such as openssl/aes-256-gcm or auto expected"
            )
        algorithm = implementations.find(implementation, baseline=baseline)
        if threads is None:
            threads = thread_count(None) if "thread-safe" in algorithm.description.flags else 1
        block_size = integer("block size", BLOCK_SIZE if block_size is None else block_size, 1)
        threads = integer("threads", threads, 1)
        if serial_below is not None:
            serial_below = integer("serial_below", serial_below, 0)
        schedules.register(schedule)
        self._engine = forms.engine(algorithm, block_size, threads, schedule, serial_below, tags)
        self._settings = (implementation, block_size, threads, schedule)
        self._options: dict[str, Any] = {"tags": tags, "serial_below": serial_below, "baseline": baseline}
        # Bound once, so that a message costs one call into the extension without an attribute lookup.
        self._encrypt, self._decrypt = self._engine.encrypt, self._engine.decrypt

    def __reduce__(self) -> tuple[partial[Self], tuple[str, int, int, str]]:
        # It holds no key. Another process makes its own engine from the same settings.
        return partial(type(self), **self._options), self._settings

    def with_key(self, key: Memory) -> Keyed:
        """Return an object that encrypts and decrypts many messages under one key without setting it up again.

        Its methods `encrypt`, `decrypt`, `decrypt_range`, `prove` and `decrypt_proven` are those of this class without
        the first argument. Any
        number of threads may call them at the same time. `close`, or the end of a ``with`` block, wipes the key. The
        object cannot be pickled; this one can.

        ``encrypt_into(nonce, data, aad, out)`` and ``decrypt_into`` return the number of bytes written to `out`. For
        short messages they are faster than `out` of `encrypt`, whose memoryview takes longer to create than new memory.

        Parameters
        ----------
        key
            `key_bytes` long. It is copied.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the key has the wrong length.

        Examples
        --------
        >>> with ParSplit("openssl/aes-256-gcm").with_key(bytes(32)) as box:
        ...     sealed = box.encrypt(bytes(7), b"attack at dawn", b"orders")
        ...     box.decrypt(bytes(7), sealed, b"orders")
        ...     box.encrypt_into(bytes(7), b"attack at dawn", b"orders", bytearray(100))
        b'attack at dawn'
        30
        """
        return _native.Keyed(self._engine, key)

    @property
    def implementation(self) -> str:
        """Name of the implementation."""
        return self._settings[0]

    @property
    def block_size(self) -> int:
        """Bytes per block."""
        return self._settings[1]

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._settings[2]

    @property
    def schedule(self) -> str:
        """Name of the schedule."""
        return self._settings[3]

    @property
    def tags(self) -> str:
        """The form of the tags."""
        tags: str = self._options["tags"]
        return tags

    @property
    def key_bytes(self) -> int:
        """Key length in bytes: that of the AEAD, or 32 with ``tags="blake3"``."""
        return self._engine.key_bytes

    @property
    def nonce_bytes(self) -> int:
        """Nonce length in bytes: that of the AEAD less 5 for block index and last-block flag, or 32 for ``blake3``."""
        return self._engine.nonce_bytes

    def sealed_bytes(self, bytes: int) -> int:
        """Return the length of the sealed message for a message of `bytes`: the ciphertext and its tags.

        They are one tag per block, or 32 bytes with other `tags` than ``concatenated``.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If it is negative, too large for this computer, or more than 2**32 blocks.
        """
        return self._engine.sealed_bytes(integer("message length", bytes, 0))

    @overload
    def encrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, out: None = None
    ) -> bytes: ...
    @overload
    def encrypt(self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None, out: Memory) -> memoryview: ...
    @overload
    def encrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, *, out: Memory
    ) -> memoryview: ...
    def encrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, out: Memory | None = None
    ) -> bytes | memoryview:
        """Seal `data`.

        Parameters
        ----------
        key, nonce
            `key_bytes` and `nonce_bytes` long. Never use a nonce twice with the same key.
        data
            Any contiguous buffer of numbers: bytes, bytearray, memoryview, NumPy array. It is not copied. The GIL is
            released during the call.
        aad
            Associated data: authenticated, but not part of the result. None is the same as ``b""``.
        out
            A writable buffer of at least ``sealed_bytes(len(data))`` bytes. If `data` is the start of `out`, it is
            sealed in place. Reuse one buffer for large messages: new memory costs more than the encryption.

        Returns
        -------
        bytes or memoryview
            Ciphertext and tags; with `out`, a view of its written part.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the key or the nonce has the wrong length, or the message has more than 2**32 blocks.
        aeadlab.errors.BufferArgumentError
            If a buffer is not contiguous, `out` is too small or read-only, or overlaps `data`.
        KeyboardInterrupt
            After Ctrl-C, when the blocks in progress are done. `out` is wiped, including a message sealed in place.

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

    @overload
    def decrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, out: None = None
    ) -> bytes: ...
    @overload
    def decrypt(self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None, out: Memory) -> memoryview: ...
    @overload
    def decrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, *, out: Memory
    ) -> memoryview: ...
    def decrypt(
        self, key: Memory, nonce: Memory, data: Memory, aad: Memory | None = None, out: Memory | None = None
    ) -> bytes | memoryview:
        """Open a sealed message, as a whole or not at all.

        Parameters
        ----------
        data
            Ciphertext and tags.
        out
            A writable buffer for the message; if it is `data`, the message is opened in place.

        Returns
        -------
        bytes or memoryview
            The message; with `out`, a view of its written part.

        Raises
        ------
        aeadlab.errors.AuthenticationError
            If the tag of a block does not match. `out` is wiped.
        aeadlab.errors.ArgumentError
            If a length is impossible for a sealed message.
        aeadlab.errors.BufferArgumentError, KeyboardInterrupt
            As for `encrypt`.
        """
        return self._decrypt(key, nonce, data, aad, out)

    @overload
    def decrypt_range(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        count: int,
        aad: Memory | None = None,
        out: None = None,
    ) -> bytes: ...
    @overload
    def decrypt_range(
        self, key: Memory, nonce: Memory, data: Memory, first_block: int, count: int, aad: Memory | None, out: Memory
    ) -> memoryview: ...
    @overload
    def decrypt_range(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        count: int,
        aad: Memory | None = None,
        *,
        out: Memory,
    ) -> memoryview: ...
    def decrypt_range(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        count: int,
        aad: Memory | None = None,
        out: Memory | None = None,
    ) -> bytes | memoryview:
        """Open consecutive blocks of a sealed message, reading only these blocks and their tags.

        The index of each block is verified, and whether it is the last one. A truncation is detected only if the range
        includes the last block, and `aad` is verified only with block 0.

        Parameters
        ----------
        data
            The complete sealed message; ``numpy.memmap`` and ``mmap`` support messages larger than memory.
        first_block, count
            Index of the first block, from 0, and number of blocks, at least 1.
        out
            A writable buffer for the plaintext, which must not overlap `data`.

        Returns
        -------
        bytes or memoryview
            The plaintext of the range.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the range exceeds the message.
        aeadlab.errors.AuthenticationError, aeadlab.errors.BufferArgumentError, KeyboardInterrupt
            As for `decrypt`.

        Examples
        --------
        >>> cipher, key, nonce = ParSplit("openssl/aes-256-gcm", block_size=4), bytes(32), bytes(7)
        >>> cipher.decrypt_range(key, nonce, cipher.encrypt(key, nonce, b"attack at dawn"), 2, 2)
        b't dawn'
        """
        engine = forms.with_block_tags(self._engine, "decrypt_range")
        return engine.decrypt_range(key, nonce, data, first_block, count, aad, out)

    def prove(
        self, key: Memory, nonce: Memory, data: Memory, first_block: int, count: int, aad: Memory | None = None
    ) -> bytes:
        """Return the proof that consecutive blocks of a sealed message belong to its one tag.

        The complete message is read and verified. `decrypt_proven` then needs only these blocks, the tag and the proof.
        A proof is no secret. It has 32 bytes for each level of the tree, and with ``tags="merkle"`` also the tags of
        the range and of up to 63 blocks beside each end of it.

        Parameters
        ----------
        data
            The complete sealed message, made with ``tags="merkle"`` or ``tags="blake3"``.
        first_block, count
            Index of the first block, from 0, and number of blocks, at least 1.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the range exceeds the message, or `tags` is ``concatenated`` or ``digest``.
        aeadlab.errors.AuthenticationError
            If the tag does not match.

        Examples
        --------
        >>> cipher = ParSplit("openssl/aes-256-ctr", block_size=1024, tags="blake3")
        >>> key, nonce, message = bytes(32), bytes(range(32)), b"attack at dawn. " * 500
        >>> sealed = cipher.encrypt(key, nonce, message)
        >>> len(sealed) - len(message), len(proof := cipher.prove(key, nonce, sealed, 2, 1))
        (32, 96)
        >>> blocks, tag = sealed[2048:3072], sealed[-32:]
        >>> cipher.decrypt_proven(key, nonce, blocks, 2, len(message), tag, proof) == message[2048:3072]
        True
        """
        return forms.with_one_tag(self._engine).prove(key, nonce, data, first_block, count, aad)

    @overload
    def decrypt_proven(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        message_bytes: int,
        tag: Memory,
        proof: Memory,
        aad: Memory | None = None,
        out: None = None,
    ) -> bytes: ...
    @overload
    def decrypt_proven(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        message_bytes: int,
        tag: Memory,
        proof: Memory,
        aad: Memory | None = None,
        *,
        out: Memory,
    ) -> memoryview: ...
    def decrypt_proven(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        first_block: int,
        message_bytes: int,
        tag: Memory,
        proof: Memory,
        aad: Memory | None = None,
        out: Memory | None = None,
    ) -> bytes | memoryview:
        """Open consecutive blocks of a sealed message, without the others, against its one tag.

        The proof binds the blocks to their positions, to the length of the message, to `nonce` and to `aad`.

        Parameters
        ----------
        data
            The ciphertext of the blocks: whole ones, of which only the message's last may be shorter.
        first_block
            Index of the first block, from 0.
        message_bytes
            Length of the complete message in bytes.
        tag
            The last 32 bytes of the sealed message.
        proof
            Result of `prove` for exactly these blocks.
        out
            A writable buffer for the plaintext; if it is `data`, the blocks are opened in place.

        Returns
        -------
        bytes or memoryview
            The plaintext of the blocks.

        Raises
        ------
        aeadlab.errors.AuthenticationError
            If blocks, tag and proof do not belong together. `out` is wiped.
        aeadlab.errors.ArgumentError
            If the blocks exceed the message, or `data`, `tag` or `proof` has a wrong length.
        aeadlab.errors.BufferArgumentError, KeyboardInterrupt
            As for `decrypt`.
        """
        engine = forms.with_one_tag(self._engine)
        return engine.decrypt_proven(key, nonce, data, first_block, message_bytes, tag, proof, aad, out)

    # The file formats build on this class, so that these methods import them when they are called.

    def encrypt_file(
        self,
        key: Key,
        source: Source | StrPath,
        sink: Sink | StrPath,
        aad: Memory = b"",
        *,
        format: str | None = None,
        max_memory: int | None = None,
    ) -> int:
        """Seal the content of `source` as a file that other programs open, with this implementation and its threads.

        Parameters, result and errors are those of `aeadlab.encrypt_file`.

        Parameters
        ----------
        format
            One of `aeadlab.files.FORMATS` with the algorithm of this implementation; None selects ``cobblestone-256``
            for AES-256-GCM and ``cobblestone-128`` for AES-128-GCM. The format determines the length of the chunks.

        Examples
        --------
        >>> import io
        >>> from aeadlab import ParSplit, decrypt_file
        >>> cipher, key = ParSplit("openssl/aes-256-gcm"), bytes(range(32))
        >>> sealed, back = io.BytesIO(), io.BytesIO()
        >>> cipher.encrypt_file(key, io.BytesIO(b"attack at dawn"), sealed, aad=b"orders")
        86
        >>> _ = sealed.seek(0)
        >>> decrypt_file(key, sealed, back, aad=b"orders")
        14
        >>> back.getvalue()
        b'attack at dawn'
        """
        from aeadlab.files.sealing import encrypt_file

        return encrypt_file(key, source, sink, aad, format=format, cipher=self, max_memory=max_memory)

    def decrypt_file(
        self,
        key: Key,
        source: Source | StrPath,
        sink: Sink | StrPath,
        aad: Memory = b"",
        *,
        format: str | None = None,
        nonce: Memory | None = None,
        max_memory: int | None = None,
    ) -> int:
        """Open a file of a format with the algorithm of this implementation; see `aeadlab.decrypt_file`."""
        from aeadlab.files.opening import decrypt_file

        return decrypt_file(key, source, sink, aad, format=format, cipher=self, nonce=nonce, max_memory=max_memory)

    def encrypt_iter(
        self,
        key: Key,
        chunks: Iterable[Memory],
        aad: Memory = b"",
        *,
        format: str | None = None,
        max_memory: int | None = None,
    ) -> Iterator[bytes]:
        """Seal an iterable of bytes of any lengths, and iterate over the bytes of the file; see `encrypt_file`.

        Examples
        --------
        >>> from aeadlab import ParSplit
        >>> cipher, key = ParSplit("openssl/aes-256-gcm"), bytes(range(32))
        >>> sealed = cipher.encrypt_iter(key, [b"attack ", b"at ", b"dawn"])
        >>> b"".join(cipher.decrypt_iter(key, sealed))
        b'attack at dawn'
        """
        from aeadlab.files.sealing import encrypt_iter

        return encrypt_iter(key, chunks, aad, format=format, cipher=self, max_memory=max_memory)

    def decrypt_iter(
        self,
        key: Key,
        chunks: Iterable[Memory],
        aad: Memory = b"",
        *,
        format: str | None = None,
        nonce: Memory | None = None,
        max_memory: int | None = None,
    ) -> Iterator[bytes]:
        """Open a file given as an iterable of bytes, and iterate over its plaintext; see `decrypt_file`.

        The message is complete only if the iterator ends without an error.
        """
        from aeadlab.files.opening import decrypt_iter

        return decrypt_iter(key, chunks, aad, format=format, cipher=self, nonce=nonce, max_memory=max_memory)

    def traced(
        self,
        key: Memory,
        nonce: Memory,
        data: Memory,
        aad: Memory = b"",
        out: Memory | None = None,
        op: Literal["encrypt", "decrypt"] = "encrypt",
    ) -> tuple[bytes | memoryview, NDArray[Any]]:
        """Seal or open a message as `encrypt` and `decrypt` do, and record when each thread processed each block.

        Returns
        -------
        bytes or memoryview
            The result of `encrypt` or `decrypt`.
        numpy.ndarray
            One row per block in the order of the blocks: ``block``, ``thread`` (index of the worker, from 0), ``leaf``
            (the first of the consecutive blocks that were assigned together), ``start_ns`` and ``end_ns`` (nanoseconds
            since the start of the call), all unsigned 64-bit integers.

        Examples
        --------
        >>> cipher = ParSplit("openssl/aes-256-gcm", block_size=65536, threads=2)
        >>> sealed, trace = cipher.traced(bytes(32), bytes(7), bytes(2**20))
        >>> trace["block"].tolist() == list(range(16))
        True
        """
        if op not in ("encrypt", "decrypt"):
            raise ArgumentError(f"op {op!r} given, encrypt or decrypt expected")
        engine = forms.with_block_tags(self._engine, "traced")
        result, trace = engine.traced(op == "decrypt", key, nonce, data, aad, out)
        return result, schedules.parse_trace(trace)

    def __repr__(self) -> str:
        return f"ParSplit{self._settings!r}"
