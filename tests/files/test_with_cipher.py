"""Files sealed and opened by the ParSplit that the caller chose."""

from __future__ import annotations

import io
from typing import Any

import pytest
from cryptography import cobblestone

from aeadlab import ParSplit
from aeadlab.errors import ArgumentError, AuthenticationError, FormatError, UnknownNameError
from aeadlab.files import (
    FORMATS,
    SealedFile,
    decrypt,
    decrypt_file,
    encrypt,
    encrypt_file,
    encrypt_iter,
    generate_identity,
)
from tests.files.messages import message

AAD, DATA = b"orders", message(100_003)
LIBRARIES = ("openssl", "aws-lc", "ring", "rustcrypto", "aeadlab")
IDENTITY = generate_identity()
CHOICES = [
    (f"{library}/{FORMATS[format].algorithm}", format)
    for library in LIBRARIES
    for format in FORMATS
    if format != "parsplit-v1" and (library, FORMATS[format].algorithm) != ("aeadlab", "chacha20-poly1305")
]


def key(format: str) -> Any:
    return IDENTITY if format == "age" else bytes(range(FORMATS[format].key_bytes))


def context(format: str) -> bytes:
    return b"" if format.endswith("-raw") or format in ("age", "age-payload") else AAD


@pytest.mark.parametrize(("implementation", "format"), CHOICES)
def test_every_format_is_sealed_and_opened_by_every_library(implementation: str, format: str) -> None:
    cipher, aad = ParSplit(implementation, 5000, 2, "static", serial_below=0), context(format)
    sealed, back, again = io.BytesIO(), io.BytesIO(), io.BytesIO()
    written = cipher.encrypt_file(key(format), io.BytesIO(DATA), sealed, aad, format=format)
    assert written == len(sealed.getvalue()) > len(DATA)
    sealed.seek(0)
    assert cipher.decrypt_file(key(format), sealed, back, aad, format=format) == len(DATA)
    sealed.seek(0)
    assert decrypt_file(key(format), sealed, again, aad, format=format) == len(DATA)
    assert back.getvalue() == again.getvalue() == DATA
    file_in_memory = encrypt(key(format), DATA, aad, format=format, cipher=cipher)
    assert decrypt(key(format), file_in_memory, aad, format=format, cipher=cipher) == DATA
    assert decrypt(key(format), file_in_memory, aad, format=format) == DATA
    pieces = list(cipher.encrypt_iter(key(format), [DATA[:7], DATA[7:]], aad, format=format))
    assert b"".join(cipher.decrypt_iter(key(format), pieces, aad, format=format)) == DATA
    file = io.BytesIO(b"".join(pieces))
    with SealedFile(key(format), file, aad, format=format, cipher=cipher) as plain:
        plain.seek(70_000)
        assert plain.read() == DATA[70_000:]


@pytest.mark.parametrize("bits", [128, 256])
def test_the_default_is_the_cobblestone_of_the_algorithm(bits: int) -> None:
    cipher, secret, sealed = ParSplit(f"openssl/aes-{bits}-gcm"), bytes(range(bits // 8)), io.BytesIO()
    cipher.encrypt_file(secret, io.BytesIO(DATA), sealed, AAD)
    for file in (sealed.getvalue(), bytes(encrypt(secret, DATA, AAD, cipher=cipher))):
        theirs: Any = getattr(cobblestone, f"Cobblestone{bits}Decryptor")(secret, AAD)
        assert theirs.update(file) + theirs.finalize() == DATA
    assert b"".join(cipher.decrypt_iter(secret, [sealed.getvalue()], AAD)) == DATA
    assert bytes(decrypt(secret, sealed.getvalue(), AAD)) == DATA


def test_segments_of_floe_have_the_block_size_of_the_cipher() -> None:
    cipher, sealed = ParSplit("openssl/aes-256-gcm", 5000), io.BytesIO()
    cipher.encrypt_file(key("floe"), io.BytesIO(DATA), sealed, AAD, format="floe")
    sealed.seek(0)
    with SealedFile(key("floe"), sealed, AAD, cipher=cipher) as plain:
        assert (plain.block_size, plain.blocks, plain.readall()) == (5000, 21, DATA)


def test_rejects_what_does_not_fit_together() -> None:
    gcm, chacha, siv = map(ParSplit, ("openssl/aes-256-gcm", "ring/chacha20-poly1305", "rustcrypto/aes-256-gcm-siv"))
    secret, one_tag = bytes(32), ParSplit("openssl/aes-256-gcm", tags="digest")
    for cipher, arguments, found in (
        (chacha, {}, r"ring/chacha20-poly1305 given, but cobblestone has no chacha20-poly1305: pass format='chunked-"),
        (siv, {}, "cobblestone has no aes-256-gcm-siv: seal in memory with ParSplit.encrypt"),
        (gcm, {"format": "cobblestone-128"}, "algorithm aes-256-gcm given, but cobblestone-128 uses aes-128-gcm"),
        (gcm, {"format": "parsplit-v1"}, "parsplit-v1 is only read: choose another one, such as cobblestone-256"),
        (one_tag, {}, r'one tag for the message: make one with tags="concatenated"'),
    ):
        with pytest.raises(ArgumentError, match=found):
            list(cipher.encrypt_iter(secret, [DATA], **arguments))
    with pytest.raises(UnknownNameError, match="no format 'cobblestone-265'.*cobblestone-256"):
        gcm.encrypt_iter(secret, [DATA], format="cobblestone-265")
    with pytest.raises(ArgumentError, match="segment_bytes given, but cipher has a block size"):
        encrypt_iter(secret, [DATA], format="floe", segment_bytes=4096, cipher=gcm)
    with pytest.raises(ArgumentError, match="key of 16 bytes given, 32 for cobblestone-256"):
        gcm.encrypt_iter(secret[:16], [DATA])


def test_rejects_files_of_other_algorithms_formats_and_keys() -> None:
    secret, sealed = bytes(range(32)), io.BytesIO()
    encrypt_file(secret, io.BytesIO(DATA), sealed, AAD)
    octets = sealed.getvalue()
    for name, format, error in (
        ("openssl/aes-128-gcm", None, AuthenticationError),
        ("ring/chacha20-poly1305", None, ArgumentError),
        ("ring/chacha20-poly1305", "cobblestone-256", ArgumentError),
        ("openssl/aes-256-gcm", "parsplit-v1", FormatError),
        ("openssl/aes-256-gcm", "floe", FormatError),
    ):
        cipher, sink = ParSplit(name), io.BytesIO()
        with pytest.raises(error):
            cipher.decrypt_file(secret[: cipher.key_bytes], io.BytesIO(octets), sink, AAD, format=format)
        assert sink.getvalue() == b""
    with pytest.raises(ArgumentError, match="nonce given for the format cobblestone-256"):
        ParSplit("openssl/aes-256-gcm").decrypt_file(
            secret, io.BytesIO(octets), io.BytesIO(), AAD, format="cobblestone-256", nonce=bytes(7)
        )
