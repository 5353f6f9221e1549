"""Forgeries of messages with one tag: bit flips, rearrangements, splices and keys."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given, settings, strategies as st

from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.parsplit.parsplit import ParSplit
from tests.fixtures.one_tag import blocks_of, derived
from tests.parsplit.test_tags import AAD, FORMS, KEY, NONCES, text

BLOCKS = {"digest": 16, "merkle": 16, "blake3": 1024}
CIPHERS = {
    form: ParSplit(implementation, BLOCKS[form], 2, tags=form, serial_below=0)
    for form, (implementation, _) in FORMS.items()
}
DETECTED = (AuthenticationError, ArgumentError)


def assert_rejected(
    form: str, sealed: bytes, change: object, key: bytes = KEY, nonce: bytes = b"", aad: bytes = AAD
) -> None:
    """A message that is shorter than a tag raises ArgumentError, all else AuthenticationError with a wiped `out`."""
    out = bytearray(b"\xaa" * (len(sealed) + 1))
    with pytest.raises(DETECTED) as caught:
        pytest.fail(f"{change}: {CIPHERS[form].decrypt(key, nonce or NONCES[form], sealed, aad, out)!r}")
    if len(sealed) >= 32:
        assert caught.type is AuthenticationError
        assert out == bytes(len(sealed) - 32) + b"\xaa" * 33, change
    in_place = bytearray(sealed)
    with pytest.raises(DETECTED):
        CIPHERS[form].decrypt(key, nonce or NONCES[form], in_place, aad, in_place)
    if len(sealed) >= 32:
        assert in_place[:-32] == bytes(len(sealed) - 32), change


@pytest.mark.parametrize("form", FORMS)
def test_rejects_every_flipped_bit_of_message_tag_key_nonce_and_associated_data(form: str) -> None:
    length = 77 if form != "blake3" else 1024 + 40
    sealed = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], text(length), AAD))
    assert CIPHERS[form].decrypt(KEY, NONCES[form], sealed, AAD) == text(length)

    def flipped(data: bytes) -> list[bytes]:
        return [data[:i] + bytes([data[i] ^ 1 << bit]) + data[i + 1 :] for i in range(len(data)) for bit in range(8)]

    for i, changed in enumerate(flipped(sealed)):
        assert_rejected(form, changed, f"bit {i}")
    for i, key in enumerate(flipped(KEY)):
        assert_rejected(form, sealed, f"bit {i} of the key", key=key)
    for i, nonce in enumerate(flipped(NONCES[form])):
        assert_rejected(form, sealed, f"bit {i} of the nonce", nonce=nonce)
    for i, aad in enumerate(flipped(AAD)):
        assert_rejected(form, sealed, f"bit {i} of the associated data", aad=aad)
    for aad in (b"", AAD[:-1], AAD + b"\0"):
        assert_rejected(form, sealed, "another length of the associated data", aad=aad)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("short", [0, 3])
def test_rejects_every_rearrangement_of_four_blocks(form: str, short: int) -> None:
    length = 4 * BLOCKS[form] - short
    sealed = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], text(length), AAD))
    blocks, tag = blocks_of(sealed[:-32], BLOCKS[form]), sealed[-32:]
    orders = {order for count in range(5) for order in permutations(range(4), count)}
    orders |= {(*range(i), j, *range(i, 4)) for i in range(5) for j in range(4)}
    orders |= {(*range(i), j, *range(i + 1, 4)) for i in range(4) for j in range(4)}
    for order in orders - {(0, 1, 2, 3)}:
        assert_rejected(form, b"".join(blocks[i] for i in order) + tag, order)


@pytest.mark.parametrize("form", FORMS)
def test_rejects_truncation_extension_and_blocks_of_another_message(form: str) -> None:
    block = BLOCKS[form]
    length = 3 * block + 5
    sealed = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], text(length), AAD))
    text_bytes, tag = sealed[:-32], sealed[-32:]
    for cut in {*range(0, length, 7), block, 2 * block, 3 * block}:
        assert_rejected(form, text_bytes[:cut] + tag, f"truncated to {cut} bytes, with the tag")
        assert_rejected(form, sealed[:cut], f"the first {cut} bytes")
    for more in (1, 5, 11, block, 70):
        assert_rejected(form, text_bytes + bytes(more) + tag, f"{more} more")
        assert_rejected(form, sealed + bytes(more), f"{more} after the tag")
    other = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], b"x" * length, AAD))
    for first in range(4):
        for end in range(first + 1, 5):
            a, b = first * block, end * block
            spliced = text_bytes[:a] + other[:length][a:b] + text_bytes[b:]
            assert_rejected(form, spliced + tag, f"blocks {first} to {end} of another message")
    assert_rejected(form, text_bytes + other[-32:], "the tag of another message")


@pytest.mark.parametrize("form", FORMS)
def test_rejects_another_block_size_and_another_form(form: str) -> None:
    sealed = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], text(5000), AAD))
    other = ParSplit(CIPHERS[form].implementation, 2 * BLOCKS[form], tags=form)
    with pytest.raises(AuthenticationError):
        other.decrypt(KEY, NONCES[form], sealed, AAD)
    if form != "blake3":
        swapped = ParSplit(CIPHERS[form].implementation, BLOCKS[form], tags={"digest": "merkle"}.get(form, "digest"))
        with pytest.raises(AuthenticationError):
            swapped.decrypt(KEY, NONCES[form], sealed, AAD)
    else:
        swapped = ParSplit("openssl/aes-128-ctr", BLOCKS[form], tags=form)
        with pytest.raises(AuthenticationError):
            swapped.decrypt(KEY, NONCES[form], sealed, AAD)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_rejects_random_changes(form: str, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 5 * BLOCKS[form]))
    sealed = bytes(CIPHERS[form].encrypt(KEY, NONCES[form], text(length), AAD))
    changed = bytearray(sealed)
    start = data.draw(st.integers(0, len(sealed) - 1))
    end = data.draw(st.integers(start + 1, len(sealed)))
    changed[start:end] = data.draw(st.binary(min_size=0, max_size=40))
    assume(bytes(changed) != sealed)
    assert_rejected(form, bytes(changed), (start, end))


def gf_multiply(a: int, b: int) -> int:
    """Multiply in GHASH's field, whose elements are 128-bit numbers with the first bit of a block on top."""
    product = 0
    for i in range(127, -1, -1):
        if a >> i & 1:
            product ^= b
        b = b >> 1 ^ (0xE1 << 120 if b & 1 else 0)
    return product


def gf_inverse(a: int) -> int:
    result, square = 1 << 127, a
    for _ in range(127):
        square = gf_multiply(square, square)
        result = gf_multiply(result, square)
    return result


def two_key_ciphertext(keys: list[bytes], nonce: bytes) -> tuple[bytes, bytes]:
    """Return a ciphertext of 32 bytes and a tag that AES-GCM accepts under both keys (Len and others, 2021)."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    def encrypted(key: bytes, block: bytes) -> int:
        encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        return int.from_bytes(encryptor.update(block), "big")

    first = int.from_bytes(b"sixteen letters.", "big")
    lengths = 256
    constant, factors = 0, []
    for key in keys:
        h = encrypted(key, bytes(16))
        h2 = gf_multiply(h, h)
        h3 = gf_multiply(h2, h)
        constant ^= gf_multiply(first, h3) ^ gf_multiply(lengths, h) ^ encrypted(key, nonce + b"\0\0\0\1")
        factors.append(h2)
    second = gf_multiply(constant, gf_inverse(factors[0] ^ factors[1]))
    ciphertext = first.to_bytes(16, "big") + second.to_bytes(16, "big")
    h = encrypted(keys[0], bytes(16))
    total = gf_multiply(gf_multiply(gf_multiply(first, h) ^ second, h) ^ lengths, h)
    return ciphertext, (total ^ encrypted(keys[0], nonce + b"\0\0\0\1")).to_bytes(16, "big")


def test_a_ciphertext_for_two_keys_opens_with_concatenated_tags_and_with_no_other_form() -> None:
    keys = [bytes(32), KEY]
    prefix = b"7 bytes"
    ciphertext, tag = two_key_ciphertext(keys, prefix + b"\0\0\0\0\1")
    plain = ParSplit("openssl/aes-256-gcm", 1024)
    opened = {bytes(plain.decrypt(key, prefix, ciphertext + tag)) for key in keys}
    assert len(opened) == 2
    for form in ("digest", "merkle"):
        cipher = ParSplit("openssl/aes-256-gcm", 1024, tags=form)
        # The value of each key for these tags, of which none is that of both.
        values = []
        for own in keys:
            message = plain.decrypt(own, prefix, ciphertext + tag)
            sealed = cipher.encrypt(own, prefix, message)
            assert sealed[:-32] == ciphertext
            assert cipher.decrypt(own, prefix, sealed) == message
            values.append(sealed)
        for own, sealed in zip(keys, reversed(values), strict=True):
            with pytest.raises(AuthenticationError):
                cipher.decrypt(own, prefix, sealed)


def test_blake3_commits_to_key_nonce_and_associated_data() -> None:
    """The same ciphertext has another tag under each key, nonce and associated data: the key of the hash differs."""
    from blake3 import blake3

    cipher, ciphertext = ParSplit("openssl/aes-256-ctr", 1024, tags="blake3"), bytes(2500)
    settings = [(key, nonce, aad) for key in (KEY, bytes(32)) for nonce in (KEY, bytes(32)) for aad in (b"", b"a")]
    tags = []
    for key, nonce, aad in settings:
        tag_key = derived("blake3", "aes-256-ctr", key, nonce, aad, 1024, 2500)
        tags.append(blake3(ciphertext, key=tag_key).digest())
        cipher.decrypt(key, nonce, ciphertext + tags[-1], aad)
    assert len(set(tags)) == len(settings)
    for key, nonce, aad in settings:
        accepted = 0
        for tag in tags:
            try:
                cipher.decrypt(key, nonce, ciphertext + tag, aad)
                accepted += 1
            except AuthenticationError:
                continue
        assert accepted == 1
