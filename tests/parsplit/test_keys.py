"""HKDF-SHA-256 against pyca, and the message keys derived with it."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given, strategies as st

from aeadlab import _native, message_key
from aeadlab.errors import ArgumentError, BufferArgumentError, Error


@given(
    key=st.binary(max_size=100), salt=st.binary(max_size=100), info=st.binary(max_size=100), length=st.integers(1, 300)
)
def test_hkdf_equals_that_of_pyca(key: bytes, salt: bytes, info: bytes, length: int) -> None:
    assert _native.hkdf_sha256(key, salt, info, length) == HKDF(hashes.SHA256(), length, salt, info).derive(key)


def test_hkdf_rejects_more_than_8160_bytes() -> None:
    assert len(_native.hkdf_sha256(b"", b"", b"", 8160)) == 8160
    with pytest.raises(Error, match="at most 8160"):
        _native.hkdf_sha256(b"", b"", b"", 8161)


@given(key=st.binary(min_size=16, max_size=80), salt=st.binary(min_size=32, max_size=32), info=st.binary(max_size=50))
def test_message_key_is_hkdf_with_a_label(key: bytes, salt: bytes, info: bytes) -> None:
    label = b"aeadlab message key v1\0"
    made = message_key(key, salt, info=info, bytes=47)
    assert made.salt == salt
    assert made.key == HKDF(hashes.SHA256(), 47, salt, label + info).derive(key)


def test_salts_are_random() -> None:
    made = [message_key(bytes(32)) for _ in range(100)]
    assert len({m.key for m in made}) == len({m.salt for m in made}) == 100
    assert all(message_key(bytes(32), m.salt).key == m.key and len(m.key) == len(m.salt) == 32 for m in made)


def test_rejects_invalid_keys_salts_and_lengths() -> None:
    with pytest.raises(ArgumentError, match="key of 15 bytes given, at least 16"):
        message_key(bytes(15))
    with pytest.raises(ArgumentError, match="salt of 31 bytes given, 32"):
        message_key(bytes(32), bytes(31))
    for length in (0, -1, 8161, 1.5):
        with pytest.raises(ArgumentError, match="1 to 8160 expected"):
            message_key(bytes(32), bytes=length)  # type: ignore[arg-type]
    with pytest.raises(BufferArgumentError, match="key of type str given"):
        message_key("password of 16 b")  # type: ignore[arg-type]
