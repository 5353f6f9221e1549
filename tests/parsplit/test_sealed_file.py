"""Random access to a sealed file, and to ranges of a message in memory."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from aeadlab import ParSplit, SealedFile
from aeadlab.errors import ArgumentError, AuthenticationError, BufferArgumentError
from tests.fixtures.own_format import Writer

GCM = "openssl/aes-256-gcm"
KEY, NONCE, AAD, TAG, HEADER = bytes(range(32)), b"7 bytes", b"associated", 16, 67
DATA = os.urandom(1003)


def sealed(data: bytes = DATA, block_size: int = 64) -> io.BytesIO:
    file = io.BytesIO()
    Writer(GCM, block_size).encrypt_file(KEY, io.BytesIO(data), file, AAD)
    file.seek(0)
    return file


class RecordingFile(io.BytesIO):
    """Records the positions of the bytes read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.read_positions: set[int] = set()

    def readinto(self, buffer: Any, /) -> int:
        start = self.tell()
        count = super().readinto(buffer)
        self.read_positions.update(range(start, start + count))
        return count


def test_reads_only_the_blocks_needed() -> None:
    file = RecordingFile(sealed().getvalue())
    plain = SealedFile(KEY, file, AAD)
    whole = 64 + TAG
    last = range(HEADER + 15 * whole, len(file.getvalue()))
    assert file.read_positions == {*range(HEADER + whole), *last}
    file.read_positions.clear()
    plain.seek(300)
    assert plain.read(10) == DATA[300:310]
    assert file.read_positions == set(range(HEADER + 4 * whole, HEADER + 5 * whole))
    assert plain.read(10) == DATA[310:320]
    assert plain.tell() == 320
    file.read_positions.clear()
    assert plain.decrypt_range(7, 3) == DATA[448:640]
    assert file.read_positions == set(range(HEADER + 7 * whole, HEADER + 10 * whole))


@settings(deadline=None, max_examples=100)
@given(
    length=st.integers(0, 300),
    block_size=st.integers(1, 90),
    moves=st.lists(st.tuples(st.integers(0, 2), st.integers(-320, 320), st.integers(-1, 320)), max_size=8),
)
def test_reads_and_seeks_like_a_plain_file(length: int, block_size: int, moves: list[tuple[int, int, int]]) -> None:
    plain, twin = SealedFile(KEY, sealed(DATA[:length], block_size), AAD), io.BytesIO(DATA[:length])
    for whence, offset, size in moves:
        base = (0, twin.tell(), length)[whence]
        if base + offset < 0:
            with pytest.raises(ArgumentError, match="before the start of the message"):
                plain.seek(offset, whence)
        else:
            assert plain.seek(offset, whence) == twin.seek(base + offset)
        buffered = io.BufferedReader(plain)
        assert buffered.read(size) == twin.read(size)
        buffered.detach()
        plain.seek(twin.tell())
    twin.seek(0)
    plain.seek(0)
    assert plain.readlines() == twin.readlines()


def test_zipfile_reads_from_a_sealed_file() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("orders", b"attack at dawn")
    with zipfile.ZipFile(SealedFile(KEY, sealed(archive.getvalue()), AAD)) as found:
        assert found.read("orders") == b"attack at dawn"


def test_close_closes_a_path_but_not_a_given_file(tmp_path: Path) -> None:
    (tmp_path / "sealed").write_bytes(sealed().getvalue())
    with SealedFile(KEY, tmp_path / "sealed", AAD) as plain:
        assert plain.readall() == DATA
        inner = plain._file
    assert inner.closed
    file = sealed()
    with SealedFile(KEY, file, AAD):
        pass
    assert not file.closed
    (tmp_path / "short").write_bytes(sealed().getvalue()[:-1])
    with pytest.raises(AuthenticationError):
        SealedFile(KEY, tmp_path / "short", AAD)


def test_rejects_truncated_and_extended_files() -> None:
    whole = sealed().getvalue()
    for count in range(1, 16):
        with pytest.raises(AuthenticationError):
            SealedFile(KEY, io.BytesIO(whole[: HEADER + count * (64 + TAG)]), AAD)
        with pytest.raises(AuthenticationError):
            SealedFile(KEY, io.BytesIO(whole + whole[HEADER : HEADER + count]), AAD)


def test_rejects_changes_after_opening() -> None:
    file = sealed()
    plain = SealedFile(KEY, file, AAD)
    file.getbuffer()[HEADER + 5 * 80 + 3] ^= 1
    assert plain.read(320) == DATA[:320]
    with pytest.raises(AuthenticationError, match="blocks 5 to 5: "):
        plain.read(1)
    with pytest.raises(AuthenticationError, match="blocks 0 to 15"):
        plain.decrypt_range(0, 16)
    assert plain.decrypt_range(6, 2) == DATA[384:512]
    file.truncate(700)
    with pytest.raises(AuthenticationError, match="the file is truncated"):
        plain.decrypt_range(8, 1)


def test_rejects_unsuitable_files_and_ranges() -> None:
    read, write = os.pipe()
    with (
        os.fdopen(read, "rb") as pipe,
        os.fdopen(write, "wb"),
        pytest.raises(ArgumentError, match="file is not seekable"),
    ):
        SealedFile(KEY, pipe)
    with pytest.raises(ArgumentError, match="file is in text mode"):
        SealedFile(KEY, io.StringIO("abc"))  # type: ignore[arg-type]
    file = sealed()
    plain = SealedFile(KEY, file, AAD)
    for first, count, message in (
        (0, 17, "17 blocks from block 0 requested, the message has 16: blocks 0 to 15"),
        (16, 1, "1 block from block 16 requested, the message has 16: blocks 0 to 15"),
        (-1, 1, "first block -1 given, at least 0 expected"),
        (3, 0, "count 0 given, at least 1 expected"),
        (0.5, 1, "first block 0.5 given, an integer expected"),
    ):
        with pytest.raises(ArgumentError, match=f"^{message}$"):
            plain.decrypt_range(first, count)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="whence 7"):
        plain.seek(0, 7)
    assert not plain.writable()
    file.close()
    with pytest.raises(ArgumentError, match="the underlying file of this SealedFile is closed"):
        plain.read(1)
    plain.close()
    for call in (plain.tell, lambda: plain.read(1), lambda: plain.seek(0), lambda: plain.decrypt_range(0, 1)):
        with pytest.raises(ArgumentError, match="this SealedFile is closed"):
            call()


@pytest.mark.parametrize("threads", [1, 3])
def test_decrypts_ranges_of_a_message_in_memory(threads: int) -> None:
    cipher = ParSplit(GCM, 100, threads, serial_below=0)
    message = cipher.encrypt(KEY, NONCE, DATA, AAD)
    for first in range(11):
        for count in range(1, 12 - first):
            assert (
                cipher.decrypt_range(KEY, NONCE, message, first, count, AAD)
                == DATA[first * 100 : (first + count) * 100]
            )
    out = bytearray(b"\xaa" * 210)
    assert cipher.decrypt_range(KEY, NONCE, message, 3, 2, AAD, out) == DATA[300:500]
    assert out[200:] == b"\xaa" * 10
    for block in range(11):
        for place in (block * 100, len(DATA) + block * TAG):
            forged = bytearray(message)
            forged[place] ^= 1
            with pytest.raises(AuthenticationError):
                cipher.decrypt_range(KEY, NONCE, forged, block, 1, AAD, out)
            assert out[: min(100, len(DATA) - block * 100)].count(0) == min(100, len(DATA) - block * 100)
    assert cipher.decrypt_range(KEY, NONCE, message, 1, 10, b"unused") == DATA[100:]
    with pytest.raises(AuthenticationError):
        cipher.decrypt_range(KEY, NONCE, message, 0, 1, b"other")


def test_rejects_ranges_beyond_the_message() -> None:
    cipher = ParSplit(GCM, 100)
    message = cipher.encrypt(KEY, NONCE, DATA)
    for first, count, message_part in (
        (0, 12, "12 blocks from block 0 requested, the message has 11: blocks 0 to 10"),
        (11, 1, "1 block from block 11 "),
        (0, 0, "co"),
    ):
        with pytest.raises(ArgumentError, match=message_part):
            cipher.decrypt_range(KEY, NONCE, message, first, count)
    with pytest.raises(ArgumentError, match="first block -1 given"):
        cipher.decrypt_range(KEY, NONCE, message, -1, 1)
    with pytest.raises(BufferArgumentError, match="out of 99 bytes given, at least 100"):
        cipher.decrypt_range(KEY, NONCE, message, 1, 1, out=bytearray(99))
    with pytest.raises(BufferArgumentError, match="overlap"):
        memory = bytearray(message)
        cipher.decrypt_range(KEY, NONCE, memory, 1, 1, out=memory)
