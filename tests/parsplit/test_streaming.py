"""Streams through files and iterators: their bytes, rejected forgeries, memory, and invalid arguments."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given, settings, strategies as st

from aeadlab import ParSplit, SealedFile, decrypt_file, decrypt_iter
from aeadlab.catalogue import native
from aeadlab.errors import ArgumentError, AuthenticationError, Error, FormatError
from aeadlab.parsplit import implementations
from tests.fixtures.own_format import Writer

GCM = "openssl/aes-256-gcm"
KEY, AAD, TAG, HEADER = bytes(range(32)), b"associated", 16, 67
AEADS = [i for i in native.linked() if i.description.kind == "aead" and i.description.nonce_bytes >= 12]
AEADS = [i for i in AEADS if "baseline" not in i.description.flags]


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def seal(data: bytes, block_size: int = 16, threads: int = 2, key: bytes = KEY, nonce: bytes | None = None) -> bytes:
    sealed = io.BytesIO()
    written = Writer(GCM, block_size, threads, serial_below=0).encrypt_file(
        key, io.BytesIO(data), sealed, AAD, nonce=nonce
    )
    assert written == len(sealed.getvalue())
    return sealed.getvalue()


def open_(sealed: bytes, aad: bytes = AAD) -> bytes:
    back = io.BytesIO()
    decrypt_file(KEY, io.BytesIO(sealed), back, aad, threads=2)
    return back.getvalue()


def assert_rejected(
    sealed: bytes, change: object, errors: tuple[type[Exception], ...] = (AuthenticationError,)
) -> None:
    """Opening the stream, and opening it as a file, both raise."""
    for open_stream in (open_, lambda s: SealedFile(KEY, io.BytesIO(s), AAD, threads=1).read()):
        try:
            open_stream(sealed)
        except errors:
            continue
        pytest.fail(f"{change} was accepted")


def open_independently(sealed: bytes, block_size: int) -> bytes:
    """Open a stream according to docs/FORMATS.md, with pyca alone."""
    name, prefix = sealed[16], sealed[11]
    assert sealed[:8] == b"PARSPLIT"
    assert sealed[8:11] == bytes([1, 1, TAG])
    assert int.from_bytes(sealed[12:16], "big") == block_size
    nonce = sealed[17 + name : 17 + name + prefix]
    header = sealed[: 17 + name + prefix + 32]
    key = HKDF(hashes.SHA256(), 32, header[-32:], header).derive(KEY)
    body, plain = sealed[len(header) :], b""
    blocks = [body[i : i + block_size + TAG] for i in range(0, len(body), block_size + TAG)]
    for i, block in enumerate(blocks):
        last = bytes([i == len(blocks) - 1])
        plain += AESGCM(key).decrypt(nonce + i.to_bytes(4, "big") + last, block, header + AAD if i == 0 else b"")
    return plain


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 32, 100, 1000])
def test_stream_has_the_specified_format(length: int, threads: int) -> None:
    sealed = seal(text(length), 16, threads)
    assert open_independently(sealed, 16) == text(length)
    assert open_(sealed) == text(length)


def test_streams_of_the_same_message_share_only_the_header() -> None:
    one, two = seal(text(100)), seal(text(100))
    assert one[:28] == two[:28]
    assert not any(one[i : i + 8] in two for i in range(28, len(one) - 8))


@pytest.mark.parametrize("implementation", AEADS, ids=lambda i: i.name)
def test_every_aead_seals_and_opens_a_stream(implementation: native.NativeImplementation) -> None:
    unit = implementation.native.block_bytes
    cipher = Writer(implementation.name, 48)
    key = bytes(range(max(16, cipher.key_bytes)))
    data = text(1000 // unit * unit)
    sealed = io.BytesIO(b"".join(cipher.encrypt_iter(key, [data], AAD)))
    assert b"".join(cipher.decrypt_iter(key, [sealed.getvalue()], AAD)) == data
    assert SealedFile(key, sealed, AAD, cipher=cipher).read() == data


@settings(deadline=None, max_examples=100)
@given(
    chunks=st.lists(st.binary(max_size=300), max_size=12),
    block_size=st.integers(1, 200),
    threads=st.integers(1, 4),
    cut=st.integers(1, 100),
)
def test_accepts_chunks_of_any_lengths(chunks: list[bytes], block_size: int, threads: int, cut: int) -> None:
    cipher = Writer(GCM, block_size, threads, serial_below=0)
    sealed = b"".join(cipher.encrypt_iter(KEY, chunks, AAD))
    pieces = [sealed[i : i + cut] for i in range(0, len(sealed), cut)]
    assert b"".join(decrypt_iter(KEY, pieces, AAD, threads=threads)) == b"".join(chunks)


def test_opening_describes_the_linked_implementations_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A description of all takes longer than the opening of a short stream."""
    assert open_(SEALED) == FIVE
    monkeypatch.setattr(implementations, "linked", lambda: pytest.fail("described again"))
    assert open_(SEALED) == FIVE


def test_message_of_several_batches() -> None:
    data = os.urandom((5 << 20) + 77)
    sealed = seal(data, 65536)
    assert open_(sealed) == data
    assert open_independently(sealed, 65536) == data


FIVE = text(5 * 16 - 3)
SEALED = seal(FIVE)
BLOCKS = [SEALED[HEADER:][i : i + 32] for i in range(0, 157, 32)]


def test_rejects_every_flipped_bit() -> None:
    assert open_(SEALED) == FIVE
    assert len(BLOCKS) == 5
    for bit in range(8 * len(SEALED)):
        changed = bytearray(SEALED)
        changed[bit // 8] ^= 1 << bit % 8
        in_header = bit // 8 < HEADER
        assert_rejected(
            bytes(changed), f"bit {bit}", (AuthenticationError, FormatError) if in_header else (AuthenticationError,)
        )


def test_rejects_every_truncation_and_extension() -> None:
    for length in range(len(SEALED)):
        assert_rejected(
            SEALED[:length], f"truncated to {length}", (FormatError,) if length < HEADER else (AuthenticationError,)
        )
    for more in [bytes(n) for n in range(1, 70)] + BLOCKS:
        assert_rejected(SEALED + more, f"{len(more)} more")


def test_rejects_every_rearrangement_of_blocks() -> None:
    """Includes swapped, dropped and repeated blocks."""
    orders = {order for count in range(6) for order in permutations(range(5), count)}
    orders |= {(*range(i), j, *range(i, 5)) for i in range(6) for j in range(5)}
    orders |= {(*range(i), j, *range(i + 1, 5)) for i in range(5) for j in range(5)}
    for order in orders - {(0, 1, 2, 3, 4)}:
        assert_rejected(SEALED[:HEADER] + b"".join(BLOCKS[i] for i in order), order)


@pytest.mark.parametrize("kind", ["same key", "same stream key, other nonce"])
def test_rejects_every_splice_of_another_message(kind: str) -> None:
    nonces = [None, None] if kind == "same key" else [b"nonce 1", b"nonce 2"]
    one, other = (seal(FIVE, nonce=nonce) for nonce in nonces)
    start = len(one) - 157
    for first in range(5):
        for end in range(first + 1, 6):
            for length in (32, 16):
                spliced = bytearray(one)
                span = slice(start + first * 32, start + (end - 1) * 32 + length)
                spliced[span] = other[span]
                with pytest.raises(AuthenticationError):
                    ParSplit(GCM).decrypt_file(KEY, io.BytesIO(spliced), io.BytesIO(), AAD, nonce=nonces[0])
    with pytest.raises(AuthenticationError):
        spliced = one[:start] + other[start:]
        ParSplit(GCM).decrypt_file(KEY, io.BytesIO(spliced), io.BytesIO(), AAD, nonce=nonces[0])


def test_stream_under_a_nonce_requires_the_same_nonce() -> None:
    cipher, sealed = ParSplit(GCM), seal(FIVE, nonce=b"nonce 1")
    assert b"".join(cipher.decrypt_iter(KEY, [sealed], AAD, nonce=b"nonce 1")) == FIVE
    assert SealedFile(KEY, io.BytesIO(sealed), AAD, cipher=cipher, nonce=b"nonce 1").read() == FIVE
    assert_rejected(sealed, "no nonce given", (FormatError,))
    for data in (sealed, SEALED):
        with pytest.raises(FormatError, match="nonce"):
            list(cipher.decrypt_iter(KEY, [data], AAD, nonce=b"nonce 2"))
    with pytest.raises(ArgumentError, match="nonce given without cipher"):
        SealedFile(KEY, io.BytesIO(sealed), nonce=b"nonce 1")


@settings(deadline=None, max_examples=200)
@given(data=st.data(), length=st.integers(0, 400), block_size=st.integers(1, 60))
def test_rejects_random_changes(data: st.DataObject, length: int, block_size: int) -> None:
    sealed = seal(text(length), block_size)
    body, whole = sealed[HEADER:], block_size + TAG
    blocks = [body[i : i + whole] for i in range(0, len(body), whole)]
    match data.draw(st.sampled_from(["bytes", "cut", "extend", "order"])):
        case "bytes":
            at = data.draw(st.integers(0, len(sealed) - 1))
            new = data.draw(st.binary(min_size=1, max_size=20))
            forged = sealed[:at] + new + sealed[at + len(new) :]
        case "cut":
            forged = sealed[: data.draw(st.integers(0, len(sealed) - 1))]
        case "extend":
            forged = sealed + data.draw(st.binary(min_size=1, max_size=2 * whole))
        case _:
            order = data.draw(st.lists(st.integers(0, len(blocks) - 1), max_size=len(blocks) + 2))
            forged = sealed[:HEADER] + b"".join(blocks[i] for i in order)
    if forged != sealed:
        assert_rejected(forged, forged, (AuthenticationError, FormatError, ArgumentError))


def test_rejects_a_wrong_key_or_aad_at_the_first_block() -> None:
    for key, aad in ((bytes(32), AAD), (KEY, b"other"), (KEY, b"")):
        sink = io.BytesIO()
        with pytest.raises(AuthenticationError, match="after byte 0 of the message"):
            decrypt_file(key, io.BytesIO(SEALED), sink, aad)
        assert sink.getvalue() == b""


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_returns_only_verified_plaintext(threads: int) -> None:
    """If block k is forged, neither block k nor a later block is returned."""
    size = 1 << 18
    data = os.urandom(20 * size)
    sealed = seal(data, size)
    cipher = ParSplit(GCM, threads=threads, serial_below=0)
    for k in range(20):
        forged = bytearray(sealed)
        forged[HEADER + k * (size + TAG) + 5] ^= 1
        out = b""
        with pytest.raises(AuthenticationError, match="the output so far is verified but incomplete"):
            for piece in cipher.decrypt_iter(KEY, [forged[: len(forged) // 3], forged[len(forged) // 3 :]], AAD):
                out += piece
        assert len(out) <= k * size
        assert k - len(out) // size < 4 * threads, "more than a batch is missing"
        assert data.startswith(out)


def test_rejects_truncation_at_a_block_boundary_at_the_end() -> None:
    size = 1 << 18
    data = os.urandom(20 * size)
    cut = seal(data, size)[: HEADER + 15 * (size + TAG)]
    out, pieces = b"", decrypt_iter(KEY, [cut], AAD, threads=1)
    with pytest.raises(AuthenticationError):
        for piece in pieces:
            out += piece
    assert 0 < len(out) < 15 * size
    assert data.startswith(out)
    assert list(pieces) == []


def test_iterator_reads_at_most_one_batch_ahead() -> None:
    requested = 0

    def chunks() -> Iterator[bytes]:
        nonlocal requested
        for _ in range(100):
            requested += 1
            yield bytes(1 << 19)

    sealed = Writer(GCM, 65536, 1).encrypt_iter(KEY, chunks())
    assert requested == 0
    next(sealed)
    assert requested == 0
    next(sealed)
    assert requested == 3
    assert sum(map(len, sealed)) == (49 << 20) + 800 * TAG - 16 * TAG


class SlowFile(io.RawIOBase):
    """Reads and writes at most three bytes at a time, and is not seekable."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        some = bytes(self.data[: min(3, len(buffer))])
        del self.data[: len(some)]
        buffer[: len(some)] = some
        return len(some)

    def write(self, data: Any) -> int:
        self.data += data[:3]
        return min(3, len(data))


def test_supports_short_reads_and_writes_and_pipes() -> None:
    sealed = SlowFile()
    Writer(GCM, 16).encrypt_file(KEY, SlowFile(FIVE), sealed, AAD)
    back = SlowFile()
    assert decrypt_file(KEY, sealed, back, AAD) == len(FIVE)
    assert back.data == FIVE
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb") as sink:
        Writer(GCM, 16).encrypt_file(KEY, io.BytesIO(FIVE), sink, AAD)
        sink.close()
        assert b"".join(decrypt_iter(KEY, source, AAD)) == FIVE


class ReadOnly:
    """A file with nothing but `read`, which returns the given result."""

    def __init__(self, result: object) -> None:
        self.result = result

    def read(self, _size: int) -> Any:
        return self.result


class NonBlockingFile(io.RawIOBase):
    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _buffer: Any) -> None:
        return None

    def write(self, _data: Any) -> None:
        return None


def closed() -> io.BytesIO:
    file = io.BytesIO()
    file.close()
    return file


def opened(mode: str) -> Callable[[], Any]:
    return lambda: open(os.devnull, mode)


SOURCES: dict[str, tuple[Callable[[], Any], str]] = {
    "text": (lambda: io.StringIO("abc"), "source is in text mode: open it with 'rb'"),
    "text file": (opened("r"), "source is in text mode"),
    "closed": (closed, "source is closed"),
    "for writing": (opened("wb"), "source is not open for reading"),
    "bytes": (lambda: b"abc", "source of type bytes given, a path or a binary file expected: it has no method read"),
    "returns text": (lambda: ReadOnly("abc"), "source returned str, bytes expected"),
    "returns too much": (lambda: ReadOnly(bytes(10_000_000)), "source returned 10000000 bytes, at most"),
    "non-blocking": (NonBlockingFile, "source has no data yet: it is non-blocking"),
    "non-blocking read": (lambda: ReadOnly(None), "source has no data yet"),
}
SINKS: dict[str, tuple[Callable[[], Any], str]] = {
    "text": (io.StringIO, "sink is in text mode: open it with 'wb'"),
    "closed": (closed, "sink is closed"),
    "for reading": (opened("rb"), "sink is not open for writing"),
    "list": (list, "sink of type list given, a path or a binary file expected: it has no method write"),
    "non-blocking": (NonBlockingFile, "sink accepts no data now: it is non-blocking"),
}


@pytest.mark.parametrize("fault", SOURCES)
def test_rejects_unreadable_sources(fault: str) -> None:
    make, message = SOURCES[fault]
    for call in (ParSplit(GCM).encrypt_file, ParSplit(GCM).decrypt_file, decrypt_file):
        source = make()
        with pytest.raises(ArgumentError, match=f"^{message}"):
            call(KEY, source, io.BytesIO())
        getattr(source, "close", int)()


@pytest.mark.parametrize("fault", SINKS)
def test_rejects_unwritable_sinks(fault: str) -> None:
    make, message = SINKS[fault]
    for call, data in (
        (ParSplit(GCM).encrypt_file, FIVE),
        (ParSplit(GCM).decrypt_file, SEALED),
        (decrypt_file, SEALED),
    ):
        sink = make()
        with pytest.raises(ArgumentError, match=f"^{message}"):
            call(KEY, io.BytesIO(data), sink, AAD)
        getattr(sink, "close", int)()


def test_rejects_invalid_arguments(tmp_path: Path) -> None:
    cipher, file = Writer(GCM), io.BytesIO(SEALED)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: cipher.encrypt_file(KEY, file, file), "source and sink are the same file"),
        (
            lambda: cipher.encrypt_iter(KEY, b"abc"),
            r"chunks of type bytes given, an iterable of bytes expected: use \[data",
        ),
        (lambda: cipher.encrypt_iter(KEY, 5), "chunks of type int given"),  # type: ignore[arg-type]
        (lambda: list(cipher.encrypt_iter(KEY, ["a"])), "chunks contain str, contiguous bytes expected"),  # type: ignore[list-item]
        (lambda: cipher.encrypt_iter(KEY[:31], []), "key of 31 bytes given, at least 32"),
        (lambda: cipher.encrypt_iter(KEY, [], nonce=b"short"), "nonce prefix of 5 bytes given, 7"),
        (lambda: cipher.encrypt_iter(KEY + KEY, [], nonce=bytes(7)), "key of 64 bytes given, 32 "),
        (lambda: Writer(GCM, (1 << 24) + 1).encrypt_iter(KEY, []), "a stream has blocks of at most 16777216 bytes"),
        (
            lambda: list(ParSplit("openssl/chacha20-poly1305").decrypt_iter(KEY, [SEALED], AAD)),
            "sealed with .*aes-256-gcm",
        ),
    ]
    for call, message in cases:
        with pytest.raises(ArgumentError, match=message):
            call()


def test_rejects_input_that_is_not_a_stream() -> None:
    cases = {
        b"": "no.* sealed stream: 0 bytes given",
        b"PARSPLIT": "no.* sealed stream: 8 bytes given",
        b"-----BEGIN AGE ENCRYPTED": "it does not begin with PARSPLIT",
        SEALED[:8] + b"\x02" + SEALED[9:]: "sealed stream of version 2",
        SEALED[:9] + b"\x07" + SEALED[10:]: "key derivation 7",
        SEALED[:60]: "header of 60 bytes given, 67 expected",
        SEALED[:12] + bytes(4) + SEALED[16:]: "its header ",
        SEALED[:12] + b"\xff" + SEALED[13:]: "its header ",
        SEALED.replace(
            b"aes-256-gcm", b"aes-257-gcm", 1
        ): "sealed with aes-257-gcm, and no implementation of it is available",
    }
    for data, message in cases.items():
        with pytest.raises(FormatError, match=message):
            decrypt_file(KEY, io.BytesIO(data), io.BytesIO(), AAD, format="parsplit-v1")


def test_forged_block_size_does_not_allocate_memory() -> None:
    code = """
import io, resource, sys
from aeadlab import ParSplit, decrypt_file, errors
sealed = io.BytesIO()
cipher = ParSplit("openssl/aes-256-gcm", 1 << 24, 64)
cipher.encrypt_file(bytes(32), io.BytesIO(bytes(100)), sealed)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sealed.seek(0)
try:
    cipher.decrypt_file(bytes(range(32)), sealed, io.BytesIO())
except errors.AuthenticationError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert grown < 32 << 10, f"{grown} KiB for a stream of 100 bytes"


MEMORY = """
import resource, sys
from aeadlab import ParSplit, SealedFile, decrypt_file

class Zeros:
    left = SIZE = 256 << 20
    def readinto(self, buffer):
        count = min(len(buffer), self.left)
        self.left -= count
        return count

class Count:
    bytes = 0
    def write(self, data):
        self.bytes += len(data)

key, cipher, path = bytes(range(32)), ParSplit("openssl/aes-256-gcm", threads=2), sys.argv[1]
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
with open(path, "wb") as file:
    cipher.encrypt_file(key, Zeros(), file)
count = Count()
with open(path, "rb") as file:
    assert decrypt_file(key, file, count, threads=2) == count.bytes == Zeros.SIZE
with SealedFile(key, path) as file:
    assert file.size == Zeros.SIZE
    file.seek(-9, 2)
    assert file.read() == bytes(9)
print(peak() - before)
"""


def test_file_of_256_mib_needs_little_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, tmp_path / "sealed"], capture_output=True, check=True, text=True
    )
    assert int(done.stdout) < 48 << 10, f"{done.stdout.strip()} KiB"


def test_format_error_is_an_error_of_the_package() -> None:
    assert issubclass(FormatError, Error)
    assert issubclass(FormatError, ValueError)
