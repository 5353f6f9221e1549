"""The sealer and the opener of one file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, cast

from aeadlab import _native
from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError, FormatError
from aeadlab.files.age import recipients
from aeadlab.files.age.header import read as read_header
from aeadlab.files.formats import (
    AGE,
    AGE_PAYLOAD,
    DEFAULT,
    FORMATS,
    OWN,
    START_BYTES,
    find_format,
    format_of_key,
    recognized,
)
from aeadlab.parsplit.arguments import integer, memory_limit, thread_count
from aeadlab.parsplit.implementations import find, find_by_algorithm
from aeadlab.parsplit.parsplit import BLOCK_SIZE
from aeadlab.parsplit.streaming import read_header as read_own_header
from aeadlab.parsplit.tags import with_block_tags

if TYPE_CHECKING:
    from aeadlab.catalogue.native import NativeImplementation
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.parsplit import ParSplit
    from aeadlab.parsplit.stream_io import Input

_FLOE_OVERHEAD = 32
"""Bytes that a segment of FLOE has beside its plaintext: length, nonce, tag."""

_FLOE_SEGMENT = 1 << 20


@cache
def _implementation(algorithm: str) -> NativeImplementation:
    return find_by_algorithm(algorithm)


def engine_for(
    algorithm: str, threads: int | None, block_size: int | None = None, cipher: ParSplit | None = None
) -> _native.ParSplit:
    """Return the engine of `cipher`, or over what `find_by_algorithm` returns, without loading the catalogue."""
    if cipher is not None:
        return with_block_tags(cipher._engine, "a file")
    implementation = _implementation(algorithm)
    thread_safe = "thread-safe" in implementation.description.flags
    count = thread_count(threads) if thread_safe else 1
    return _native.ParSplit(
        implementation.native, BLOCK_SIZE if block_size is None else block_size, count, "dynamic", None
    )


def format_of_cipher(cipher: ParSplit) -> str:
    """Return the name of the Cobblestone that has the algorithm of `cipher`.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If none has, with the formats that have it.
    """
    algorithm = find(cipher.implementation, baseline=True).description.algorithm
    names = [format.name for format in FORMATS.values() if format.algorithm == algorithm and format.name != AGE_PAYLOAD]
    if chosen := [name for name in names if name.startswith("cobblestone")]:
        return chosen[0]
    choice = f"pass format={' or '.join(map(repr, names))}" if names else "seal in memory with ParSplit.encrypt"
    raise ArgumentError(f"{cipher.implementation} given, but cobblestone has no {algorithm}: {choice}")


def sealer_for(
    key: Key,
    aad: Memory,
    format: str | None,
    segment_bytes: int | None,
    threads: int | None,
    max_memory: int | None,
    cipher: ParSplit | None = None,
) -> tuple[_native.Sealer, bytes]:
    """Return the sealer of a new file, and all that precedes its chunks.

    The parameters are those of `aeadlab.files.encrypt_file`.
    """
    if format is None:
        format = DEFAULT if cipher is None else format_of_cipher(cipher)
    found = find_format(format)
    if format == OWN:
        raise ArgumentError(f"format {OWN} is only read: choose another one, such as {DEFAULT}")
    block_size = None
    if found.chunk_bytes == 0 and cipher is None:
        segment = integer("segment_bytes", _FLOE_SEGMENT if segment_bytes is None else segment_bytes, 64)
        block_size = segment - _FLOE_OVERHEAD
    elif segment_bytes is not None:
        chunks = f"{format} has chunks of {found.chunk_bytes} bytes" if found.chunk_bytes else "cipher has a block size"
        raise ArgumentError(f"segment_bytes given, but {chunks}")
    start, secret, name = b"", key, format
    if format == AGE:
        start, secret = recipients.wrapped(key)
        name = AGE_PAYLOAD
    engine = engine_for(found.algorithm, threads, block_size, cipher)
    sealer = _native.Sealer.begin(engine, name, octets_of(secret), aad, memory_limit(max_memory))
    return sealer, start + sealer.header


@dataclass(frozen=True, repr=False)
class Opening:
    """How a file is opened: the parameters of `aeadlab.files.decrypt_file`. Called with a file, it reads the header."""

    key: Key
    aad: Memory
    format: str | None
    cipher: ParSplit | None
    threads: int | None
    nonce: Memory | None
    max_memory: int | None

    def __post_init__(self) -> None:
        memory_limit(self.max_memory)
        if self.nonce is not None and self.cipher is None:
            # An algorithm named by a file that is not yet authenticated must not be used with a key of the caller.
            raise ArgumentError("nonce given without cipher: pass the cipher that sealed the stream")
        if self.nonce is not None and self.format not in (None, OWN):
            raise ArgumentError(f"nonce given for the format {self.format}: only {OWN} has streams sealed with one")

    def __call__(self, source: Input) -> _native.Opener:
        """Read the header of a file and return its opener."""
        limit, key = memory_limit(self.max_memory), self.key
        if self.nonce is not None:
            header, own_algorithm = read_own_header(source)
            return _native.Opener(self._engine(own_algorithm), header, octets_of(key), self.aad, self.nonce, limit)
        start = b"" if self._has_plain_start else _read(source, START_BYTES)
        found = recognized(start)
        name = self.format or found or (format_of_key(key) if self.cipher is None else format_of_cipher(self.cipher))
        if found and found != name:
            raise FormatError(f"a file of format {found} given, {name} expected")
        if name == AGE:
            key = recipients.unwrapped(read_header(source, start), key)
            name, start = AGE_PAYLOAD, b""
        header = start
        while (needed := _native.header_bytes(name, header)) > len(header):
            header += _read(source, needed - len(header))
            if len(header) < needed:
                break
        algorithm = find_format(name).algorithm or _native.read_header(header)[1]
        if algorithm is None:
            raise FormatError(f"not a file of format {name}: header of {len(header)} bytes given, {needed} expected")
        try:
            return _native.Opener.resume(self._engine(algorithm), name, header, octets_of(key), self.aad, limit)
        except AuthenticationError:
            raise AuthenticationError(
                f"wrong key or associated data, or not a file of format {name}, or its header is changed"
            ) from None

    @property
    def _has_plain_start(self) -> bool:
        """Whether the format is given and cannot be recognized, because a file begins with ciphertext."""
        return self.format is not None and not find_format(self.format).committing and self.format not in (OWN, AGE)

    def _engine(self, algorithm: str) -> _native.ParSplit:
        return engine_for(algorithm, self.threads, cipher=self.cipher)


def octets_of(key: Key) -> Memory:
    """Return a key of bytes; text is for age only."""
    if isinstance(key, str | recipients.Passphrase | list | tuple):
        raise ArgumentTypeError(f"key of type {type(key).__name__} given, bytes expected: text is for the format {AGE}")
    return cast("Memory", key)


def _read(source: Input, count: int) -> bytes:
    buffer = bytearray(count)
    return bytes(buffer[: source.fill(memoryview(buffer))])
