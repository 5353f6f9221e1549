"""Keys of Triple-DES with equal parts: refused where a user encrypts, allowed where vectors have them."""

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
    """The same part with other parity bits: the same key to DES."""
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
def test_equal_parts_are_refused(implementations: dict[str, Implementation], name: str, which: str, op: str) -> None:
    one = implementations[name]
    for key in (WEAK[which], bytearray(WEAK[which]), memoryview(WEAK[which])):
        with pytest.raises(
            ArgumentError, match=rf"^{name}: the {which} part of the key are equal, three different ones"
        ):
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
def test_parity_bits_make_no_difference(
    implementations: dict[str, Implementation], name: str, which: str, key: bytes
) -> None:
    one = implementations[name]
    for call in (one.encrypt, one.decrypt):
        with pytest.raises(ArgumentError, match=f"the {which} part of the key are equal"):
            call(key, nonce_of(one), MESSAGE)


@by_every_name
def test_parts_that_differ_in_one_bit_of_the_key_pass(implementations: dict[str, Implementation], name: str) -> None:
    one = implementations[name]
    near = bytes([A[0] ^ 2, *A[1:]])
    for key in (A + B + C, A + near + C, A + B + near):
        encrypted = one.encrypt(key, nonce_of(one), MESSAGE)
        assert encrypted != MESSAGE and one.decrypt(key, nonce_of(one), encrypted) == MESSAGE


@by_every_name
def test_all_three_alike_are_one_des_and_refused(implementations: dict[str, Implementation], name: str) -> None:
    one = implementations[name]
    with pytest.raises(ArgumentError, match="weaker than it looks"):
        one.encrypt(A + A + A, nonce_of(one), MESSAGE)


def test_a_key_of_another_length_is_told_by_its_length(implementations: dict[str, Implementation]) -> None:
    for name in ("openssl/3des-ecb", "pyca/3des-cbc"):
        one = implementations[name]
        with pytest.raises(ArgumentError, match="16 bytes|24"):
            one.encrypt(A + A, nonce_of(one), MESSAGE)


def test_other_ciphers_take_any_key() -> None:
    catalogue = load()
    for name in ("openssl/aes-192-ecb", "pyca/aes-192-ecb"):
        one = catalogue.find(name)
        assert one.decrypt(A + A + A, nonce_of(one), one.encrypt(A + A + A, nonce_of(one), MESSAGE)) == MESSAGE


def test_they_are_allowed_within_the_block_and_in_this_thread_only(implementations: dict[str, Implementation]) -> None:
    one = implementations["openssl/3des-ecb"]
    key = WEAK["first and third"]
    elsewhere: list[str] = []

    def other() -> None:
        try:
            one.encrypt(key, b"", MESSAGE)
        except ArgumentError as error:
            elsewhere.append(str(error))

    with weak_keys.allowed():
        assert one.decrypt(key, b"", one.encrypt(key, b"", MESSAGE)) == MESSAGE
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with weak_keys.allowed():
            one.encrypt(key, b"", MESSAGE)
        one.encrypt(key, b"", MESSAGE)
    assert len(elsewhere) == 1
    with pytest.raises(ArgumentError, match="first and third"):
        one.encrypt(key, b"", MESSAGE)


def test_they_are_refused_again_after_an_error(implementations: dict[str, Implementation]) -> None:
    with pytest.raises(ZeroDivisionError), weak_keys.allowed():
        raise ZeroDivisionError
    with pytest.raises(ArgumentError, match="second and third"):
        implementations["pyca/3des-cbc"].encrypt(WEAK["second and third"], bytes(8), MESSAGE)


@pytest.mark.parametrize("name", ["openssl/3des-cbc", "pyca/3des-cbc"])
def test_the_known_answers_of_triple_des_still_run(implementations: dict[str, Implementation], name: str) -> None:
    """Half of them have such keys."""
    check = known_answers.check(implementations[name])
    assert check is not None and check.ok
    assert check.run > 400
    assert "weak key that the library refuses" not in check.skipped
