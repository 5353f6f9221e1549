"""Streams take no more memory than their limit, whatever their headers state."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import cycle, repeat
from pathlib import Path
from random import Random

import pytest

from aeadlab import ParSplit, SealedFile, decrypt_file, decrypt_iter
from aeadlab.catalogue import native
from aeadlab.errors import ArgumentError, AuthenticationError, FormatError
from tests.fixtures.own_format import Writer

GCM = "openssl/aes-256-gcm"
KEY, MIB = bytes(range(64)), 1 << 20
LARGEST_BLOCK = 1 << 24
AEADS = {
    i.description.algorithm: i.description
    for i in native.linked()
    if i.description.kind == "aead" and i.description.nonce_bytes >= 12 and "baseline" not in i.description.flags
}
DEFAULT_LIMIT = {threads: max(64 * MIB, threads * 400 * 1024) for threads in (1, 2, 16, 163, 164, 255, 256)}
SLACK = 6 * MIB
"""Stacks and contexts of 256 threads, and the memory that Python keeps for small objects."""


def header(algorithm: str, block_size: int, nonce_bytes: int, tag_bytes: int) -> bytes:
    name, prefix = algorithm.encode(), nonce_bytes - 5
    numbers = bytes([1, 1, tag_bytes, prefix]) + block_size.to_bytes(4, "big") + bytes([len(name)])
    return b"PARSPLIT" + numbers + name + bytes(prefix) + bytes(32)


def header_of(algorithm: str, block_size: int) -> bytes:
    description = AEADS[algorithm]
    return header(algorithm, block_size, description.nonce_bytes, description.tag_bytes)


class Endless(io.RawIOBase):
    """A header and zeros without end; `bytes` is the number of bytes read."""

    def __init__(self, start: bytes) -> None:
        self.start, self.bytes = start, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        count = min(len(buffer), len(self.start) - self.bytes if self.bytes < len(self.start) else len(buffer))
        if self.bytes < len(self.start):
            buffer[:count] = self.start[self.bytes : self.bytes + count]
        else:
            # Written page by page, so that the memory is used as by a real source.
            for offset in range(0, count, 4096):
                buffer[offset] = 1
        self.bytes += count
        return count


def resident(field: str) -> int:
    """Return VmRSS or VmHWM of this process in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(rf"{field}:\s+(\d+) kB", status)[1]) * 1024


def growth(call: Callable[[], object]) -> int:
    """Return the number of bytes by which the memory of this process grew at most during a call."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = resident("VmRSS")
    call()
    return resident("VmHWM") - before


def in_child(code: str) -> str:
    """Run code in a process that imports this file and whose memory is not that of other tests."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of the memory of a process is measured on Linux")
    head = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nfrom test_stream_memory import *\n"
    done = subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def forged_cases(count: int) -> Iterator[tuple[str, int, int]]:
    """Every algorithm with 256 threads and either of the block sizes that need most, and random combinations."""
    random = Random(19)
    yield from zip(AEADS, cycle((64, LARGEST_BLOCK)), repeat(256))
    sizes = [1, 2, 3, 16, 17, 4096, 65535, 65536, 65537, MIB, 3 * MIB, LARGEST_BLOCK - 1, LARGEST_BLOCK]
    for _ in range(count):
        algorithm, threads = random.choice(list(AEADS)), random.choice(list(DEFAULT_LIMIT))
        yield algorithm, random.choice([*sizes, 1 << random.randrange(24), random.randrange(1, LARGEST_BLOCK)]), threads


def open_forged(algorithm: str, block_size: int, threads: int, max_memory: int | None, way: int) -> int:
    """Open an endless forged stream in one of three ways; return the number of bytes read before the error."""
    source = Endless(header_of(algorithm, block_size))
    try:
        if way == 0:
            decrypt_file(KEY, source, io.BytesIO(), threads=threads, max_memory=max_memory)
        elif way == 1:
            chunks = iter(lambda: bytes(source.read(1 << 16)), b"")
            list(decrypt_iter(KEY, chunks, threads=threads, max_memory=max_memory))
        else:
            cipher = ParSplit(native_name(algorithm), threads=threads)
            cipher.decrypt_file(KEY, source, io.BytesIO(), max_memory=max_memory)
    except (AuthenticationError, ArgumentError, FormatError):
        return source.bytes
    raise AssertionError("a forged stream was opened")


def native_name(algorithm: str) -> str:
    return next(i.name for i in native.linked() if i.description.algorithm == algorithm)


def check_forged(count: int, limits: tuple[int | None, ...]) -> None:
    """Called in a child."""
    warm = ParSplit(GCM, 64, 256, serial_below=0)
    warm.encrypt(KEY[:32], bytes(7), bytes(MIB))
    largest, cases = 0, 0
    for number, (algorithm, block_size, threads) in enumerate(forged_cases(count)):
        limit = limits[number % len(limits)]
        allowed = DEFAULT_LIMIT[threads] if limit is None else limit
        read: list[int] = []
        grown = growth(lambda: read.append(open_forged(algorithm, block_size, threads, limit, number % 3)))  # noqa: B023
        case = f"{algorithm}, blocks of {block_size}, {threads} threads, limit {limit}"
        assert grown <= allowed + SLACK, f"{case}: {grown} bytes"
        assert read[0] <= allowed // 3 + 2 * 65536 + 600, f"{case}: {read[0]} bytes read"
        largest, cases = max(largest, grown), cases + 1
    print(cases, largest)


def test_endless_forged_streams_take_no_more_memory_than_the_limit() -> None:
    print(in_child("check_forged(40, (None, None, None, 5_000_000))"))


def test_headers_beyond_the_format_are_rejected_before_reading_blocks() -> None:
    for block_size in (0, LARGEST_BLOCK + 1, *(1 << shift for shift in range(25, 32)), (1 << 32) - 1):
        source = Endless(header_of("aes-256-gcm", block_size))
        with pytest.raises(FormatError, match="invalid block size"):
            decrypt_file(KEY, source, io.BytesIO(), threads=256)
        assert source.bytes < 100
    for tag_bytes, nonce_bytes in ((255, 12), (16, 200)):
        source = Endless(header("aes-256-gcm", 64, nonce_bytes, tag_bytes))
        with pytest.raises(FormatError, match="its header states a nonce prefix of"):
            decrypt_file(KEY, source, io.BytesIO())


ENTRIES: dict[str, Callable[[bytes, int | None], bytes]] = {
    "decrypt_iter": lambda sealed, limit: b"".join(decrypt_iter(KEY, [sealed], max_memory=limit)),
    "decrypt_file": lambda sealed, limit: to_bytes(decrypt_file, sealed, limit),
    "ParSplit.decrypt_iter": lambda sealed, limit: b"".join(
        ParSplit(GCM).decrypt_iter(KEY, [sealed], max_memory=limit)
    ),
    "ParSplit.decrypt_file": lambda sealed, limit: to_bytes(ParSplit(GCM).decrypt_file, sealed, limit),
    "SealedFile": lambda sealed, limit: SealedFile(KEY, io.BytesIO(sealed), max_memory=limit).read(),
}


def to_bytes(decrypt: Callable[..., int], sealed: bytes, limit: int | None) -> bytes:
    sink = io.BytesIO()
    decrypt(KEY, io.BytesIO(sealed), sink, max_memory=limit)
    return sink.getvalue()


@pytest.mark.parametrize("entry", ENTRIES)
def test_larger_blocks_open_where_max_memory_allows_them(entry: str) -> None:
    message = bytes(range(256)) * 10_000
    sealed = b"".join(Writer(GCM, 600_000).encrypt_iter(KEY, [message]))
    needed = 3 * (600_000 + 16) + 1
    with pytest.raises(
        ArgumentError, match=f"blocks of 600000 bytes need .* max_memory .* set max_memory to {needed} "
    ):
        ENTRIES[entry](sealed, needed - 1)
    for limit in (needed, 2 * needed, None):
        assert ENTRIES[entry](sealed, limit) == message


def test_sealing_observes_the_limit_too() -> None:
    cipher, message = Writer(GCM, 100_000, 4), bytes(range(256)) * 4000
    needed, sink = 3 * 100_016 + 1, io.BytesIO()
    with pytest.raises(ArgumentError, match=f"set max_memory to {needed} or more"):
        cipher.encrypt_iter(KEY, [message], max_memory=needed - 1)
    with pytest.raises(ArgumentError, match=f"set max_memory to {needed} or more"):
        cipher.encrypt_file(KEY, io.BytesIO(message), sink, max_memory=needed - 1)
    cipher.encrypt_file(KEY, io.BytesIO(message), sink, max_memory=needed)
    assert b"".join(decrypt_iter(KEY, [sink.getvalue()])) == message


@pytest.mark.parametrize("limit", [0, -1, 1.5, "64 MiB"])
def test_rejects_limits_that_are_no_lengths(limit: object) -> None:
    for call in (decrypt_iter, ParSplit(GCM).encrypt_iter, ParSplit(GCM).decrypt_iter):
        with pytest.raises(ArgumentError, match="max_memory .* given"):
            call(KEY, [b""], max_memory=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(("block_size", "length"), [(65536, 9 * MIB), (LARGEST_BLOCK, 17 * MIB)])
def test_every_stream_written_with_defaults_opens_with_defaults(block_size: int, length: int) -> None:
    message = os.urandom(length)
    for writer in (1, 3, 256):
        sealed = b"".join(Writer(GCM, block_size, writer).encrypt_iter(KEY, [message]))
        for reader in (1, 7, 256):
            assert b"".join(decrypt_iter(KEY, [sealed], threads=reader)) == message


def check_long_stream() -> None:
    """Called in a child."""
    limit, piece = 4 * MIB, bytes(MIB)
    cipher = ParSplit(GCM, threads=4)
    key = KEY[:32]
    list(cipher.decrypt_iter(key, cipher.encrypt_iter(key, [piece] * 8, max_memory=limit), max_memory=limit))

    def run() -> None:
        sealed = cipher.encrypt_iter(key, (piece for _ in range(96)), max_memory=limit)
        assert sum(map(len, cipher.decrypt_iter(key, sealed, max_memory=limit))) == 96 * MIB

    print(growth(run))


def test_a_long_stream_takes_no_more_memory_than_the_limit() -> None:
    # Two streams, one sealing and one opening.
    assert int(in_child("check_long_stream()")) <= 2 * 4 * MIB + SLACK
