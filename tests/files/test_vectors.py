"""The vectors of `cryptography-vectors` for chunked encryption, which derive with SHA-256, through all readers."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cryptography_vectors
import pytest

from aeadlab.errors import ArgumentError, AuthenticationError, FormatError
from aeadlab.files import SealedFile, decrypt, decrypt_iter

HEADER, ONE_CHUNK = 56, 3 * (16384 + 16) + 1
FILE = Path(cryptography_vectors.__file__).parent / "chunked-encryption/vectors.json"
VECTORS = json.loads(FILE.read_text())["vectors"]
NAMES = {
    "AEAD_AES_128_GCM": "chunked-aes-128-gcm",
    "AEAD_AES_256_GCM": "chunked-aes-256-gcm",
    "AEAD_CHACHA20_POLY1305": "chunked-chacha20-poly1305",
}
REJECTED = (ArgumentError, AuthenticationError, FormatError)


def whole(key: bytes, data: bytes, aad: bytes, format: str, found: bytearray) -> None:
    found += decrypt(key, data, aad, format=format)


def streaming(key: bytes, data: bytes, aad: bytes, format: str, found: bytearray) -> None:
    for piece in decrypt_iter(key, [data], aad, format=format, threads=1, max_memory=ONE_CHUNK):
        found += piece


def streaming_on_threads(key: bytes, data: bytes, aad: bytes, format: str, found: bytearray) -> None:
    for piece in decrypt_iter(key, [data], aad, format=format, threads=3):
        found += piece


def seeking(key: bytes, data: bytes, aad: bytes, format: str, found: bytearray) -> None:
    plain = SealedFile(key, io.BytesIO(data), aad, format=format)
    parts: list[bytearray] = []
    end = plain.size
    while end > 0:
        start = max(0, end - 20_001)
        plain.seek(start)
        parts.append(bytearray(end - start))
        view = memoryview(parts[-1])
        while view:
            # It ends before a chunk that is not valid, and raises at the next call.
            view = view[plain.readinto(view) :]
        end = start
    found += b"".join(reversed(parts))


READERS = [whole, streaming, streaming_on_threads, seeking]


def sealed(vector: dict[str, Any]) -> bytes:
    data = base64.b64decode(vector["ciphertext"] or "")
    return zlib.decompress(data) if vector.get("compressed") else data


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_vector(vector: dict[str, Any], read: Callable[[bytes, bytes, bytes, str, bytearray], None]) -> None:
    data, name = sealed(vector), NAMES[vector["aead"]]
    cases = [(bytes.fromhex(vector["key"]), data, vector["context"].encode(), f"{name}-sha256")]
    if "aead_key" in vector:
        secret = bytes.fromhex(vector["aead_key"]) + bytes.fromhex(vector["base_nonce"])
        cases.append((secret, data[HEADER:], b"", f"{name}-raw"))
    for key, octets, context, format in cases:
        found = bytearray()
        if vector["expect"] == "success":
            read(key, octets, context, format, found)
            assert len(found) == vector["payload_length"]
            assert hashlib.sha256(found).hexdigest() == vector["payload_sha256"]
            continue
        with pytest.raises(REJECTED):
            read(key, octets, context, format, found)
        # A streaming reader may return the chunks that are valid, which the vector describes.
        longest = vector.get("payload_length") or 0
        assert len(found) in (0, longest)
        if found:
            assert hashlib.sha256(found).hexdigest() == vector["payload_sha256"]


def test_there_are_vectors_of_all_aeads() -> None:
    assert len(VECTORS) == 102
    assert {vector["aead"] for vector in VECTORS} == set(NAMES)
