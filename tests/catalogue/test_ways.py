"""One thing in several ways: names with a dot, which are compared with what computes the same, and AES by tables."""

from __future__ import annotations

from itertools import product

import pytest

from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.implementation import Description, Implementation, computed
from aeadlab.errors import UnknownNameError
from aeadlab.verify import agreement, verify
from aeadlab.verify.cached import _peers
from tests.verify.conftest import Double

WAYS = [f"aes-128-ctr.{way}-o{n}" for n, way in product((2, 3), ("plain", "counter-optimization", "full-unroll"))]
FIPS_197 = "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"
"""Its appendix C.1: key, plaintext, ciphertext."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture(scope="module")
def rijndael(catalogue: Catalogue) -> list[Implementation]:
    if "rijndael" in catalogue.absent:
        pytest.skip(f"rijndael {catalogue.absent['rijndael']}")
    return [i for i in catalogue if i.description.library == "rijndael"]


@pytest.mark.parametrize(
    ("algorithm", "what"),
    [
        ("aes-128-ctr", "aes-128-ctr"),
        ("aes-128-ctr.plain-o2", "aes-128-ctr"),
        ("aes-256-ctr+blake3", "aes-256-ctr+blake3"),
        ("rc4.per-thread.twice", "rc4"),
    ],
)
def test_what_is_computed_stands_before_the_first_dot(algorithm: str, what: str) -> None:
    d = Description("library", algorithm, "cipher", "1")
    assert d.computes == computed(algorithm) == what
    assert d.name == f"library/{algorithm}"


def test_a_dot_is_only_in_names_of_what_others_call_without_one(catalogue: Catalogue) -> None:
    """Otherwise a name that has one anyway would be compared with strangers."""
    names = {i.description.algorithm for i in catalogue if i.description.library not in ("generators", "rijndael")}
    dotted = {name for name in names if "." in name}
    assert dotted == {"aes-128-ctr.aes-encrypt"}
    assert {computed(name) for name in dotted} <= names


def test_a_way_has_its_own_name_in_the_catalogue(catalogue: Catalogue) -> None:
    low_level, usual = catalogue.find("openssl/aes-128-ctr.aes-encrypt"), catalogue.find("openssl/aes-128-ctr")
    assert low_level is not usual
    assert "historical" in low_level.description.flags and "historical" not in usual.description.flags
    with pytest.raises(UnknownNameError, match="openssl/aes-128-ctr"):
        catalogue.find("openssl/aes-128-ctr.aes_encrypt")


def test_a_way_is_compared_with_every_other_library_that_computes_the_same(catalogue: Catalogue) -> None:
    way = catalogue.find("openssl/aes-128-ctr.aes-encrypt")
    peers = {peer.name for peer in _peers([way], catalogue)[way]}
    assert {"rustcrypto/aes-128-ctr", "aws-lc/aes-128-ctr", "pyca/aes-128-ctr"} <= peers
    assert not any(name.startswith(("openssl/", "rijndael/")) for name in peers), "its own library, and plugins"
    usual = catalogue.find("rustcrypto/aes-128-ctr")
    assert way in _peers([usual], catalogue)[usual]


def test_a_fault_in_a_way_is_found_by_the_others(catalogue: Catalogue) -> None:
    """The last byte of a message that does not end with a block."""

    def encrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        made = right.encrypt(key, nonce, data)
        return made if len(data) % 16 == 0 or len(data) < 100 else made[:-1] + bytes([made[-1] ^ 1])

    def decrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return encrypt(right, key, nonce, data)

    way = Double(
        catalogue.find("rustcrypto/aes-128-ctr"),
        {"encrypt": encrypt, "decrypt": decrypt},
        algorithm="aes-128-ctr.last-byte",
    )
    report = verify(way, catalogue.select(library="aws-lc"))
    assert [check.name for check in report.checks if not check.ok] == ["agreement"]
    assert "first: 127 bytes: answered; aws-lc/aes-128-ctr differ" in report.reason


def test_tables_come_in_three_ways_at_two_levels(rijndael: list[Implementation]) -> None:
    assert [i.description.algorithm for i in rijndael] == WAYS
    assert all({"historical", "thread-safe", "in-place"} <= i.description.flags for i in rijndael)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_checked_with_answers_and_against_many(
    catalogue: Catalogue, rijndael: list[Implementation], way: str
) -> None:
    one = catalogue.find(f"rijndael/{way}")
    report = verify(one, [i for i in catalogue if i.description.origin == "linked"])
    assert report.ok, report.reason
    known, agreed, _ = report.checks
    assert known.sources == {"NIST SP 800-38A": 1, "RFC 3686": 3} and not known.skipped
    assert len(agreed.sources) >= 4 and set(agreed.sources.values()) == {agreed.run} == {39}


@pytest.mark.parametrize("way", [*WAYS, "aes-128-ctr.aes-encrypt"])
def test_zeros_become_the_standard_s_example(catalogue: Catalogue, rijndael: list[Implementation], way: str) -> None:
    key, counter, output = map(bytes.fromhex, FIPS_197)
    library = "rijndael" if way in WAYS else "openssl"
    one = catalogue.find(f"{library}/{way}")
    assert one.encrypt(key, counter, bytes(16)) == output
    assert one.encrypt(key, b"\xff" * 16, bytes(32))[16:] == one.encrypt(key, bytes(16), bytes(16)), "it wraps"


def test_ways_differ_in_code_and_not_in_what_comes_of_it(rijndael: list[Implementation]) -> None:
    check = agreement.check(Double(rijndael[0], {}), rijndael)
    assert check is not None and check.ok
    assert check.sources == dict.fromkeys(sorted(i.name for i in rijndael), check.run)
