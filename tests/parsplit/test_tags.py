"""One tag for all blocks: equality with independent implementations, and errors of the interface."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings, strategies as st

from aeadlab import _native
from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError
from aeadlab.parsplit.parsplit import ParSplit
from tests.fixtures.one_tag import blocks_of, sealed_with_blake3, sealed_with_tags

KEY, AAD = bytes(range(32)), b"associated"
FORMS = {
    "digest": ("openssl/aes-256-gcm", 48),
    "merkle": ("openssl/chacha20-poly1305", 48),
    "blake3": ("openssl/aes-256-ctr", 2048),
}
NONCES = {"digest": b"7 bytes", "merkle": b"7 bytes", "blake3": bytes(range(100, 132))}


def text(length: int) -> bytes:
    """Return a message whose blocks of 16 bytes differ."""
    return b"".join(i.to_bytes(16, "big") for i in range(length // 16 + 1))[:length]


def expected(form: str, implementation: str, data: bytes, aad: bytes, block: int) -> bytes:
    algorithm = implementation.split("/")[1]
    if form == "blake3":
        return b"".join(sealed_with_blake3(algorithm, KEY, NONCES[form], data, aad, block))
    return b"".join(sealed_with_tags(form, algorithm, KEY, NONCES[form], data, aad, block))


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_equals_an_independent_implementation(form: str, data: st.DataObject) -> None:
    implementations = {
        "digest": ("openssl/aes-256-gcm", "aeadlab/aes-256-gcm", "openssl/chacha20-poly1305"),
        "merkle": ("openssl/aes-256-gcm", "rustcrypto/chacha20-poly1305"),
        "blake3": ("openssl/aes-256-ctr", "openssl/chacha20"),
    }
    implementation = data.draw(st.sampled_from(implementations[form]))
    block = data.draw(st.sampled_from([1024, 2048, 4096]) if form == "blake3" else st.integers(1, 300))
    length = data.draw(st.integers(0, 40 * block))
    aad = data.draw(st.binary(max_size=40))
    cipher = ParSplit(implementation, block, data.draw(st.integers(1, 4)), tags=form, serial_below=0)
    message = text(length)
    sealed = cipher.encrypt(KEY, NONCES[form], message, aad)
    assert sealed == expected(form, implementation, message, aad, block)
    assert len(sealed) == cipher.sealed_bytes(length) == length + 32
    assert cipher.decrypt(KEY, NONCES[form], sealed, aad) == message


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("blocks", [1, 2, 63, 64, 65, 128, 129, 200])
def test_every_schedule_thread_count_and_placement_gives_the_same_bytes(form: str, blocks: int) -> None:
    implementation, block = FORMS[form]
    message = text(blocks * block - 5)
    sealed = expected(form, implementation, message, AAD, block)
    for schedule in _native.schedules():
        for threads in (1, 2, 3, 8):
            cipher = ParSplit(implementation, block, threads, schedule, tags=form, serial_below=0)
            assert cipher.encrypt(KEY, NONCES[form], message, AAD) == sealed, (schedule, threads)
            assert cipher.decrypt(KEY, NONCES[form], sealed, AAD) == message, (schedule, threads)
            memory = bytearray(message + bytes(32))
            cipher.encrypt(KEY, NONCES[form], memoryview(memory)[:-32], AAD, memory)
            assert memory == sealed, (schedule, threads)
            assert cipher.decrypt(KEY, NONCES[form], memory, AAD, memory) == message, (schedule, threads)


@pytest.mark.parametrize("form", FORMS)
def test_many_threads_and_a_message_of_megabytes(form: str) -> None:
    implementation, block = FORMS[form][0], 1024
    message = text((3 << 20) + 77)
    one = ParSplit(implementation, block, 1, tags=form).encrypt(KEY, NONCES[form], message)
    many = ParSplit(implementation, block, 64, tags=form, serial_below=0)
    assert many.encrypt(KEY, NONCES[form], message) == one
    assert many.decrypt(KEY, NONCES[form], one) == message


@pytest.mark.parametrize("form", FORMS)
def test_a_keyed_object_gives_the_same_bytes(form: str) -> None:
    implementation, block = FORMS[form]
    cipher = ParSplit(implementation, block, 2, tags=form)
    with cipher.with_key(KEY) as keyed:
        for length in (0, 100, 10_000):
            message = text(length)
            sealed = cipher.encrypt(KEY, NONCES[form], message, AAD)
            assert keyed.encrypt(NONCES[form], message, AAD) == sealed
            assert keyed.decrypt(NONCES[form], sealed, AAD) == message
            out = bytearray(length + 40)
            assert keyed.encrypt_into(NONCES[form], message, AAD, out) == length + 32
            assert out[: length + 32] == sealed
            assert keyed.decrypt_into(NONCES[form], sealed, AAD, out) == length
            with pytest.raises(AuthenticationError):
                keyed.decrypt(NONCES[form], sealed[:-1] + bytes([sealed[-1] ^ 1]), AAD)
        with pytest.raises(ArgumentError, match="no tags of their own: use prove"):
            keyed.decrypt_range(NONCES[form], sealed, 0, 1)
    with pytest.raises(ArgumentError, match="closed"):
        keyed.encrypt(NONCES[form], b"")


def test_every_cipher_with_a_nonce_of_12_bytes_opens_what_it_seals_and_no_two_blocks_share_key_stream() -> None:
    from aeadlab.catalogue.native import linked

    tried = 0
    for implementation in linked():
        d = implementation.description
        if d.kind != "cipher" or "baseline" in d.flags or d.nonce_bytes < 12:
            continue
        # Beyond 4,096 bytes the counter of counter mode leaves its last byte.
        cipher, zeros = ParSplit(implementation.name, 8192, 1, tags="blake3"), bytes(8 * 8192)
        sealed = cipher.encrypt(KEY, NONCES["blake3"], zeros)
        assert cipher.decrypt(KEY, NONCES["blake3"], sealed) == zeros
        pieces = blocks_of(sealed[:-32], 16)
        assert len(set(pieces)) == len(pieces), implementation.name
        tried += 1
    assert tried >= 10


def test_the_blocks_of_digest_and_merkle_are_those_of_concatenated_tags() -> None:
    message = text(1000)
    plain = ParSplit("openssl/aes-256-gcm", 48).encrypt(KEY, b"7 bytes", message, AAD)
    tags = set()
    for form in ("digest", "merkle"):
        sealed = ParSplit("openssl/aes-256-gcm", 48, tags=form).encrypt(KEY, b"7 bytes", message, AAD)
        assert sealed[:1000] == plain[:1000]
        tags.add(sealed[1000:])
    assert len(tags) == 2


def test_libraries_that_have_the_same_algorithm_make_the_same_bytes() -> None:
    for form, libraries, algorithm in (
        ("digest", ("openssl", "aws-lc", "rustcrypto", "ring"), "aes-256-gcm"),
        ("blake3", ("openssl", "aws-lc", "rustcrypto"), "aes-256-ctr"),
    ):
        ciphers = [ParSplit(f"{library}/{algorithm}", 1024, tags=form) for library in libraries]
        assert len({cipher.encrypt(KEY, NONCES[form], text(5000), AAD) for cipher in ciphers}) == 1


def test_nonces_associated_data_and_forms_separate_the_tags() -> None:
    cipher = ParSplit("openssl/aes-256-ctr", 1024, tags="blake3")
    sealed = {
        cipher.encrypt(key, nonce, data, aad)
        for key in (KEY, bytes(32))
        for nonce in (bytes(32), bytes(31) + b"\1")
        for data in (bytes(5000), bytes(5001))
        for aad in (b"", b"a", b"ab")
    }
    assert len({one[:1024] for one in sealed}) == len({one[-32:] for one in sealed}) == 24


@pytest.mark.parametrize(
    "name", ["libaegis/aegis-128l", "rustcrypto/aes-256-gcm-siv", "rustcrypto/aes-256-ocb", "rustcrypto/ascon-aead128"]
)
@pytest.mark.parametrize("form", ["digest", "merkle"])
def test_an_aead_whose_tags_cannot_be_computed_again_is_rejected_by_name(name: str, form: str) -> None:
    from aeadlab.catalogue.native import linked

    if name not in {i.name for i in linked()}:
        name = next(i.name for i in linked() if i.description.algorithm == name.split("/")[1])
    with pytest.raises(ArgumentError, match=f'^{name} cannot compute the tags .*tags="{form}".*tags="concatenated"'):
        ParSplit(name, 1024, tags=form)


@pytest.mark.parametrize(
    ("implementation", "settings", "message"),
    [
        ("openssl/aes-256-gcm", {"tags": "merkel"}, "tags 'merkel' given: did you mean merkle"),
        ("openssl/aes-256-gcm", {"tags": "xyz"}, "there are concatenated, digest, merkle, blake3"),
        ("openssl/aes-256-ctr", {}, 'openssl/aes-256-ctr is not an AEAD: .* pass tags="blake3"'),
        ("openssl/aes-256-ctr", {"tags": "digest"}, 'aes-256-ctr is not an AEAD.*use tags="blake3"'),
        ("openssl/aes-256-gcm", {"tags": "blake3"}, "openssl/aes-256-gcm is not a cipher"),
        ("openssl/sha-256", {"tags": "blake3"}, "openssl/sha-256 is not a cipher"),
        ("baseline/xor", {"tags": "blake3", "baseline": True}, "baseline/xor is not a cipher"),
        ("openssl/aes-256-ecb", {"tags": "blake3"}, "nonces of 0 bytes.*needs 12 to 64"),
        (
            "openssl/aes-256-ctr",
            {"tags": "blake3", "block_size": 512},
            "block size 512 given, a power of two",
        ),
        ("openssl/aes-256-ctr", {"tags": "blake3", "block_size": 3072}, "block size 3072 given, a power of two"),
        ("auto", {"tags": "blake3"}, "name a cipher of the catalogue"),
    ],
)
def test_errors_name_what_is_wrong(implementation: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        ParSplit(implementation, **settings)  # type: ignore[arg-type]


def test_tags_of_another_type_and_calls_that_need_the_other_form() -> None:
    with pytest.raises(ArgumentTypeError, match="tags 3 given"):
        ParSplit("openssl/aes-256-gcm", tags=3)  # type: ignore[arg-type]
    one, many = ParSplit("openssl/aes-256-gcm", tags="digest"), ParSplit("openssl/aes-256-gcm")
    sealed = one.encrypt(KEY, b"7 bytes", b"message")
    for call in (
        lambda: one.decrypt_range(KEY, b"7 bytes", sealed, 0, 1),
        lambda: one.encrypt_iter(KEY, [b"message"]),
        lambda: one.traced(KEY, b"7 bytes", b"message"),
    ):
        with pytest.raises(ArgumentError, match=r'one tag for the message: make one with tags="concatenated"'):
            call()
    with pytest.raises(ArgumentError, match=r'"digest" has no proofs.*"merkle"'):
        one.prove(KEY, b"7 bytes", sealed, 0, 1)
    with pytest.raises(ArgumentError, match="use decrypt_range"):
        many.prove(KEY, b"7 bytes", sealed, 0, 1)


def test_lengths_of_key_nonce_and_sealed_message() -> None:
    cipher = ParSplit("openssl/aes-128-ctr", 1024, tags="blake3")
    assert (cipher.key_bytes, cipher.nonce_bytes, cipher.tags) == (32, 32, "blake3")
    with pytest.raises(ArgumentError, match="key of 16 bytes given, 32 expected"):
        cipher.encrypt(bytes(16), bytes(32), b"")
    with pytest.raises(ArgumentError, match="nonce of 12 bytes given, 32 expected: the nonces of"):
        cipher.encrypt(bytes(32), bytes(12), b"")
    with pytest.raises(ArgumentError, match="sealed message of 31 bytes given, at least 32"):
        cipher.decrypt(bytes(32), bytes(32), bytes(31))
    block = ParSplit("openssl/aes-128-cbc", 1024, tags="blake3")
    with pytest.raises(ArgumentError, match="multiple of 16 expected: the algorithm does not pad"):
        block.encrypt(bytes(32), bytes(32), b"17 bytes of text.")


def test_another_process_makes_the_same_engine() -> None:
    cipher = ParSplit("openssl/aes-256-ctr", 2048, 2, tags="blake3")
    copy = pickle.loads(pickle.dumps(cipher))
    assert copy.tags == "blake3"
    assert copy.encrypt(KEY, bytes(32), text(9000)) == cipher.encrypt(KEY, bytes(32), text(9000))
