"""Proofs that blocks belong to the one tag of their message."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings, strategies as st

from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError, BufferArgumentError
from aeadlab.parsplit.parsplit import ParSplit
from tests.fixtures.one_tag import CHUNK, TAGS_PER_CHUNK, blocks_of, derived, proof_values
from tests.parsplit.test_tags import AAD, KEY, NONCES, text

SETTINGS = {"merkle": ("openssl/aes-256-gcm", 16), "blake3": ("openssl/chacha20", 1024)}
CIPHERS = {form: ParSplit(name, block, 2, tags=form, serial_below=0) for form, (name, block) in SETTINGS.items()}


def expected_proof(form: str, sealed: bytes, first: int, count: int, aad: bytes) -> bytes:
    """Return the proof that the independent tree of the fixtures gives."""
    name, block = SETTINGS[form]
    length = len(sealed) - 32
    key = derived(form, name.split("/")[1], KEY, NONCES[form], aad, block, length)
    if form == "blake3":
        return b"".join(proof_values(key, sealed[:length], block, first, first + count))
    # The concatenated form has the tags.
    message = CIPHERS[form].decrypt(KEY, NONCES[form], sealed, aad)
    tags = bytes(ParSplit(name, block).encrypt(KEY, NONCES[form], message, aad))[length:]
    begin, end = first // TAGS_PER_CHUNK, -(-(first + count) // TAGS_PER_CHUNK)
    return tags[begin * CHUNK : end * CHUNK] + b"".join(proof_values(key, tags, CHUNK, begin, end))


def range_of(form: str, length: int, data: st.DataObject) -> tuple[int, int]:
    blocks = max(1, -(-length // SETTINGS[form][1]))
    first = data.draw(st.integers(0, blocks - 1))
    return first, data.draw(st.integers(1, blocks - first))


@pytest.mark.parametrize("form", SETTINGS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_proof_opens_its_range_and_equals_that_of_an_independent_tree(form: str, data: st.DataObject) -> None:
    cipher, block = CIPHERS[form], SETTINGS[form][1]
    length = data.draw(st.integers(0, 300 * block if form == "merkle" else 12 * block))
    first, count = range_of(form, length, data)
    message, aad = text(length), data.draw(st.sampled_from([b"", AAD]))
    sealed = bytes(cipher.encrypt(KEY, NONCES[form], message, aad))
    proof = cipher.prove(KEY, NONCES[form], sealed, first, count, aad)
    assert proof == expected_proof(form, sealed, first, count, aad)
    part = slice(first * block, min(length, (first + count) * block))
    opened = cipher.decrypt_proven(KEY, NONCES[form], sealed[part], first, length, sealed[-32:], proof, aad)
    assert opened == message[part]
    in_place = bytearray(sealed[part])
    cipher.decrypt_proven(KEY, NONCES[form], in_place, first, length, sealed[-32:], proof, aad, in_place)
    assert in_place == message[part]
    with cipher.with_key(KEY) as keyed:
        assert keyed.prove(NONCES[form], sealed, first, count, aad) == proof
        args = (NONCES[form], sealed[part], first, length, sealed[-32:], proof, aad)
        assert keyed.decrypt_proven(*args) == message[part]


def sealed_with_proofs(form: str) -> tuple[int, bytes, list[bytes], dict[tuple[int, int], bytes]]:
    """Return the length of a message, its sealed bytes, its blocks, and the proofs of all ranges of blocks."""
    cipher, block = CIPHERS[form], SETTINGS[form][1]
    blocks = 5 if form == "blake3" else 3
    length = blocks * block - 3
    sealed = bytes(cipher.encrypt(KEY, NONCES[form], text(length), AAD))
    ranges = [(first, count) for first in range(blocks) for count in range(1, blocks - first + 1)]
    proofs = {r: cipher.prove(KEY, NONCES[form], sealed, *r, AAD) for r in ranges}
    return length, sealed, blocks_of(sealed[:-32], block), proofs


def assert_rejected(form: str, data: bytes, first: int, length: int, tag: bytes, proof: bytes, change: object) -> None:
    out = bytearray(b"\xaa" * (len(data) + 1))
    with pytest.raises((AuthenticationError, ArgumentError)) as caught:
        CIPHERS[form].decrypt_proven(KEY, NONCES[form], data, first, length, tag, proof, AAD, out=out)
        pytest.fail(f"{change}: {out!r}")
    if caught.type is AuthenticationError:
        assert out == bytes(len(data)) + b"\xaa", change
    else:
        assert out == b"\xaa" * (len(data) + 1), change


@pytest.mark.parametrize("form", SETTINGS)
def test_a_proof_of_another_range_position_or_length_is_rejected(form: str) -> None:
    length, sealed, blocks, proofs = sealed_with_proofs(form)
    tag = sealed[-32:]
    for (first, count), proof in proofs.items():
        data = b"".join(blocks[first : first + count])
        for other, foreign in proofs.items():
            if foreign != proof:
                assert_rejected(form, data, first, length, tag, foreign, f"proof of {other} for {first, count}")
            moved = b"".join(blocks[other[0] : other[0] + other[1]])
            # With merkle all ranges within a chunk of tags have the same proof.
            if first != other[0] or foreign != proof:
                assert_rejected(form, moved, first, length, tag, proof, f"blocks {other} at {first, count}")
        for other_length in (length - 1, length + 1, length + SETTINGS[form][1]):
            assert_rejected(form, data, first, other_length, tag, proof, f"length {other_length}")


@pytest.mark.parametrize("form", SETTINGS)
def test_every_flipped_bit_of_blocks_proof_and_tag_is_rejected(form: str) -> None:
    length, sealed, blocks, proofs = sealed_with_proofs(form)
    tag, step = sealed[-32:], 1 if form == "merkle" else 7
    data, proof = blocks[1], proofs[1, 1]
    for i in range(0, 8 * len(data), step):
        changed = bytearray(data)
        changed[i // 8] ^= 1 << i % 8
        assert_rejected(form, bytes(changed), 1, length, tag, proof, f"bit {i} of the block")
    for i in range(8 * len(proof)):
        changed = bytearray(proof)
        changed[i // 8] ^= 1 << i % 8
        assert_rejected(form, data, 1, length, tag, bytes(changed), f"bit {i} of the proof")
    for i in range(8 * 32):
        changed = bytearray(tag)
        changed[i // 8] ^= 1 << i % 8
        assert_rejected(form, data, 1, length, bytes(changed), proof, f"bit {i} of the tag")
    for cut in range(len(proof)):
        assert_rejected(form, data, 1, length, tag, proof[:cut], f"proof of {cut} bytes")
    assert_rejected(form, data, 1, length, tag, proof + bytes(32), "longer proof")
    with pytest.raises(AuthenticationError):
        CIPHERS[form].decrypt_proven(KEY, NONCES[form], data, 1, length, tag, proof, b"other")


@pytest.mark.parametrize("form", SETTINGS)
def test_no_proof_of_a_changed_message_is_made(form: str) -> None:
    _, sealed, _, _ = sealed_with_proofs(form)
    for i in (0, len(sealed) // 2, len(sealed) - 1):
        changed = bytearray(sealed)
        changed[i] ^= 1
        with pytest.raises(AuthenticationError):
            CIPHERS[form].prove(KEY, NONCES[form], changed, 0, 1, AAD)


@settings(deadline=None, max_examples=100)
@given(data=st.data(), form=st.sampled_from(sorted(SETTINGS)))
def test_random_changes_of_a_proof_are_rejected(data: st.DataObject, form: str) -> None:
    length, sealed, blocks, proofs = sealed_with_proofs(form)
    (first, count), proof = data.draw(st.sampled_from(sorted(proofs.items())))
    changed = bytearray(proof)
    start = data.draw(st.integers(0, len(proof)))
    changed[start : start + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    assume(bytes(changed) != proof)
    part = b"".join(blocks[first : first + count])
    assert_rejected(form, part, first, length, sealed[-32:], bytes(changed), start)


def test_errors_name_what_is_wrong() -> None:
    form = "blake3"
    length, sealed, blocks, proofs = sealed_with_proofs(form)
    cipher, nonce, tag, proof = CIPHERS[form], NONCES[form], sealed[-32:], proofs[1, 1]
    with pytest.raises(ArgumentError, match="2 blocks from block 4 requested, the message has 5"):
        cipher.prove(KEY, nonce, sealed, 4, 2, AAD)
    with pytest.raises(ArgumentError, match="count 0 given, at least 1"):
        cipher.prove(KEY, nonce, sealed, 0, 0, AAD)
    with pytest.raises(ArgumentTypeError, match="first block 'a' given"):
        cipher.prove(KEY, nonce, sealed, "a", 1, AAD)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="data of 1000 bytes given, the blocks from 1 on have 1024"):
        cipher.decrypt_proven(KEY, nonce, blocks[1][:1000], 1, length, tag, proof, AAD)
    with pytest.raises(ArgumentError, match="tag of 16 bytes given, 32 expected"):
        cipher.decrypt_proven(KEY, nonce, blocks[1], 1, length, tag[:16], proof, AAD)
    with pytest.raises(ArgumentError, match=f"proof of 5 bytes given, {len(proof)} expected"):
        cipher.decrypt_proven(KEY, nonce, blocks[1], 1, length, tag, proof[:5], AAD)
    with pytest.raises(BufferArgumentError, match="out of 1023 bytes given"):
        cipher.decrypt_proven(KEY, nonce, blocks[1], 1, length, tag, proof, AAD, out=bytearray(1023))


def test_a_proof_has_a_logarithmic_length() -> None:
    for blocks in (1, 2, 64, 1000):
        cipher = ParSplit("openssl/chacha20", 1024, tags="blake3")
        sealed = cipher.encrypt(KEY, NONCES["blake3"], bytes(1024 * blocks))
        proof = cipher.prove(KEY, NONCES["blake3"], sealed, blocks // 2, 1)
        assert len(proof) <= 32 * (blocks - 1).bit_length()
