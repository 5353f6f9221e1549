"""The examples of docs/FORMATS.md are the bytes that ParSplit seals and opens."""

from __future__ import annotations

import io

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from aeadlab import ParSplit, SealedFile, decrypt_file
from tests.fixtures.examples import find

KEY, AAD, MESSAGE = bytes(range(32)), b"orders", b"attack at dawn"
PREFIX, SALT, BLOCK = bytes(range(0x40, 0x47)), bytes(range(0x80, 0xA0)), 8


def example(name: str) -> bytes:
    (block,) = find("docs/FORMATS.md", name.capitalize(), f"hex {name}")
    return bytes.fromhex("".join(line.split()[0] for line in block.splitlines()))


@pytest.mark.parametrize("library", ["openssl", "aws-lc", "rustcrypto"])
def test_seals_the_example_of_a_whole_message(library: str) -> None:
    cipher = ParSplit(f"{library}/aes-256-gcm", BLOCK)
    assert cipher.encrypt(KEY, PREFIX, MESSAGE, AAD) == example("whole")
    assert cipher.decrypt(KEY, PREFIX, example("whole"), AAD) == MESSAGE
    assert cipher.decrypt_range(KEY, PREFIX, example("whole"), 1, 1) == MESSAGE[8:]


def test_example_stream_follows_the_header_table() -> None:
    header = b"PARSPLIT" + bytes([1, 1, 16, 7]) + BLOCK.to_bytes(4, "big") + b"\x0baes-256-gcm" + PREFIX + SALT
    cipher = AESGCM(HKDF(hashes.SHA256(), 32, SALT, header).derive(KEY))
    first = cipher.encrypt(PREFIX + bytes(5), MESSAGE[:8], header + AAD)
    last = cipher.encrypt(PREFIX + bytes([0, 0, 0, 1, 1]), MESSAGE[8:], b"")
    assert header + first + last == example("stream")


def test_opens_the_example_of_a_stream() -> None:
    back = io.BytesIO()
    decrypt_file(KEY, io.BytesIO(example("stream")), back, AAD)
    assert back.getvalue() == MESSAGE
    assert SealedFile(KEY, io.BytesIO(example("stream")), AAD).read() == MESSAGE
    with pytest.raises(ValueError, match="no.* sealed stream"):
        decrypt_file(KEY, io.BytesIO(example("whole")), back, format="parsplit-v1")
