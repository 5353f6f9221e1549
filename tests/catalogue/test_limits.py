"""Longest messages: what the descriptors declare, and that each way to call an implementation rejects longer ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeadlab import _native
from aeadlab.bench.case import Case
from aeadlab.bench.drivers import driver
from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.native import NativeImplementation, compose
from aeadlab.errors import ArgumentError, Error

Compiled = Callable[..., Path]

GCM, CHACHA20_POLY1305, GCM_SIV = 2**36 - 32, 2**38 - 64, 2**36
STANDARDS = {
    **{f"aes-{bits}-gcm": GCM for bits in (128, 192, 256)},
    **{f"aes-{bits}-ccm": 2**24 - 1 for bits in (128, 192, 256)},
    **{f"aes-{bits}-gcm-siv": GCM_SIV for bits in (128, 256)},
    **{f"aes-{bits}-xts": 2**24 for bits in (128, 256)},
    **{"chacha20-poly1305": CHACHA20_POLY1305, "chacha20": 2**38},
}
"""Longest messages in bytes: SP 800-38D, RFC 3610, RFC 8452, IEEE 1619, RFC 8439."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


def test_no_limit_is_above_that_of_the_standard(catalogue: Catalogue) -> None:
    checked = 0
    for implementation in catalogue:
        d = implementation.description
        standard = STANDARDS.get(d.base_algorithm)
        if standard is None:
            continue
        assert 0 < d.max_bytes <= standard, (implementation.name, d.max_bytes)
        checked += 1
    assert checked > 50


LIBRARIES = {
    "libgcrypt/aes-256-gcm": (2**32 - 1, 2**32 - 1),
    "libgcrypt/camellia-128-gcm": (2**32 - 1, 2**32 - 1),
    "libgcrypt/aes-128-gcm-siv": (2**32 - 1, 2**32 - 1),
    "libgcrypt/chacha20-poly1305": (2**32 - 1, 2**32 - 1),
    "libgcrypt/aes-128-gmac": (2**32 - 1, 0),
    "libgcrypt/aes-256-cmac": (2**32 - 1, 0),
    "libgcrypt/aes-256-siv": (2**32 - 1, 2**32 - 1),
    "openssl/aes-128-ccm": (2**24 - 1, 2**30),
    "openssl/aes-128-siv": (2**31 - 1, 2**30),
    "openssl/aes-128-gcm": (GCM, 0),
    "aws-lc/chacha20-poly1305": (CHACHA20_POLY1305 - 1, 0),
    "pyca/aes-256-gcm": (2**31 - 1, 2**31 - 1),
    "pyca/aes-256-ccm": (2**24 - 1, 2**31 - 1),
    "pycryptodome/aes-256-gcm": (GCM, 0),
    "pynacl/chacha20-poly1305": (CHACHA20_POLY1305, 0),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_limits_of_libraries_that_take_less_than_the_algorithm(catalogue: Catalogue, name: str) -> None:
    found = [i for i in catalogue if i.name == name]
    if not found:
        pytest.skip(f"{name} is not available")
    assert (found[0].description.max_bytes, found[0].description.max_aad_bytes) == LIBRARIES[name]


def test_a_composition_takes_what_both_parts_take(catalogue: Catalogue) -> None:
    parts = catalogue.find("aws-lc/chacha20"), catalogue.find("rustcrypto/hmac-sha-256")
    assert compose(*parts).description.max_bytes == 2**38
    assert compose(*parts).description.max_aad_bytes == 0
    if gmac := [i for i in catalogue if i.name == "libgcrypt/aes-128-gmac"]:
        d = compose(parts[0], gmac[0]).description
        # The second MAC covers the associated data, a tag of 16 bytes, the nonce and two lengths.
        assert (d.max_bytes, d.max_aad_bytes) == (2**32 - 1, 2**32 - 1 - 16 - 12 - 16)


MACROS: dict[str, object] = {"MAX_BYTES": 1000, "MAX_AD_BYTES": 10, "ON_MESSAGE": "if(bytes>1000||ad_bytes>10)abort()"}


@pytest.fixture
def limited(compiled: Compiled) -> Catalogue:
    return load([compiled("toy", **MACROS)])


def arguments(implementation: Implementation) -> tuple[bytes, bytes]:
    return bytes(implementation.description.key_bytes), bytes(implementation.description.nonce_bytes)


def test_calls_from_python_reject_longer_ones_before_the_library_is_called(limited: Catalogue) -> None:
    toy = limited.find("toy/xor-tag")
    key, nonce = arguments(toy)
    tag = toy.description.tag_bytes
    assert toy.open(key, nonce, toy.seal(key, nonce, bytes(1000), bytes(10)), bytes(10)) == bytes(1000)
    message = "^message of 1001 bytes given, at most 1000 expected$"
    aad = "^associated data of 11 bytes given, at most 10 expected$"
    for call, data, associated, expected in (
        (toy.seal, bytes(1001), b"", message),
        (toy.open, bytes(1001 + tag), b"", message),
        (toy.seal, b"", bytes(11), aad),
        (toy.open, bytes(tag), bytes(11), aad),
    ):
        with pytest.raises(ArgumentError, match=expected):
            call(key, nonce, data, associated)


@pytest.mark.parametrize("op", ["seal", "open"])
def test_a_case_rejects_a_longer_message(limited: Catalogue, op: Any) -> None:
    driver(Case("toy/xor-tag", op, 1000), limited, 1)
    with pytest.raises(Error, match="^message of 1001 bytes given, at most 1000 expected$"):
        driver(Case("toy/xor-tag", op, 1001), limited, 1)
    cells = Case("toy/xor-tag", op, 1001, engine="cells", block_size=1001)
    with pytest.raises(Error, match="^message of 1001 bytes given, at most 1000 expected$"):
        driver(cells, limited, 1)


def test_parsplit_rejects_a_longer_block_and_longer_associated_data(limited: Catalogue) -> None:
    toy = limited.find("toy/xor-tag")
    assert isinstance(toy, NativeImplementation)
    with pytest.raises(ArgumentError, match="block size 1001 given, the algorithm takes at most 1000 bytes"):
        _native.ParSplit(toy.native, 1001, 1, "static", None)
    split = _native.ParSplit(toy.native, 1000, 1, "static", None)
    key, nonce = bytes(split.key_bytes), bytes(split.nonce_bytes)
    sealed = split.encrypt(key, nonce, bytes(5000), bytes(10), None)
    assert split.decrypt(key, nonce, sealed, bytes(10), None) == bytes(5000)
    for call, data in ((split.encrypt, bytes(5000)), (split.decrypt, sealed)):
        with pytest.raises(ArgumentError, match="^associated data of 11 bytes given, at most 10 expected$"):
            call(key, nonce, data, bytes(11), None)
    with pytest.raises(ArgumentError, match="^associated data of [0-9]+ bytes given, at most 10 expected$"):
        _native.Sealer(split, key, bytes(11), None)


def test_adapters_reject_longer_ones_by_their_length_alone(catalogue: Catalogue) -> None:
    ccm = catalogue.find("pyca/aes-128-ccm")
    key, nonce = arguments(ccm)
    with pytest.raises(ArgumentError, match="message of 16777216 bytes given, at most 16777215 expected$"):
        ccm.seal(key, nonce, bytes(1 << 24))
    with pytest.raises(ArgumentError, match="message of 16777216 bytes given, at most 16777215 expected$"):
        ccm.open(key, nonce, bytes((1 << 24) + 16))
