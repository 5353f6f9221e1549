"""Variants of algorithms: names with a dot, agreement with the base algorithm, and table-based AES."""

from __future__ import annotations

from itertools import product

import pytest

from aeadlab.catalogue import Catalogue, load
from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.catalogue.names import base_algorithm
from aeadlab.errors import UnknownNameError
from aeadlab.verify import agreement, verify
from aeadlab.verify.cached import _peers
from tests.verify.conftest import Double

VARIANTS = [
    f"aes-128-ctr.{name}-o{level}" for level, name in product((2, 3), ("plain", "counter-optimization", "full-unroll"))
]
CALLERS = ("aes-encrypt-o2", "aes-encrypt-o3", "evp-block-o2")
FIPS_197 = "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"
"""Appendix C.1: key, plaintext, ciphertext."""


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.fixture(scope="module")
def rijndael(catalogue: Catalogue) -> list[Implementation]:
    if "rijndael" in catalogue.absent:
        pytest.skip(f"rijndael {catalogue.absent['rijndael']}")
    return [i for i in catalogue if i.description.library == "rijndael"]


@pytest.mark.parametrize(
    ("algorithm", "base"),
    [
        ("aes-128-ctr", "aes-128-ctr"),
        ("aes-128-ctr.plain-o2", "aes-128-ctr"),
        ("aes-256-ctr+blake3", "aes-256-ctr+blake3"),
        ("rc4.per-thread.twice", "rc4"),
    ],
)
def test_base_algorithm_ends_at_the_first_dot(algorithm: str, base: str) -> None:
    d = Description("library", algorithm, "cipher", "1")
    assert d.base_algorithm == base_algorithm(algorithm) == base
    assert d.name == f"library/{algorithm}"


def test_dots_occur_only_in_names_of_variants(catalogue: Catalogue) -> None:
    """A dot in another name would cause a comparison with unrelated algorithms."""
    names = {i.description.algorithm for i in catalogue if i.description.library not in ("generators", "rijndael")}
    dotted = {name for name in names if "." in name}
    assert {name.partition(".")[2] for name in dotted} == {*CALLERS, "reused"}
    # The only program of DARE writes to reused memory.
    assert {base_algorithm(name) for name in dotted} - names == {"dare"}


def test_find_distinguishes_variants(catalogue: Catalogue) -> None:
    low_level, usual = catalogue.find("openssl/aes-128-ctr.aes-encrypt-o2"), catalogue.find("openssl/aes-128-ctr")
    assert low_level is not usual
    assert "historical" in low_level.description.flags and "historical" not in usual.description.flags
    with pytest.raises(UnknownNameError, match="openssl/aes-128-ctr"):
        catalogue.find("openssl/aes-128-ctr.aes_encrypt-o2")


@pytest.mark.parametrize("caller", CALLERS)
def test_variant_is_compared_with_other_libraries(catalogue: Catalogue, caller: str) -> None:
    variant = catalogue.find(f"openssl/aes-128-ctr.{caller}")
    assert verify(variant, [i for i in catalogue if i.description.origin == "linked"]).ok
    peers = {peer.name for peer in _peers([variant], catalogue)[variant]}
    assert {"rustcrypto/aes-128-ctr", "aws-lc/aes-128-ctr", "pyca/aes-128-ctr"} <= peers
    assert not any(name.startswith(("openssl/", "rijndael/")) for name in peers), "its own library or a plugin"
    usual = catalogue.find("rustcrypto/aes-128-ctr")
    assert variant in _peers([usual], catalogue)[usual]


def test_agreement_detects_a_fault_in_a_variant(catalogue: Catalogue) -> None:
    """The last byte is wrong if the message does not end with a full block."""

    def encrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        output = right.encrypt(key, nonce, data)
        return output if len(data) % 16 == 0 or len(data) < 100 else output[:-1] + bytes([output[-1] ^ 1])

    def decrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return encrypt(right, key, nonce, data)

    variant = Double(
        catalogue.find("rustcrypto/aes-128-ctr"),
        {"encrypt": encrypt, "decrypt": decrypt},
        algorithm="aes-128-ctr.last-byte",
    )
    report = verify(variant, catalogue.select(library="aws-lc"))
    assert [check.name for check in report.checks if not check.ok] == ["agreement"]
    assert "first: 127 bytes: output; aws-lc/aes-128-ctr differ" in report.reason


def test_table_variants_have_two_optimization_levels(rijndael: list[Implementation]) -> None:
    assert [i.description.algorithm for i in rijndael] == VARIANTS
    assert all({"historical", "thread-safe", "in-place"} <= i.description.flags for i in rijndael)


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_table_variant_passes_all_checks(
    catalogue: Catalogue, rijndael: list[Implementation], variant: str
) -> None:
    one = catalogue.find(f"rijndael/{variant}")
    report = verify(one, [i for i in catalogue if i.description.origin == "linked"])
    assert report.ok, report.reason
    known, agreed, *_ = report.checks
    assert known.sources == {"NIST SP 800-38A": 1, "RFC 3686": 3} and not known.skipped
    assert len(agreed.sources) >= 4 and set(agreed.sources.values()) == {agreed.run} == {39}


@pytest.mark.parametrize("variant", [*VARIANTS, *(f"aes-128-ctr.{caller}" for caller in CALLERS)])
def test_encryption_of_zeros_is_the_fips_197_example(
    catalogue: Catalogue, rijndael: list[Implementation], variant: str
) -> None:
    key, counter, output = map(bytes.fromhex, FIPS_197)
    library = "rijndael" if variant in VARIANTS else "openssl"
    one = catalogue.find(f"{library}/{variant}")
    assert one.encrypt(key, counter, bytes(16)) == output
    assert one.encrypt(key, b"\xff" * 16, bytes(32))[16:] == one.encrypt(key, bytes(16), bytes(16)), "the counter wraps"


def test_table_variants_agree_with_each_other(rijndael: list[Implementation]) -> None:
    check = agreement.check(Double(rijndael[0], {}), rijndael)
    assert check is not None and check.ok
    assert check.sources == dict.fromkeys(sorted(i.name for i in rijndael), check.run)
