from __future__ import annotations

import pytest

from aeadlab.catalogue.adapters import numba
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify import known_answers, verify
from aeadlab.verify.cases import octets
from aeadlab.verify.reference import aegis_128l_stream, aes_256_ctr_blake3, crc_32c, ghash, references, salsa20, xor

MODULUS = 1 << 128 | 1 << 7 | 1 << 2 | 1 << 1 | 1


def reflected(block: bytes) -> int:
    """The block as a polynomial, its first bit being the constant term."""
    return int(f"{int.from_bytes(block, 'big'):0128b}"[::-1], 2)


def xor_of(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def product(a: int, b: int) -> int:
    """Schoolbook product of polynomials over GF(2), reduced by long division."""
    result = 0
    while b:
        low = b & -b
        result ^= a * low
        b ^= low
    while result.bit_length() > 128:
        result ^= MODULUS << (result.bit_length() - 129)
    return result


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 100])
def test_ghash_is_horner_s_rule_in_the_field(length: int) -> None:
    key, data = octets("h", 16), octets("data", length)
    state = 0
    for start in range(0, length, 16):
        state = product(state ^ reflected(data[start : start + 16].ljust(16, b"\0")), reflected(key))
    assert reflected(ghash(key, data)) == state


def test_xor_repeats_the_key() -> None:
    key, data = octets("key", 32), octets("data", 71)
    assert xor(key, data) == bytes(octet ^ key[i % 32] for i, octet in enumerate(data))
    assert xor(key, b"") == b""


def test_composition_binds_lengths() -> None:
    """Moving a byte from the associated data to the ciphertext must give another tag."""
    key, nonce = octets("key", 32), octets("nonce", 12)
    (reference,) = references("aes-256-ctr+blake3")
    sealed = aes_256_ctr_blake3(key, nonce, b"message", b"ab")
    assert reference.open(key, nonce, sealed, b"ab") == b"message"
    for forged, aad in ((b"b" + sealed, b"a"), (sealed, b"a"), (sealed[:-1], b"ab")):
        with pytest.raises(AuthenticationError):
            reference.open(key, nonce, forged, aad)


def test_composition_is_the_one_specified() -> None:
    """Keys from BLAKE3 contexts, counter nonce || be32(0), footer of fixed length; spelled out once more."""
    from blake3 import blake3
    from Crypto.Cipher import AES

    key, nonce, data, aad = octets("key", 32), octets("nonce", 12), octets("data", 1000), b"header"
    encryption = blake3(key, derive_key_context="aeadlab 2026-11-20 aes-256-ctr+blake3 encryption key").digest()
    authentication = blake3(key, derive_key_context="aeadlab 2026-11-20 aes-256-ctr+blake3 authentication key").digest()
    ciphertext = AES.new(encryption, AES.MODE_CTR, nonce=nonce, initial_value=0).encrypt(data)
    footer = nonce + (6).to_bytes(8, "little") + (1000).to_bytes(8, "little")
    tag = blake3(ciphertext + aad + footer, key=authentication).digest()
    assert aes_256_ctr_blake3(key, nonce, data, aad) == ciphertext + tag


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 1000])
def test_salsa20_of_20_rounds_is_the_one_that_libraries_have(length: int) -> None:
    from Crypto.Cipher import Salsa20

    key, nonce, data = octets("key", 32), octets("nonce", 8), octets("data", length)
    assert salsa20(key, nonce, data) == Salsa20.new(key, nonce).encrypt(data)
    assert length == 0 or salsa20(key, nonce, data, 12) != salsa20(key, nonce, data)


def test_crc_32c_is_a_remainder() -> None:
    """The check value of the usual catalogues, and linearity: a CRC of XORed messages of one length."""
    assert crc_32c(b"123456789").hex() == "e3069283"
    a, b = octets("a", 100), octets("b", 100)
    both = (crc_32c(message) for message in (xor_of(a, b), bytes(100)))
    assert xor_of(*both) == xor_of(crc_32c(a), crc_32c(b))


@pytest.mark.parametrize("algorithm", ["hc-128", "aegis-128l-stream", "blake3-xof"])
def test_references_of_generators_give_what_was_published(algorithm: str) -> None:
    (reference,) = references(algorithm)
    check = known_answers.check(reference)
    assert check is not None and check.ok


def test_the_nonces_of_aegis_count_up_over_a_byte() -> None:
    from nacl.bindings import crypto_aead_aegis128l_encrypt

    key, nonces = octets("key", 16), [b"\xff" + bytes(15), b"\0\1" + bytes(14)]
    sealed = [crypto_aead_aegis128l_encrypt(bytes(1024), b"", nonce, key) for nonce in nonces]
    assert aegis_128l_stream(key + nonces[0], 2000) == b"".join(one[:1024] for one in sealed)[:2000]


def test_lengths_are_checked() -> None:
    (reference,) = references("ghash")
    with pytest.raises(ArgumentError, match="key of 15 bytes"):
        reference.digest(bytes(15), b"", b"")
    with pytest.raises(ArgumentError, match="no way back"):
        reference.decrypt(bytes(16), b"", b"")


def test_python_s_own_baseline_agrees() -> None:
    compiled = next(i for i in numba.implementations() if i.description.algorithm == "xor")
    report = verify(compiled)
    assert report.ok
    agreement = report.check("agreement")
    assert agreement is not None and agreement.sources == {"reference/xor": agreement.run}


def test_most_algorithms_have_none() -> None:
    assert references("aes-256-gcm") == []
