"""Arguments that one message rejects, its limits before any work, and Ctrl-C during a long call."""

from __future__ import annotations

import mmap
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import aeadlab
from aeadlab import AESGCM, ArgumentError, ChaCha20Poly1305, UnknownNameError
from tests.fixtures.one_message import AAD, CHACHA, GCM_256, NONCE, TAG, Pair

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(32)
NO_RESERVE = 0x4000
"""MAP_NORESERVE of Linux: the memory of pages is needed when they are written."""
WITHIN = 0.5
"""Seconds from the signal to the exception, including the wiping of the output."""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"key": bytes(15)}, "key of 15 bytes given, 16, 24 or 32 expected"),
        ({"key": bytes(33)}, "key of 33 bytes given, 16, 24 or 32 expected"),
        ({"key": b""}, "key of 0 bytes given, 16, 24 or 32 expected"),
        ({"threads": 0}, "threads 0 given, at least 1 expected"),
        ({"threads": -1}, "threads -1 given, at least 1 expected"),
        ({"threads": 257}, "threads 257 given, at most 256 expected"),
        ({"threads": 2.0}, "threads 2.0 given, an integer expected"),
        ({"segment_bytes": 0}, "segment_bytes 0 given, at least 16 expected"),
        ({"segment_bytes": 15}, "segment_bytes 15 given, at least 16 expected"),
        ({"segment_bytes": 100}, "segment_bytes 100 given, a multiple of 16 expected"),
        ({"segment_bytes": "64"}, "segment_bytes '64' given, an integer expected"),
        ({"schedule": "fastest"}, 'schedule "fastest" given, one of rayon, .* expected'),
        ({"schedule": 3}, "schedule 3 given, a name such as dynamic expected"),
        ({"implementation": 3}, "implementation 3 given, a name such as openssl/aes-256-gcm expected"),
        ({"implementation": "openssl/aes-128-gcm"}, "key of 32 bytes given, 16 expected"),
    ]
    + [
        (
            {"implementation": name},
            f"implementation {name} given, an AES-GCM with the flags any-nonce-length and thread",
        )
        for name in (
            *("ring/aes-256-gcm", "openssl/chacha20-poly1305", "openssl/aes-256-gcm-siv", "openssl/aria-256-gcm"),
            *("openssl/sha-256", "openssl/aes-256-ctr", "baseline/memcpy"),
        )
    ],
    ids=str,
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        AESGCM(**{"key": KEY, **settings})
    if "implementation" not in settings:
        with pytest.raises(ArgumentError, match=message.replace("16, 24 or 32", "32")):
            ChaCha20Poly1305(**{"key": KEY, **settings})


def test_unknown_and_python_implementations_are_named() -> None:
    with pytest.raises(UnknownNameError, match="no implementation is called 'openssl/aes-gcm'; the nearest: "):
        AESGCM(KEY, implementation="openssl/aes-gcm")
    with pytest.raises(ArgumentError, match="pyca/aes-256-gcm is called from Python"):
        AESGCM(KEY, implementation="pyca/aes-256-gcm")
    with pytest.raises(TypeError, match="implementation"):
        ChaCha20Poly1305(KEY, implementation="openssl/chacha20-poly1305")  # type: ignore[call-arg]


@pytest.mark.parametrize("options", [{}, {"implementation": "openssl/aes-256-gcm"}], ids=str)
def test_an_empty_nonce_is_rejected(options: dict[str, Any]) -> None:
    cipher, out = AESGCM(KEY, **options), bytearray(b"\xaa" * 19)
    for call in (
        lambda: cipher.encrypt(b"", b"abc", None),
        lambda: cipher.decrypt(b"", bytes(19), None),
        lambda: cipher.encrypt_into(b"", b"abc", None, out),
        lambda: cipher.multipart(b"", None, 16),
    ):
        with pytest.raises(ArgumentError, match="nonce of 0 bytes given, at least 1, usually 12, expected"):
            call()
    assert out == b"\xaa" * 19


@pytest.mark.parametrize("nonce_bytes", [0, 8, 11, 13, 16, 24])
def test_chacha_takes_nonces_of_12_bytes(nonce_bytes: int) -> None:
    cipher, nonce = ChaCha20Poly1305(KEY), bytes(nonce_bytes)
    for call in (
        lambda: cipher.encrypt(nonce, b"abc", None),
        lambda: cipher.decrypt(nonce, bytes(19), None),
        lambda: cipher.multipart(nonce, None, 16),
    ):
        with pytest.raises(ArgumentError, match=f"nonce of {nonce_bytes} bytes given, 12 expected"):
            call()


@pytest.mark.parametrize(
    ("pair", "limit"), [(GCM_256, 2**36 - 32), (CHACHA, 2**38 - 64)], ids=lambda value: getattr(value, "name", "")
)
def test_messages_beyond_the_limit_are_rejected_before_any_work(pair: Pair, limit: int) -> None:
    cipher, beyond = pair.own(pair.key, 2), limit + 1
    expected = f"message of {beyond} bytes given, .* takes at most {limit}: use a nonce for each part, or ParSplit"
    assert cipher.multipart(NONCE, AAD, limit).length == limit
    with pytest.raises(ArgumentError, match=expected):
        cipher.multipart(NONCE, AAD, beyond)
    # Pages without content: work on them would take minutes and the memory of the output.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    with (
        mmap.mmap(-1, beyond, flags=flags, prot=mmap.PROT_READ) as data,
        mmap.mmap(-1, beyond + TAG, flags=flags) as out,
    ):
        start = time.monotonic()
        with pytest.raises(ArgumentError, match=expected):
            cipher.encrypt_into(NONCE, data, AAD, out)
        with memoryview(out) as view, view[:-TAG] as text, pytest.raises(ArgumentError, match=expected):
            cipher.decrypt_into(NONCE, out, AAD, text)
        # The result would not fit into memory; the limit is checked before it is allocated.
        with pytest.raises(ArgumentError, match=expected):
            cipher.encrypt(NONCE, data, AAD)
        with pytest.raises(ArgumentError, match=expected):
            cipher.decrypt(NONCE, out, AAD)
        assert time.monotonic() - start < 1
        assert out[:TAG] == out[-TAG:] == bytes(TAG)


def test_lengths_of_multipart_are_checked() -> None:
    cipher = AESGCM(KEY)
    with pytest.raises(ArgumentError, match="length -1 given, at least 0 expected"):
        cipher.multipart(NONCE, None, -1)
    with pytest.raises(ArgumentError, match="length 1.5 given, an integer expected"):
        cipher.multipart(NONCE, None, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=f"length {2**64} given, at most {sys.maxsize} expected"):
        cipher.multipart(NONCE, None, 2**64)


def test_a_wrong_tag_is_an_error_of_both_packages() -> None:
    from cryptography import exceptions

    with pytest.raises(aeadlab.InvalidTag) as caught:
        AESGCM(KEY).decrypt(NONCE, bytes(16), None)
    assert isinstance(caught.value, (exceptions.InvalidTag, aeadlab.Error, aeadlab.AuthenticationError))
    for kind in (exceptions.InvalidTag, aeadlab.AuthenticationError, aeadlab.Error):
        assert issubclass(aeadlab.InvalidTag, kind)


CHILD = """
import os, signal, sys, threading, time
import aeadlab
name, operation, placement, options = sys.argv[1], sys.argv[2], sys.argv[3], eval(sys.argv[4])
# Segments of one block make each of them a call, so that all of them take seconds.
size = 256 << 20
cipher = getattr(aeadlab, name)(bytes(range(32)), 1, segment_bytes=16, **options)
nonce, data = bytes(12), bytearray(b"x") * (size + (16 if operation == "decrypt" else 0))
if placement == "in place":
    out = data if operation == "decrypt" else data + bytes(16)
    data = memoryview(out)[:len(data)]
else:
    out = bytearray(b"x") * (size + 16)
sent = []
def interrupt_when_output_is_written():
    while out[0] == ord("x"):
        time.sleep(0.001)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
before = signal.getsignal(signal.SIGINT)
threading.Thread(target=interrupt_when_output_is_written).start()
try:
    view = memoryview(out)[:len(data) + (16 if operation == "encrypt" else -16)]
    getattr(cipher, operation + "_into")(nonce, data, None, view)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
    assert out[:size] == bytes(size), "the output is not wiped"
    assert signal.getsignal(signal.SIGINT) is before
print("still works" if cipher.decrypt(nonce, cipher.encrypt(nonce, b"abc", None), None) == b"abc" else "fails")
"""


@pytest.mark.alone
@pytest.mark.parametrize("placement", ["separate", "in place"])
@pytest.mark.parametrize(
    ("name", "operation", "options"),
    [
        ("AESGCM", "encrypt", {}),
        ("AESGCM", "decrypt", {}),
        ("AESGCM", "encrypt", {"implementation": "openssl/aes-256-gcm"}),
        ("ChaCha20Poly1305", "encrypt", {}),
        ("ChaCha20Poly1305", "decrypt", {}),
    ],
    ids=str,
)
def test_interrupt_returns_soon_and_wipes_the_output(
    name: str, operation: str, options: dict[str, str], placement: str
) -> None:
    command = [sys.executable, "-c", CHILD, name, operation, placement, repr(options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    after, works = done.stdout.splitlines()
    assert works == "still works" and 0 < float(after) < WITHIN


@pytest.mark.alone
def test_interrupt_while_a_library_verifies_leaves_no_plaintext() -> None:
    """A library opens in two passes; the first one writes nothing."""
    code = """
import os, signal, sys, threading
import aeadlab
size = 64 << 20
out = bytearray(b"\\xaa") * size
cipher = aeadlab.AESGCM(bytes(32), 1, segment_bytes=16, implementation="openssl/aes-256-gcm")
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    cipher.decrypt_into(bytes(12), bytes(size + 16), None, out)
except KeyboardInterrupt:
    print(out.count(0xAA) == size)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout == "True\n", done.stderr
