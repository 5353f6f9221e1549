"""Messages that ParSplit seals and opens, and arguments that it rejects."""

from __future__ import annotations

import os
from itertools import product

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings, strategies as st

from aeadlab._native import MAX_THREADS
from aeadlab.catalogue import native, plugins
from aeadlab.errors import ArgumentError, AuthenticationError, Error, UnknownNameError
from aeadlab.parsplit import schedules
from aeadlab.parsplit.parsplit import ParSplit

GCM = "openssl/aes-256-gcm"
KEY, NONCE, AAD = bytes(range(32)), b"7 bytes", b"associated"
TAG = 16
NATIVE = [*native.linked(), *(i for path in plugins.BUILT.glob("*.so") for i in native.plugin(str(path)))]
NATIVE_GCM = [i.name for i in NATIVE if i.description.algorithm == "aes-256-gcm"]
SPLITTABLE = [
    i
    for i in NATIVE
    if i.description.kind == "aead" and "baseline" not in i.description.flags and i.description.nonce_bytes >= 12
]
NATIVE_AEADS = [i.name for i in SPLITTABLE]
IN_PLACE = {i.name for i in SPLITTABLE if "in-place" in i.description.flags}
# RFC 9058, section 4.1: message and associated data must not both be empty.
NEVER_EMPTY = {i.name for i in SPLITTABLE if i.description.algorithm == "kuznyechik-mgm"}


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def stream(key: bytes, prefix: bytes, data: bytes, aad: bytes, block_size: int) -> bytes:
    """Return STREAM over AES-GCM (Hoang and others, CRYPTO 2015), with the tags after the ciphertext."""
    blocks = [data[i : i + block_size] for i in range(0, len(data), block_size)] or [b""]
    sealed = [
        AESGCM(key).encrypt(
            prefix + index.to_bytes(4, "big") + bytes([index == len(blocks) - 1]), block, aad if index == 0 else b""
        )
        for index, block in enumerate(blocks)
    ]
    return b"".join(s[:-TAG] for s in sealed) + b"".join(s[-TAG:] for s in sealed)


@pytest.mark.parametrize("implementation", NATIVE_GCM)
@pytest.mark.parametrize("schedule", schedules.ENGINE)
@pytest.mark.parametrize("threads", range(1, 9))
def test_sealed_message_is_stream_for_all_schedules(implementation: str, schedule: str, threads: int) -> None:
    for block_size, bytes in product((16, 61), (0, 1, 15, 16, 17, 60, 61, 62, 122, 1000)):
        cipher = ParSplit(implementation, block_size, threads, schedule, serial_below=0)
        data = text(bytes)
        sealed = cipher.encrypt(KEY, NONCE, data, AAD)
        assert sealed == stream(KEY, NONCE, data, AAD, block_size)
        assert len(sealed) == cipher.sealed_bytes(bytes)
        assert cipher.decrypt(KEY, NONCE, sealed, AAD) == data


@pytest.mark.parametrize("implementation", NATIVE_AEADS)
@settings(deadline=None, max_examples=25)
@given(
    data=st.binary(max_size=700),
    aad=st.binary(max_size=30),
    block_size=st.integers(1, 800),
    threads=st.integers(1, 8),
    schedule=st.sampled_from(schedules.ENGINE),
    placement=st.sampled_from(["new", "separate", "in place"]),
)
def test_opens_what_it_sealed(
    implementation: str, data: bytes, aad: bytes, block_size: int, threads: int, schedule: str, placement: str
) -> None:
    cipher = ParSplit(implementation, block_size, threads, schedule, serial_below=0)
    key, nonce = bytes(range(cipher.key_bytes)), bytes(range(cipher.nonce_bytes))
    if implementation in NEVER_EMPTY and not data + aad:
        with pytest.raises(ArgumentError):
            cipher.encrypt(key, nonce, data, aad)
        return
    if placement == "in place" and implementation in IN_PLACE:
        memory = bytearray(data) + bytes(cipher.sealed_bytes(len(data)) - len(data))
        sealed = cipher.encrypt(key, nonce, memoryview(memory)[: len(data)], aad, out=memory)
        assert cipher.decrypt(key, nonce, sealed, aad, out=sealed) == data
        return
    out = bytearray(cipher.sealed_bytes(len(data))) if placement == "separate" else None
    sealed = cipher.encrypt(key, nonce, data, aad, out)
    back = bytearray(len(data)) if placement == "separate" else None
    assert cipher.decrypt(key, nonce, sealed, aad, back) == data


@pytest.mark.parametrize("implementation", SPLITTABLE, ids=lambda i: i.name)
def test_blocks_equal_messages_sealed_with_a_new_key(implementation: native.NativeImplementation) -> None:
    cipher = ParSplit(implementation.name, 80, 1)
    key, prefix = bytes(range(cipher.key_bytes)), bytes(range(cipher.nonce_bytes))
    data, tag_bytes = text(350), implementation.description.tag_bytes
    blocks = [data[i : i + 80] for i in range(0, len(data), 80)]
    sealed = []
    for i, block in enumerate(blocks):
        nonce = prefix + i.to_bytes(4, "big") + bytes([i == len(blocks) - 1])
        sealed.append(implementation.seal(key, nonce, block, b"" if i else AAD))
    whole = b"".join(s[:-tag_bytes] for s in sealed) + b"".join(s[-tag_bytes:] for s in sealed)
    assert cipher.encrypt(key, prefix, data, AAD) == whole


def test_default_thread_count_is_the_number_of_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ParSplit(GCM).threads == min(MAX_THREADS, len(os.sched_getaffinity(0)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(1000))
    assert ParSplit(GCM).threads == MAX_THREADS


def test_settings_are_readable_and_read_only() -> None:
    cipher = ParSplit(GCM, block_size=100, threads=3, schedule="rayon")
    assert repr(cipher) == "ParSplit('openssl/aes-256-gcm', 100, 3, 'rayon')"
    assert (cipher.implementation, cipher.block_size, cipher.threads, cipher.schedule) == (GCM, 100, 3, "rayon")
    assert (cipher.key_bytes, cipher.nonce_bytes) == (32, 7)
    for name in ("implementation", "block_size", "threads", "schedule", "key_bytes", "nonce_bytes"):
        with pytest.raises(AttributeError):
            setattr(cipher, name, 1)


def test_rejects_every_flipped_bit_and_wipes_the_output() -> None:
    cipher, data = ParSplit(GCM, 16, 2, serial_below=0), text(40)
    sealed = bytes(cipher.encrypt(KEY, NONCE, data, AAD))
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        out = bytearray(b"\xaa" * 50)
        with pytest.raises(
            AuthenticationError, match="a tag does not match: wrong key, nonce or associated data, or ch"
        ):
            cipher.decrypt(KEY, NONCE, changed, AAD, out)
        assert out == bytes(40) + b"\xaa" * 10


def test_failed_opening_in_place_wipes_the_ciphertext() -> None:
    cipher = ParSplit(GCM, 16, 2, serial_below=0)
    memory = bytearray(cipher.encrypt(KEY, NONCE, text(1000), AAD))
    tags = bytes(memory[1000:])
    with pytest.raises(AuthenticationError):
        cipher.decrypt(KEY, NONCE, memory, b"other", memory)
    assert memory == bytes(1000) + tags


def test_rejects_rearranged_blocks() -> None:
    cipher, data = ParSplit(GCM, 16, 2, serial_below=0), text(64)
    sealed = bytes(cipher.encrypt(KEY, NONCE, data))
    blocks = [(sealed[16 * i : 16 * i + 16], sealed[64 + 16 * i : 80 + 16 * i]) for i in range(4)]
    forged = {
        "swapped": [1, 0, 2, 3],
        "swapped at the end": [0, 1, 3, 2],
        "dropped": [0, 1, 3],
        "repeated": [0, 1, 1, 2, 3],
        "truncated": [0, 1, 2],
        "first alone": [0],
        "last alone": [3],
        "added": [0, 1, 2, 3, 3],
    }
    for change, order in forged.items():
        message = b"".join(blocks[i][0] for i in order) + b"".join(blocks[i][1] for i in order)
        with pytest.raises(AuthenticationError):
            pytest.fail(f"{change}: {cipher.decrypt(KEY, NONCE, message)!r}")
    assert cipher.decrypt(KEY, NONCE, b"".join(b for b, _ in blocks) + b"".join(t for _, t in blocks)) == data


@pytest.mark.parametrize("schedule", schedules.ENGINE)
def test_rejects_another_key_nonce_aad_or_block_size(schedule: str) -> None:
    sealed = ParSplit(GCM, 16, 2, schedule, serial_below=0).encrypt(KEY, NONCE, text(64), AAD)
    assert ParSplit(GCM, 16, 5, schedule, serial_below=0).decrypt(KEY, NONCE, sealed, AAD) == text(64)
    for key, nonce, aad, block_size in [
        (KEY[::-1], NONCE, AAD, 16),
        (KEY, NONCE[::-1], AAD, 16),
        (KEY, NONCE, b"", 16),
        (KEY, NONCE, AAD, 17),
    ]:
        with pytest.raises(AuthenticationError):
            ParSplit(GCM, block_size, 2, schedule, serial_below=0).decrypt(key, nonce, sealed, aad)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"threads": 0}, ArgumentError, "threads 0 given, at least 1 expected"),
        ({"threads": -1}, ArgumentError, "threads -1 given, at least 1 expected"),
        ({"threads": MAX_THREADS + 1}, ArgumentError, f"{MAX_THREADS + 1} threads given, 1 to {MAX_THREADS} "),
        ({"threads": 2**70}, ArgumentError, f"threads {2**70} given, at most "),
        ({"threads": 1.5}, ArgumentError, "threads 1.5 given, an integer expected"),
        ({"block_size": 0}, ArgumentError, "block size 0 given, at least 1 expected"),
        ({"block_size": -5}, ArgumentError, "block size -5 given, at least 1 expected"),
        ({"block_size": 2**70}, ArgumentError, f"block size {2**70} given, at most "),
        ({"block_size": 2**36}, ArgumentError, f"block size {2**36} given, the algorithm takes at most 68719476704"),
        ({"block_size": "64k"}, ArgumentError, "block size '64k' given, an integer expected"),
        ({"schedule": "dynamik"}, ArgumentError, 'schedule "dynamik" given, one of rayon, .*, dynamic, .* expected'),
        ({"serial_below": -1}, ArgumentError, "serial_below -1 given, at least 0 expected"),
        ({"implementation": "baseline/delay"}, ArgumentError, "baseline/delay protects nothing: to study it"),
        (
            {"implementation": "openssl/aes-256-gmc"},
            UnknownNameError,
            r"no .* 'openssl/aes-256-gmc'.*openssl/aes-256-gcm",
        ),
        (
            {"implementation": "openssl/aes-256-gmac"},
            ArgumentError,
            "openssl/aes-256-gmac is no.* AEAD",
        ),
        ({"implementation": "baseline/memcpy"}, ArgumentError, "baseline/memcpy is no.* AEAD"),
        (
            {"implementation": "pyca/aes-256-gcm"},
            ArgumentError,
            "pyca.* is called from Python: .*, such as .*/aes-256-gcm$",
        ),
        ({"implementation": "pyca/chacha20"}, ArgumentError, "pyca/chacha20 is called from Python: .* the C ABI$"),
    ],
    ids=str,
)
def test_rejects_invalid_settings(arguments: dict[str, object], error: type[Error], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        ParSplit(**{"implementation": GCM, "threads": 2} | arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ["encrypt", "decrypt"])
@pytest.mark.parametrize(
    ("key", "nonce", "message"),
    [
        (bytes(31), NONCE, "key of 31 bytes given, 32 "),
        (b"", NONCE, "key of 0 bytes given, 32 "),
        (bytes(33), NONCE, "key of 33 bytes given, 32 "),
        (KEY, bytes(12), "nonce of 12 bytes given, 7 "),
        (KEY, bytes(6), "nonce of 6 bytes given, 7 "),
        (KEY, b"", "nonce of 0 bytes given, 7 "),
    ],
)
def test_rejects_keys_and_nonces_of_a_wrong_length(call: str, key: bytes, nonce: bytes, message: str) -> None:
    out = bytearray(b"\xaa" * 100)
    with pytest.raises(ArgumentError, match=f"^{message}"):
        getattr(ParSplit(GCM, 16, 2), call)(key, nonce, bytes(50), out=out)
    assert out == b"\xaa" * 100


def test_rejects_impossible_lengths_of_a_sealed_message() -> None:
    cipher = ParSplit(GCM, 16, 2)
    possible = {cipher.sealed_bytes(n) for n in range(200)}
    for length in set(range(200)) - possible:
        with pytest.raises(ArgumentError, match=f"^sealed message of {length} bytes given, a message in blocks of 16"):
            cipher.decrypt(KEY, NONCE, bytes(length))
    for length in possible:
        with pytest.raises(AuthenticationError):
            cipher.decrypt(KEY, NONCE, bytes(length))


def test_rejects_messages_of_too_many_blocks() -> None:
    cipher = ParSplit(GCM, 1, 2)
    assert cipher.sealed_bytes(2**32) == 17 * 2**32
    with pytest.raises(ArgumentError, match=r"4294967297 blocks"):
        cipher.sealed_bytes(2**32 + 1)
    for wrong in (-1, 2**64, "5"):
        with pytest.raises(ArgumentError, match="^message length "):
            cipher.sealed_bytes(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 256, b"openssl/aes-256-gcm"])
def test_an_implementation_that_is_no_text_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError, match="given, a name such as openssl/aes-256-gcm or auto expected") as caught:
        ParSplit(value)  # type: ignore[arg-type]
    assert repr(value) in str(caught.value) and isinstance(caught.value, Error)
