from __future__ import annotations

import pytest

from aeadlab.catalogue.adapters import numba
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify import known_answers, verify
from aeadlab.verify.cases import pseudorandom
from aeadlab.verify.reference import references
from aeadlab.verify.reference.baselines import xor
from aeadlab.verify.reference.composition import aes_256_ctr_blake3
from aeadlab.verify.reference.crc import crc_32c
from aeadlab.verify.reference.generators import aegis_128l_stream
from aeadlab.verify.reference.ghash import ghash
from aeadlab.verify.reference.salsa20 import salsa20

MODULUS = 1 << 128 | 1 << 7 | 1 << 2 | 1 << 1 | 1


def reflected(block: bytes) -> int:
    """Return the block as a polynomial whose constant term is the first bit."""
    return int(f"{int.from_bytes(block, 'big'):0128b}"[::-1], 2)


def xor_of(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def product(a: int, b: int) -> int:
    """Return the schoolbook product of polynomials over GF(2), reduced by long division."""
    result = 0
    while b:
        low = b & -b
        result ^= a * low
        b ^= low
    while result.bit_length() > 128:
        result ^= MODULUS << (result.bit_length() - 129)
    return result


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 100])
def test_ghash_equals_horner_evaluation(length: int) -> None:
    key, data = pseudorandom("h", 16), pseudorandom("data", length)
    state = 0
    for start in range(0, length, 16):
        state = product(state ^ reflected(data[start : start + 16].ljust(16, b"\0")), reflected(key))
    assert reflected(ghash(key, data)) == state


def test_xor_repeats_the_key() -> None:
    key, data = pseudorandom("key", 32), pseudorandom("data", 71)
    assert xor(key, data) == bytes(octet ^ key[i % 32] for i, octet in enumerate(data))
    assert xor(key, b"") == b""


def test_composition_authenticates_lengths() -> None:
    """A byte moved from the associated data to the ciphertext changes the tag."""
    key, nonce = pseudorandom("key", 32), pseudorandom("nonce", 12)
    (reference,) = references("aes-256-ctr+blake3")
    sealed = aes_256_ctr_blake3(key, nonce, b"message", b"ab")
    assert reference.open(key, nonce, sealed, b"ab") == b"message"
    for forged, aad in ((b"b" + sealed, b"a"), (sealed, b"a"), (sealed[:-1], b"ab")):
        with pytest.raises(AuthenticationError):
            reference.open(key, nonce, forged, aad)


def test_composition_follows_its_specification() -> None:
    """Keys from BLAKE3 contexts, counter nonce || be32(0), footer of fixed length, in an independent implementation."""
    from blake3 import blake3
    from Crypto.Cipher import AES

    key, nonce, data, aad = pseudorandom("key", 32), pseudorandom("nonce", 12), pseudorandom("data", 1000), b"header"
    encryption = blake3(key, derive_key_context="aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key").digest()
    authentication = blake3(key, derive_key_context="aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key").digest()
    ciphertext = AES.new(encryption, AES.MODE_CTR, nonce=nonce, initial_value=0).encrypt(data)
    footer = nonce + (6).to_bytes(8, "little") + (1000).to_bytes(8, "little")
    tag = blake3(ciphertext + aad + footer, key=authentication).digest()
    assert aes_256_ctr_blake3(key, nonce, data, aad) == ciphertext + tag


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 1000])
def test_salsa20_of_20_rounds_equals_a_library(length: int) -> None:
    from Crypto.Cipher import Salsa20

    key, nonce, data = pseudorandom("key", 32), pseudorandom("nonce", 8), pseudorandom("data", length)
    assert salsa20(key, nonce, data) == Salsa20.new(key, nonce).encrypt(data)
    assert length == 0 or salsa20(key, nonce, data, 12) != salsa20(key, nonce, data)


def test_crc_32c_check_value_and_linearity() -> None:
    """The published check value, and the CRC of XORed messages."""
    assert crc_32c(b"123456789").hex() == "e3069283"
    a, b = pseudorandom("a", 100), pseudorandom("b", 100)
    both = (crc_32c(message) for message in (xor_of(a, b), bytes(100)))
    assert xor_of(*both) == xor_of(crc_32c(a), crc_32c(b))


@pytest.mark.parametrize("algorithm", ["hc-128", "aegis-128l-stream", "blake3-xof"])
def test_references_of_generators_pass_known_answers(algorithm: str) -> None:
    (reference,) = references(algorithm)
    check = known_answers.check(reference)
    assert check is not None and check.ok


def test_nonce_counter_of_aegis_carries() -> None:
    from nacl.bindings import crypto_aead_aegis128l_encrypt

    key, nonces = pseudorandom("key", 16), [b"\xff" + bytes(15), b"\0\1" + bytes(14)]
    sealed = [crypto_aead_aegis128l_encrypt(bytes(1024), b"", nonce, key) for nonce in nonces]
    assert aegis_128l_stream(key + nonces[0], 2000) == b"".join(one[:1024] for one in sealed)[:2000]


def test_rejects_wrong_lengths_and_operations() -> None:
    (reference,) = references("ghash")
    with pytest.raises(ArgumentError, match="key of 15 bytes"):
        reference.digest(bytes(15), b"", b"")
    with pytest.raises(ArgumentError, match="no inverse operation"):
        reference.decrypt(bytes(16), b"", b"")


def test_numba_baseline_agrees_with_the_reference() -> None:
    compiled = next(i for i in numba.implementations() if i.description.algorithm == "xor")
    report = verify(compiled)
    assert report.ok
    agreement = report.check("agreement")
    assert agreement is not None and agreement.sources == {"reference/xor": agreement.run}


def test_algorithms_of_several_libraries_have_none() -> None:
    assert references("aes-256-gcm") == []
