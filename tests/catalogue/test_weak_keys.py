"""Weak keys of Triple-DES: rejected for users, accepted for known answers."""

from __future__ import annotations

import threading

import pytest

from aeadlab.catalogue import load, weak_keys
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import known_answers

A, B, C = bytes(range(8)), bytes(range(64, 72)), bytes(range(128, 136))
PARITY = bytes([1] * 8)
NAMES = ("openssl/3des-ecb", "openssl/3des-cbc", "rustcrypto/3des-ctr", "pyca/3des-cbc", "pycryptodome/3des-ecb")
WEAK = {
    "first and second": A + A + C,
    "second and third": A + B + B,
    "first and third": A + B + A,
}
by_every_name = pytest.mark.parametrize("name", NAMES)
MESSAGE = bytes(range(32))


def flipped(part: bytes) -> bytes:
    """Return the part with other parity bits, which is the same key of DES."""
    return bytes(a ^ b for a, b in zip(part, PARITY, strict=True))


@pytest.fixture(scope="module")
def implementations() -> dict[str, Implementation]:
    catalogue = load()
    return {name: catalogue.find(name) for name in NAMES}


def nonce_of(one: Implementation) -> bytes:
    return bytes(one.description.nonce_bytes)


@by_every_name
@pytest.mark.parametrize("which", WEAK)
@pytest.mark.parametrize("op", ["encrypt", "decrypt"])
def test_rejects_equal_parts(implementations: dict[str, Implementation], name: str, which: str, op: str) -> None:
    one = implementations[name]
    for key in (WEAK[which], bytearray(WEAK[which]), memoryview(WEAK[which])):
        with pytest.raises(ArgumentError, match=rf"^{name}: key with equal {which} parts given, three different parts"):
            getattr(one, op)(key, nonce_of(one), MESSAGE)


@by_every_name
@pytest.mark.parametrize(
    ("which", "key"),
    [
        ("first and second", A + flipped(A) + C),
        ("second and third", A + B + flipped(B)),
        ("first and third", flipped(A) + B + A),
    ],
)
def test_ignores_parity_bits(implementations: dict[str, Implementation], name: str, which: str, key: bytes) -> None:
    one = implementations[name]
    for call in (one.encrypt, one.decrypt):
        with pytest.raises(ArgumentError, match=f"key with equal {which} parts"):
            call(key, nonce_of(one), MESSAGE)


@by_every_name
def test_accepts_parts_that_differ_in_one_key_bit(implementations: dict[str, Implementation], name: str) -> None:
    one = implementations[name]
    near = bytes([A[0] ^ 2, *A[1:]])
    for key in (A + B + C, A + near + C, A + B + near):
        encrypted = one.encrypt(key, nonce_of(one), MESSAGE)
        assert encrypted != MESSAGE and one.decrypt(key, nonce_of(one), encrypted) == MESSAGE


@by_every_name
def test_rejects_three_equal_parts(implementations: dict[str, Implementation], name: str) -> None:
    one = implementations[name]
    with pytest.raises(ArgumentError, match="weaken the cipher"):
        one.encrypt(A + A + A, nonce_of(one), MESSAGE)


def test_reports_the_length_of_a_short_key(implementations: dict[str, Implementation]) -> None:
    for name in ("openssl/3des-ecb", "pyca/3des-cbc"):
        one = implementations[name]
        with pytest.raises(ArgumentError, match="16 bytes|24"):
            one.encrypt(A + A, nonce_of(one), MESSAGE)


def test_other_ciphers_accept_equal_parts() -> None:
    catalogue = load()
    for name in ("openssl/aes-192-ecb", "pyca/aes-192-ecb"):
        one = catalogue.find(name)
        assert one.decrypt(A + A + A, nonce_of(one), one.encrypt(A + A + A, nonce_of(one), MESSAGE)) == MESSAGE


def test_allow_applies_to_its_block_and_thread_only(implementations: dict[str, Implementation]) -> None:
    one = implementations["openssl/3des-ecb"]
    key = WEAK["first and third"]
    elsewhere: list[str] = []

    def other() -> None:
        try:
            one.encrypt(key, b"", MESSAGE)
        except ArgumentError as error:
            elsewhere.append(str(error))

    with weak_keys.allow():
        assert one.decrypt(key, b"", one.encrypt(key, b"", MESSAGE)) == MESSAGE
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with weak_keys.allow():
            one.encrypt(key, b"", MESSAGE)
        one.encrypt(key, b"", MESSAGE)
    assert len(elsewhere) == 1
    with pytest.raises(ArgumentError, match="first and third"):
        one.encrypt(key, b"", MESSAGE)


def test_allow_ends_after_an_error(implementations: dict[str, Implementation]) -> None:
    with pytest.raises(ZeroDivisionError), weak_keys.allow():
        raise ZeroDivisionError
    with pytest.raises(ArgumentError, match="second and third"):
        implementations["pyca/3des-cbc"].encrypt(WEAK["second and third"], bytes(8), MESSAGE)


@pytest.mark.parametrize("name", ["openssl/3des-cbc", "pyca/3des-cbc"])
def test_known_answers_use_weak_keys(implementations: dict[str, Implementation], name: str) -> None:
    """Half of the known answers have weak keys."""
    check = known_answers.check(implementations[name])
    assert check is not None and check.ok
    assert check.run > 400
    assert "weak key that the library rejects" not in check.skipped
