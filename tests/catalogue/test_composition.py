"""Encrypt-then-MAC compositions: verification, rejected parts, and use with ParSplit."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from aeadlab import ParSplit, compose
from aeadlab.catalogue import Catalogue, load, plugins
from aeadlab.errors import ArgumentError, AuthenticationError, UnknownNameError
from aeadlab.verify import verify
from aeadlab.verify.cached import verified
from aeadlab.verify.reference.composition import composition

CIPHERS = ("openssl/aes-256-ctr", "rustcrypto/chacha20", "openssl/camellia-128-cbc", "rustcrypto/hc-256")
MACS = ("openssl/aes-256-gmac", "blake3/blake3-keyed", "rustcrypto/hmac-sha-256", "openssl/kmac-256")
CRYPTOPP = (plugins.BUILT / "cryptopp.so").exists()


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load()


@pytest.mark.parametrize(("cipher", "mac"), list(product(CIPHERS, MACS)), ids=str)
def test_composition_passes_every_check(catalogue: Catalogue, cipher: str, mac: str) -> None:
    made = compose(cipher, mac, catalogue)
    report = verify(made)
    assert report.ok, report.reason
    agreement = report.check("agreement")
    assert agreement is not None and agreement.run > 70
    assert set(agreement.sources) == {f"reference/{made.description.algorithm}"}


@given(data=st.binary(max_size=600), aad=st.binary(max_size=100), key=st.binary(min_size=32, max_size=32))
@settings(deadline=None, max_examples=100)
def test_composition_equals_its_definition(data: bytes, aad: bytes, key: bytes) -> None:
    made = compose("openssl/aes-256-ctr", "openssl/aes-256-gmac")
    nonce = key[:12]
    sealed = made.seal(key, nonce, data, aad)
    assert sealed == composition(made).seal(key, nonce, data, aad)
    assert composition(made).open(key, nonce, sealed, aad) == data
    with pytest.raises(AuthenticationError):
        composition(made).open(key, nonce, sealed, aad + b"x")


def test_derived_keys_depend_on_the_algorithms(catalogue: Catalogue) -> None:
    key, nonce, data = bytes(32), bytes(12), bytes(64)
    pairs = [("rustcrypto/aes-256-ctr", mac) for mac in ("openssl/aes-256-gmac", "openssl/aes-256-cmac")]
    first, second = (compose(*pair, catalogue).seal(key, nonce, data) for pair in pairs)
    assert first[:64] != second[:64]
    same = compose("openssl/aes-256-ctr", "openssl/aes-256-gmac", catalogue)
    assert same.seal(key, nonce, data) == first, "the same algorithms of other libraries give the same output"


REJECTED_MACS = {
    "openssl/poly1305": "is a bare universal hash: without a secret mask for each message two tags reveal its key",
    "rustcrypto/ghash": "use a MAC that is built on it, such as GMAC for GHASH",
    "openssl/sha-256": "is a hash without a key: use its keyed mode or HMAC",
    "openssl/aes-256-gcm": "openssl/aes-256-gcm is not a MAC",
    "pyca/hmac-sha-256": "pyca/hmac-sha-256 is called from Python",
}


@pytest.mark.parametrize("mac", REJECTED_MACS)
def test_rejects_unsuitable_macs_with_the_reason(catalogue: Catalogue, mac: str) -> None:
    with pytest.raises(ArgumentError, match=REJECTED_MACS[mac]):
        compose("openssl/aes-256-ctr", mac, catalogue)


@pytest.mark.parametrize(
    ("cipher", "reason"),
    [
        ("openssl/aes-256-ecb", "takes an IV of 0 bytes, .*: equal plaintext blocks encrypt to equal blocks"),
        ("openssl/3des-cbc", "takes an IV of 8 bytes, .*: shorter IVs collide"),
        ("baseline/xor", "is a baseline without any security"),
        ("openssl/sha-256", "openssl/sha-256 is not a cipher"),
        ("pyca/aes-256-ctr", "pyca/aes-256-ctr is called from Python"),
    ],
)
def test_rejects_unsuitable_ciphers_with_the_reason(catalogue: Catalogue, cipher: str, reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        compose(cipher, "openssl/aes-256-gmac", catalogue)


def test_find_returns_compositions_by_name(catalogue: Catalogue) -> None:
    name = "openssl+blake3/aes-256-ctr+blake3-keyed"
    assert compose("openssl/aes-256-ctr", "blake3/blake3-keyed").name == name
    assert catalogue.find(name).name == name
    assert "research" in catalogue.find(name).description.flags
    with pytest.raises(UnknownNameError, match="openssl/aes-256-gmac"):
        catalogue.find("openssl+openssl/aes-256-ctr+aes-256-gmca")


# The compositions that the paper proposes as future work.
PROPOSED = {
    "OpenSSL's GHASH with Crypto++'s AES": ("cryptopp/aes-256-ctr", "openssl/aes-256-gmac"),
    "BLAKE3 with OpenSSL's AES": ("openssl/aes-256-ctr", "blake3/blake3-keyed"),
    "BLAKE3 with Crypto++'s AES": ("cryptopp/aes-256-ctr", "blake3/blake3-keyed"),
}


@pytest.mark.parametrize("title", PROPOSED)
def test_proposed_compositions_run_under_parsplit(catalogue: Catalogue, title: str) -> None:
    cipher, mac = PROPOSED[title]
    if "cryptopp" in cipher and not CRYPTOPP:
        pytest.skip("Crypto++ is not installed")
    made = compose(cipher, mac, catalogue)
    key, prefix, data = bytes(range(32)), b"7 bytes", bytes(range(256)) * 20
    one, two = (ParSplit(made.name, 1000, threads) for threads in (1, 2))
    sealed = one.encrypt(key, prefix, data, b"aad")
    assert two.encrypt(key, prefix, data, b"aad") == sealed
    assert two.decrypt(key, prefix, sealed, b"aad") == data
    assert sealed[:1000] == made.seal(key, prefix + bytes(5), data[:1000], b"aad")[:1000]


@pytest.mark.usefixtures("own_folders")
@pytest.mark.skipif(not CRYPTOPP, reason="Crypto++ is not installed")
def test_verifies_plugin_compositions_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    here = "aeadlab.verify.verification.examine"
    monkeypatch.setattr(here, lambda i: pytest.fail(f"{i} is examined in this process"))
    catalogue = load()
    made = catalogue.find("cryptopp+openssl/aes-256-ctr+aes-256-gmac")
    report = verified([made], catalogue)[made.name]
    assert report.ok, report.reason
