"""Keystreams of ciphers, for comparison with generators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import agreement, known_answers
from aeadlab.verify.cases import pseudorandom
from aeadlab.verify.examination import Examination
from aeadlab.verify.keystream import keystream

LINKED = {i.name: i for i in native.linked()}
GENERATOR = LINKED["generators/chacha20.per-thread"]


@pytest.fixture
def cipher(by_name: dict[str, Implementation]) -> Implementation:
    return by_name["pyca/chacha20"]


def test_keystream_is_the_encryption_of_zeros(cipher: Implementation) -> None:
    seed = pseudorandom("seed", 44)
    stream = keystream(cipher)
    d = stream.description
    assert (d.kind, d.key_bytes, d.nonce_bytes, d.name) == ("generator", 44, 0, "pyca/chacha20")
    assert stream.generate(seed, [1, 99, 0, 200]) == cipher.encrypt(seed[:32], seed[32:], bytes(300))
    assert stream.generate(memoryview(seed), [300]) == stream.generate(seed, [1, 99, 0, 200])


def test_keystream_of_a_cipher_is_cached(cipher: Implementation, double: Any) -> None:
    assert keystream(cipher) is keystream(cipher)
    lengths: list[int] = []

    def encrypt(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        lengths.append(len(data))
        return right.encrypt(key, nonce, data)

    counted = double(cipher, encrypt=encrypt)
    for form in ("per-thread", "locked"):
        check = agreement.check(LINKED[f"generators/chacha20.{form}"], [counted])
        assert check is not None and check.ok
    assert lengths.count(1 << 20) == 1


def test_keystream_supports_only_generate(cipher: Implementation) -> None:
    stream = keystream(cipher)
    calls: list[Callable[[], bytes]] = [
        lambda: stream.seal(b"", b"", b""),
        lambda: stream.open(b"", b"", b""),
        lambda: stream.encrypt(b"", b"", b""),
        lambda: stream.decrypt(b"", b"", b""),
        lambda: stream.digest(b"", b"", b""),
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match="is of kind generator, which has no "):
            call()


def test_known_answers_are_those_of_the_cipher(cipher: Implementation) -> None:
    check, own = known_answers.check(keystream(cipher)), known_answers.check(cipher)
    assert check is not None and check.ok
    assert own is not None and check.sources == own.sources


def test_generator_agrees_with_ciphers(cipher: Implementation, by_name: dict[str, Implementation]) -> None:
    others = [cipher, by_name["pycryptodome/chacha20"], LINKED["libsodium/chacha20"], by_name["pyca/aes-256-ctr"]]
    check = agreement.check(GENERATOR, others)
    assert check is not None and check.ok and not check.skipped
    assert check.sources == {i.name: check.run for i in others[:3]}


def test_cipher_is_not_compared_with_generators(cipher: Implementation) -> None:
    assert agreement.check(cipher, [GENERATOR]) is None


def test_skips_block_ciphers(double: Any, cipher: Implementation) -> None:
    check = agreement.check(GENERATOR, [cipher, double(cipher, facts={"block_bytes": 16})])
    assert check is not None and check.skipped == {"double/chacha20 has other lengths": 1}


def test_skips_ciphers_of_other_lengths(double: Any, cipher: Implementation) -> None:
    other = double(cipher, facts={"nonce_bytes": 8, "library": "djb"})
    check = agreement.check(GENERATOR, [other, cipher])
    assert check is not None and check.ok
    assert check.skipped == {"djb/chacha20 has other lengths": 1}


def test_does_not_run_a_cipher_that_crashed(double: Any, cipher: Implementation) -> None:
    def crash(*_: object) -> bytes:
        raise AssertionError("a cipher that crashed is run again")

    crashed = double(cipher, encrypt=crash)
    examined = {crashed: Examination(crashed.name, (), (), "it crashes while being verified (SIGSEGV)")}
    check = agreement.check(GENERATOR, [crashed, cipher], examined)
    assert check is not None and check.ok
    assert check.skipped == {"double/chacha20: it crashes while being verified (SIGSEGV)": 1}


def test_excludes_ciphers_that_fail_known_answers(double: Any, cipher: Implementation) -> None:
    wrong = double(cipher, encrypt=lambda right, key, nonce, data: right.encrypt(key, nonce[::-1], data))
    check = agreement.check(GENERATOR, [wrong, cipher])
    assert check is not None and check.ok
    assert check.skipped == {"double/chacha20 fails its known answers": 1}
    failed = known_answers.check(wrong)
    assert failed is not None and not failed.ok
    elsewhere = double(cipher)
    examined = {elsewhere: Examination(elsewhere.name, (failed,), ())}
    assert agreement.check(GENERATOR, [elsewhere, cipher], examined) == check, "results of another process are used"
