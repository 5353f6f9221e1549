"""Writing in a thread of its own: order, errors, and what may not be written so."""

from __future__ import annotations

import io
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeadlab.errors import AuthenticationError
from aeadlab.files import decrypt_file, encrypt_file
from aeadlab.parsplit.write_behind import may_write_behind, write_all

KEY = bytes(range(32))


class Places:
    """Pieces in two places that are used in turn, as a stream makes them."""

    def __init__(self, count: int) -> None:
        self.buffers, self.count, self.made = [bytearray(4), bytearray(4)], count, 0

    def __iter__(self) -> Iterator[memoryview]:
        for number in range(self.count):
            self.made = number
            self.buffers[number % 2][:] = number.to_bytes(4, "big")
            yield memoryview(self.buffers[number % 2])


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 50])
@pytest.mark.parametrize("behind", [False, True])
def test_all_pieces_are_written_in_order(count: int, behind: bool) -> None:
    found: list[int] = []

    def write(piece: memoryview) -> None:
        time.sleep(0.002)
        found.append(int.from_bytes(piece, "big"))

    assert write_all(iter(Places(count)), write, behind=behind) == 4 * count
    assert found == list(range(count))


def test_a_piece_is_made_while_the_one_before_is_written() -> None:
    places, ahead = Places(8), []

    def write(piece: memoryview) -> None:
        time.sleep(0.02)
        ahead.append(places.made - int.from_bytes(piece, "big"))

    write_all(iter(places), write, behind=True)
    assert max(ahead) == 1 and ahead[0] == 0


def test_short_streams_need_no_thread() -> None:
    names: set[str] = set()
    write_all(iter(Places(2)), lambda _: names.add(threading.current_thread().name), behind=True)
    assert names == {threading.main_thread().name}


@pytest.mark.parametrize("failing", [0, 1, 2, 7])
def test_an_error_of_a_write_ends_it(failing: int) -> None:
    places = Places(1000)

    def write(piece: memoryview) -> None:
        if int.from_bytes(piece, "big") == failing:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_all(iter(places), write, behind=True)
    assert places.made <= failing + 2


def test_what_was_verified_before_a_forgery_is_written(tmp_path: Path) -> None:
    """The places of the plaintext are wiped after the last write, not when the iterator ends."""
    message = os.urandom(40 << 20)
    sealed = io.BytesIO()
    encrypt_file(KEY, io.BytesIO(message), sealed, threads=2)
    forged = bytearray(sealed.getvalue())
    forged[-100] ^= 1
    with (tmp_path / "out").open("w+b", buffering=0) as out:
        assert may_write_behind(out)
        with pytest.raises(AuthenticationError) as raised:
            decrypt_file(KEY, io.BytesIO(forged), out, threads=2)
        out.seek(0)
        found = out.read()
    assert found and message.startswith(found) and f"after byte {len(found)} " in str(raised.value)


@pytest.mark.parametrize("length", [0, 1, 100_000, (2 << 20) - 1, 2 << 20, 4 << 20, (6 << 20) + 5, 30 << 20])
def test_files_of_all_lengths_come_back(tmp_path: Path, length: int) -> None:
    plain, sealed, back = (tmp_path / name for name in ("plain", "sealed", "back"))
    plain.write_bytes(os.urandom(length))
    encrypt_file(KEY, plain, sealed, threads=2)
    assert decrypt_file(KEY, sealed, back, threads=2) == length
    assert back.read_bytes() == plain.read_bytes()


def test_only_regular_files_are_written_behind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(os.open(tmp_path / "pipe", os.O_RDWR), "wb", buffering=0) as pipe:
        assert not may_write_behind(pipe)
    with (tmp_path / "file").open("wb") as buffered:
        assert not may_write_behind(buffered)
    assert not may_write_behind(io.BytesIO())
