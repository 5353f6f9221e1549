"""A program for `cryptography` runs with the classes of aeadlab after a change of its import alone."""

from __future__ import annotations

import array
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import aead

import aeadlab
from tests.fixtures.one_message import AAD, NONCE, PAIRS, Pair, text

PACKAGES = ("cryptography.hazmat.primitives.ciphers.aead", "aeadlab")
AES_GCM = """
import os
from cryptography.exceptions import InvalidTag
from {package} import AESGCM

data = b"a secret message"
aad = b"authenticated but unencrypted data"
generated = AESGCM.generate_key(bit_length=128)
aesgcm = AESGCM(generated)
nonce = os.urandom(12)
ct = aesgcm.encrypt(nonce, data, aad)
assert aesgcm.decrypt(nonce, ct, aad) == data

def seal(key, nonce):
    aesgcm = AESGCM(key)
    buf = bytearray(len(data) + 16)
    written = aesgcm.encrypt_into(nonce, data, aad, buf)
    opened = bytearray(len(data))
    read = aesgcm.decrypt_into(nonce=nonce, data=buf, associated_data=aad, buf=opened)
    by_name = aesgcm.encrypt(nonce=nonce, data=data, associated_data=None)
    plain = aesgcm.decrypt(nonce=nonce, data=by_name, associated_data=None)
    try:
        aesgcm.decrypt(nonce, by_name, aad)
    except InvalidTag:
        return bytes(buf), written, bytes(opened), read, by_name, plain
"""
CHACHA = (
    AES_GCM.replace("generate_key(bit_length=128)", "generate_key()")
    .replace("AESGCM", "ChaCha20Poly1305")
    .replace("aesgcm", "chacha")
)


@pytest.mark.parametrize("program", [AES_GCM, CHACHA], ids=["AESGCM", "ChaCha20Poly1305"])
def test_only_the_import_changes(program: str) -> None:
    results = []
    for package in PACKAGES:
        namespace: dict[str, Any] = {}
        exec(compile(program.format(package=package), package, "exec"), namespace)
        assert len(namespace["generated"]) in (16, 32)
        results.append((len(namespace["generated"]), namespace["seal"](bytes(range(32)), NONCE)))
    assert results[0] == results[1] and results[0][1] is not None


def test_generated_keys_are_random_and_have_the_length_asked_for() -> None:
    for bits in (128, 192, 256):
        keys = {package.generate_key(bits) for package in (aead.AESGCM, aeadlab.AESGCM) for _ in range(3)}
        assert len(keys) == 6 and {len(key) for key in keys} == {bits // 8}
        assert type(aeadlab.AESGCM.generate_key(bit_length=bits)) is bytes
    keys = {package.generate_key() for package in (aead.ChaCha20Poly1305, aeadlab.ChaCha20Poly1305) for _ in range(3)}
    assert len(keys) == 6 and {len(key) for key in keys} == {32}


def failing_calls(new: Any, key: bytes) -> Iterator[tuple[str, Callable[[], object]]]:
    """Iterate over calls that `cryptography` rejects, with their descriptions."""
    cipher = new(key)
    sealed = cipher.encrypt(NONCE, b"abc", AAD)
    yield "no key", lambda: new()
    yield "text as key", lambda: new("k" * len(key))
    yield "short key", lambda: new(key[1:])
    yield "empty key", lambda: new(b"")
    yield "None as key", lambda: new(None)
    yield "empty nonce", lambda: cipher.encrypt(b"", b"abc", AAD)
    yield "text as nonce", lambda: cipher.encrypt("n" * 12, b"abc", AAD)
    yield "None as nonce", lambda: cipher.encrypt(None, b"abc", AAD)
    yield "text as data", lambda: cipher.encrypt(NONCE, "abc", AAD)
    yield "None as data", lambda: cipher.encrypt(NONCE, None, AAD)
    yield "integer as data", lambda: cipher.encrypt(NONCE, 3, AAD)
    yield "text as associated data", lambda: cipher.encrypt(NONCE, b"abc", "aad")
    yield "no associated data", lambda: cipher.encrypt(NONCE, b"abc")
    yield "unknown argument", lambda: cipher.encrypt(NONCE, b"abc", AAD, aad=b"")
    yield "no output", lambda: cipher.encrypt_into(NONCE, b"abc", AAD)
    yield "text as output", lambda: cipher.encrypt_into(NONCE, b"abc", AAD, "o" * 19)
    yield "short output", lambda: cipher.encrypt_into(NONCE, b"abc", AAD, bytearray(18))
    yield "long output", lambda: cipher.encrypt_into(NONCE, b"abc", AAD, bytearray(20))
    yield "read-only output", lambda: cipher.encrypt_into(NONCE, b"abc", AAD, bytes(19))
    yield "read-only plaintext", lambda: cipher.decrypt_into(NONCE, sealed, AAD, bytes(3))
    yield "short plaintext", lambda: cipher.decrypt_into(NONCE, sealed, AAD, bytearray(2))
    yield "long plaintext", lambda: cipher.decrypt_into(NONCE, sealed, AAD, bytearray(4))
    yield "wrong tag", lambda: cipher.decrypt(NONCE, sealed[:-1] + bytes([sealed[-1] ^ 1]), AAD)
    yield "wrong tag into", lambda: cipher.decrypt_into(NONCE, bytes(19), AAD, bytearray(3))
    yield "wrong associated data", lambda: cipher.decrypt(NONCE, sealed, None)
    yield "wrong nonce", lambda: cipher.decrypt(bytes(12), sealed, AAD)
    yield "wrong key", lambda: new(bytes(len(key))).decrypt(NONCE, sealed, AAD)
    yield "data without a tag", lambda: cipher.decrypt(NONCE, sealed[:15], AAD)
    yield "no data", lambda: cipher.decrypt(NONCE, b"", AAD)
    yield "no data into", lambda: cipher.decrypt_into(NONCE, b"", AAD, bytearray(3))
    yield "key of no length", lambda: new.generate_key(b"")


def raised(call: Callable[[], object]) -> BaseException:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_same_exceptions_are_caught(pair: Pair) -> None:
    calls = zip(failing_calls(pair.pyca, pair.key), failing_calls(pair.own, pair.key), strict=True)
    kinds = set()
    for (description, theirs), (_, ours) in calls:
        expected, error = raised(theirs), raised(ours)
        assert isinstance(error, type(expected)), f"{description}: {error!r} given, {expected!r} expected"
        assert isinstance(error, InvalidTag) is isinstance(expected, InvalidTag), description
        assert isinstance(error, aeadlab.Error) or "argument" in str(error), description
        assert str(error)
        kinds.add(type(expected))
    assert kinds == {InvalidTag, ValueError, TypeError}


def test_bit_lengths_are_those_of_aes() -> None:
    for given, kind in ((127, ValueError), (0, ValueError), ("128", TypeError), (128.0, TypeError)):
        for new in (aead.AESGCM, aeadlab.AESGCM):
            with pytest.raises(kind):
                new.generate_key(given)  # type: ignore[arg-type]
    with pytest.raises(aeadlab.ArgumentError, match="bit_length 127 given, 128, 192 or 256 expected"):
        aeadlab.AESGCM.generate_key(127)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.parametrize(
    "wrap",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: memoryview(bytearray(b"x" + data))[1:],
        lambda data: np.frombuffer(data, np.uint8),
        lambda data: array.array("B", data),
    ],
    ids=["bytes", "bytearray", "memoryview", "slice", "numpy", "array"],
)
def test_every_argument_is_any_buffer(pair: Pair, wrap: Callable[[bytes], Any]) -> None:
    data, cipher = text(1000), pair.own(wrap(pair.key), 2, segment_bytes=64)
    sealed = pair.pyca(pair.key).encrypt(NONCE, data, AAD)
    result = cipher.encrypt(wrap(NONCE), wrap(data), wrap(AAD))
    assert type(result) is bytes and result == sealed
    opened = cipher.decrypt(wrap(NONCE), wrap(sealed), wrap(AAD))
    assert type(opened) is bytes and opened == data
    for output in (bytearray, lambda size: memoryview(bytearray(size)), lambda size: np.zeros(size, np.uint8)):
        memory, back = output(len(sealed)), output(len(data))
        assert cipher.encrypt_into(wrap(NONCE), wrap(data), wrap(AAD), memory) == len(sealed)
        assert bytes(memory) == sealed
        assert cipher.decrypt_into(wrap(NONCE), memory, wrap(AAD), back) == len(data)
        assert bytes(back) == data


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_overlapping_buffers_are_rejected(pair: Pair) -> None:
    cipher, size = pair.own(pair.key, 2, segment_bytes=64), 1000
    memory = bytearray(os.urandom(size + 32))
    before = bytes(memory)
    view = memoryview(memory)
    for start in (1, 16, 17, 31):
        with pytest.raises(aeadlab.BufferArgumentError, match="overlap"):
            cipher.encrypt_into(NONCE, view[start : start + size], AAD, view[: size + 16])
        with pytest.raises(aeadlab.BufferArgumentError, match="overlap"):
            cipher.decrypt_into(NONCE, view[: size + 16], AAD, view[start : start + size])
        with pytest.raises(BufferError, match="overlap"):
            cipher.multipart(NONCE, AAD, size).seal_into(0, view[:size], view[start : start + size])
        with pytest.raises(BufferError, match="overlap"):
            cipher.multipart(NONCE, AAD, size).seal_into(0, view[start : start + size], view[:size])
    assert memory == before


@pytest.mark.parametrize("size", [0, 18, 20])
def test_an_output_of_another_length_is_named_as_the_argument(size: int) -> None:
    cipher = aeadlab.AESGCM(bytes(32))
    with pytest.raises(aeadlab.BufferArgumentError, match=f"buf of {size} bytes given, 19 expected"):
        cipher.encrypt_into(NONCE, b"abc", None, bytearray(size))
    with pytest.raises(aeadlab.BufferArgumentError, match=f"buf of {size} bytes given, 19 expected"):
        cipher.multipart(NONCE, None, 19).seal_into(0, bytes(19), bytearray(size))


def test_strided_and_read_only_memory_is_rejected() -> None:
    cipher = aeadlab.AESGCM(bytes(32))
    with pytest.raises(aeadlab.BufferArgumentError, match="contiguous"):
        cipher.encrypt(NONCE, np.zeros(100, np.uint8)[::2], None)
    with pytest.raises(aeadlab.BufferArgumentError, match="buf of type bytes is read-only"):
        cipher.encrypt_into(NONCE, b"abc", None, bytes(19))
    with pytest.raises(aeadlab.BufferArgumentError, match="addresses"):
        cipher.encrypt(NONCE, np.array(["object"], object), None)
