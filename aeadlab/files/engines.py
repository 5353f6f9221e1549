"""The sealer and the opener of one file."""

from __future__ import annotations

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
    algorithm = _algorithm_of(cipher)
    names = [format.name for format in FORMATS.values() if format.algorithm == algorithm and format.name != AGE_PAYLOAD]
    if chosen := [name for name in names if name.startswith("cobblestone")]:
        return chosen[0]
    choice = f"pass format={' or '.join(map(repr, names))}" if names else "seal in memory with ParSplit.encrypt"
    raise ArgumentError(f"{cipher.implementation} given, but cobblestone has no {algorithm}: {choice}")


def _algorithm_of(cipher: ParSplit) -> str:
    return find(cipher.implementation, baseline=True).description.algorithm


def sealer_for(
    key: Key,
    aad: Memory,
    format: str,
    segment_bytes: int | None,
    threads: int | None,
    max_memory: int | None,
    cipher: ParSplit | None = None,
) -> tuple[_native.Sealer, bytes]:
    """Return the sealer of a new file, and all that precedes its chunks.

    The parameters are those of `aeadlab.files.encrypt_file`.
    """
    found = find_format(format)
    if format == OWN:
        raise ArgumentError(f"format {OWN} is only read: choose another one, such as {DEFAULT}")
    if cipher is not None and (algorithm := _algorithm_of(cipher)) != found.algorithm:
        raise ArgumentError(f"{cipher.implementation} given, but {format} has {found.algorithm} and not {algorithm}")
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


def opener_for(
    source: Input,
    key: Key,
    aad: Memory,
    format: str | None,
    threads: int | None,
    max_memory: int | None,
    cipher: ParSplit | None = None,
    nonce: Memory | None = None,
) -> _native.Opener:
    """Read the header of a file and return its opener; the parameters are those of `aeadlab.files.decrypt_file`."""
    if nonce is not None:
        return _with_nonce(source, key, aad, format, max_memory, cipher, nonce)
    plain_start = format is not None and not find_format(format).committing and format not in (OWN, AGE)
    start = b"" if plain_start else _read(source, START_BYTES)
    found = recognized(start)
    name = format or found or (format_of_key(key) if cipher is None else format_of_cipher(cipher))
    if found and found != name:
        raise FormatError(f"a file of format {found} given, {name} expected")
    if name == AGE:
        secret: Key = recipients.unwrapped(read_header(source, start), key)
        name, start = AGE_PAYLOAD, b""
    else:
        secret = key
    header = start
    while (needed := _native.header_bytes(name, header)) > len(header):
        header += _read(source, needed - len(header))
        if len(header) < needed:
            break
    algorithm = find_format(name).algorithm or _native.read_header(header)[1]
    if algorithm is None:
        raise FormatError(f"not a file of format {name}: header of {len(header)} bytes given, {needed} expected")
    engine = engine_for(algorithm, threads, cipher=cipher)
    try:
        return _native.Opener.resume(engine, name, header, octets_of(secret), aad, memory_limit(max_memory))
    except AuthenticationError:
        raise AuthenticationError(
            f"wrong key or associated data, or not a file of format {name}, or its header is changed"
        ) from None


def _with_nonce(
    source: Input,
    key: Key,
    aad: Memory,
    format: str | None,
    max_memory: int | None,
    cipher: ParSplit | None,
    nonce: Memory,
) -> _native.Opener:
    """Return the opener of a stream of this project that was sealed with a nonce."""
    if cipher is None:
        # An algorithm named by a file that is not yet authenticated must not be used with a key of the caller.
        raise ArgumentError("nonce given without cipher: pass the cipher that sealed the stream")
    if format not in (None, OWN):
        raise ArgumentError(f"nonce given for the format {format}: only {OWN} has streams that were sealed with one")
    header, algorithm = read_own_header(source)
    return _native.Opener(engine_for(algorithm, None, cipher=cipher), header, octets_of(key), aad, nonce, max_memory)


def octets_of(key: Key) -> Memory:
    """Return a key of bytes; text is for age only."""
    if isinstance(key, str | recipients.Passphrase | list | tuple):
        raise ArgumentTypeError(f"key of type {type(key).__name__} given, bytes expected: text is for the format {AGE}")
    return cast("Memory", key)


def _read(source: Input, count: int) -> bytes:
    buffer = bytearray(count)
    return bytes(buffer[: source.fill(memoryview(buffer))])
