"""Buffers of ParSplit: contiguous memory of any type, in place or separate, without copies."""

from __future__ import annotations

import subprocess
import sys
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from aeadlab.errors import BufferArgumentError
from aeadlab.parsplit.parsplit import ParSplit

if TYPE_CHECKING:
    from aeadlab.parsplit.buffers import Memory

GCM = "openssl/aes-256-gcm"
KEY, NONCE, AAD = bytes(range(32)), b"7 bytes", b"associated"


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def test_result_without_out_is_bytes() -> None:
    cipher = ParSplit(GCM, 16, 2)
    sealed = cipher.encrypt(KEY, NONCE, text(100))
    assert type(sealed) is bytes
    assert type(cipher.decrypt(KEY, NONCE, sealed)) is bytes


@pytest.mark.parametrize("threads", [1, 2])
def test_rest_of_a_larger_output_buffer_is_unchanged(threads: int) -> None:
    cipher, data = ParSplit(GCM, 16, threads), text(100)
    sealed = bytes(cipher.encrypt(KEY, NONCE, data, AAD))
    out = bytearray(b"\xaa" * (len(sealed) + 9))
    written = cipher.encrypt(KEY, NONCE, data, AAD, out)
    assert isinstance(written, memoryview)
    assert written.obj is out
    assert written == sealed
    assert out == sealed + b"\xaa" * 9
    back = np.full(30, 0xAAAAAAAA, np.uint32)
    opened = cipher.decrypt(KEY, NONCE, written, AAD, back)
    assert isinstance(opened, memoryview)
    assert (opened.format, opened.ndim, opened.nbytes) == ("B", 1, 100)
    assert back.tobytes() == data + b"\xaa" * 20


@pytest.mark.parametrize("bytes", [0, 1, 16, 17, 1000])
def test_result_in_place_is_the_same(bytes: int) -> None:
    cipher, data = ParSplit(GCM, 64, 2), text(bytes)
    memory = np.zeros(cipher.sealed_bytes(bytes) + 3, np.uint8)
    memory[:bytes] = np.frombuffer(data, np.uint8)
    sealed = cipher.encrypt(KEY, NONCE, memory[:bytes], AAD, memory)
    assert sealed == cipher.encrypt(KEY, NONCE, data, AAD)
    assert cipher.decrypt(KEY, NONCE, sealed, AAD, memory) == data


VIEWS: dict[str, Callable[[bytes], Memory]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "part of a memoryview": lambda b: memoryview(b"." + b + b".")[1:-1],
    "uint8": lambda b: np.frombuffer(bytearray(b), np.uint8),
    "float64": lambda b: np.frombuffer(b, np.float64),
    "read-only": lambda b: np.frombuffer(b, np.uint8),
    "two dimensions": lambda b: np.frombuffer(b, np.uint16).reshape(4, -1),
    "array": lambda b: array("q", b),
}


@pytest.mark.parametrize("view", VIEWS)
def test_accepts_any_contiguous_buffer(view: str) -> None:
    cipher, data = ParSplit(GCM, 48, 2), text(256)
    sealed = cipher.encrypt(KEY, NONCE, VIEWS[view](data), VIEWS[view](text(64)))
    assert sealed == cipher.encrypt(KEY, NONCE, data, text(64))
    assert cipher.decrypt(KEY, NONCE, VIEWS[view](bytes(sealed)), text(64)) == data


def test_does_not_copy_a_large_message() -> None:
    code = """
import resource
import numpy as np
from aeadlab import ParSplit
size = 64 << 20
data, out = np.ones(size, np.uint8), np.ones(size + (1 << 20), np.uint8)
cipher = ParSplit("openssl/aes-256-gcm", 1 << 20, 2)
cipher.encrypt(bytes(32), bytes(7), bytes(3 << 20))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cipher.decrypt(bytes(32), bytes(7), cipher.encrypt(bytes(32), bytes(7), data, b"", out), b"", data)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    grown = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert grown < 16 << 10, f"{grown} KiB more memory for a message of 64 MiB"


BUFFERS: dict[str, tuple[int, Callable[[], object], str]] = {
    "key is text": (0, lambda: "k" * 32, "key of type str given, "),
    "nonce is None": (1, lambda: None, "nonce of type NoneType given"),
    "data is a list": (2, lambda: [1, 2, 3], "data of type list given"),
    "every second byte": (2, lambda: memoryview(bytes(60))[::2], "data is not contiguous: copy it first"),
    "columns": (2, lambda: np.zeros((3, 4)).T, "data is not contiguous"),
    "aad backwards": (3, lambda: np.zeros(9)[::-1], "aad is not contiguous"),
    "out is a number": (4, lambda: 5, "out of type int given"),
    "out is bytes": (4, lambda: bytes(100), "out of type bytes is read-only: give a bytearray"),
    "out is a read-only view": (
        4,
        lambda: memoryview(bytearray(100)).toreadonly(),
        "out of type memoryview is read-only",
    ),
    "out in columns": (4, lambda: np.zeros((10, 10), order="F")[:, 1:], "out is not contiguous"),
    "out has a row of nothing": (4, lambda: np.zeros((0, 3)), "out of 0 bytes given, at least 66 "),
    "out lacks a byte": (4, lambda: bytearray(65), "out of 65 bytes given, at least 66 "),
}


@pytest.mark.parametrize("fault", BUFFERS)
def test_rejects_unsuitable_buffers_by_name(fault: str) -> None:
    position, make, message = BUFFERS[fault]
    arguments: list[object] = [KEY, NONCE, text(18), AAD, None]
    arguments[position] = make()
    with pytest.raises(BufferArgumentError, match=f"^{message}") as caught:
        ParSplit(GCM, 6, 2).encrypt(*arguments)  # type: ignore[arg-type]
    assert isinstance(caught.value, ValueError)


def test_opens_an_empty_message_into_an_empty_buffer() -> None:
    cipher = ParSplit(GCM, 16, 2)
    sealed = cipher.encrypt(KEY, NONCE, b"")
    assert cipher.decrypt(KEY, NONCE, sealed, out=bytearray()) == b""
    assert cipher.decrypt(KEY, NONCE, sealed, out=bytearray(9)) == b""
    with pytest.raises(BufferArgumentError, match="out cannot be "):
        cipher.decrypt(KEY, NONCE, sealed, out=np.zeros((0, 3)))


@pytest.mark.parametrize(
    ("data", "out"),
    [((1, 21), (0, 90)), ((0, 20), (1, 90)), ((20, 40), (0, 90)), ((30, 50), (0, 52)), ((19, 39), (0, 52))],
)
def test_rejects_overlapping_buffers_unchanged(data: tuple[int, int], out: tuple[int, int]) -> None:
    memory = bytearray(text(100))
    view = memoryview(memory)
    with pytest.raises(BufferArgumentError, match="input and output overlap: give separate buffers, or the "):
        ParSplit(GCM, 10, 2).encrypt(KEY, NONCE, view[slice(*data)], AAD, view[slice(*out)])
    assert memory == text(100)


def test_rejects_output_that_overlaps_the_tags() -> None:
    cipher = ParSplit(GCM, 10, 2)
    memory = bytearray(20) + cipher.encrypt(KEY, NONCE, text(20))
    before = bytes(memory)
    view = memoryview(memory)
    for start in (1, 19, 21, 39, 40, 50):
        with pytest.raises(BufferArgumentError, match="input and output overlap"):
            cipher.decrypt(KEY, NONCE, view[20:], out=view[start : start + 20])
        assert memory == before
    assert cipher.decrypt(KEY, NONCE, view[20:], out=view[:20]) == text(20)
