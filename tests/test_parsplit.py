"""What ParSplit computes, opens and refuses; its buffers and its threads have files of their own."""

from __future__ import annotations

import os
from itertools import product

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from aeadlab import schedules
from aeadlab.catalogue import native, plugins
from aeadlab.errors import ArgumentError, AuthenticationError, Error, UnknownNameError
from aeadlab.parsplit import ParSplit

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
# RFC 9058 section 4.1: message and associated data together are not empty.
NEVER_EMPTY = {i.name for i in SPLITTABLE if i.description.algorithm == "kuznyechik-mgm"}


def text(length: int) -> bytes:
    """A message in which no two blocks are alike."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def stream(key: bytes, prefix: bytes, data: bytes, aad: bytes, block_size: int) -> bytes:
    """STREAM over AES-GCM as the paper of Hoang and others has it, with the tags behind the ciphertext."""
    blocks = [data[i : i + block_size] for i in range(0, len(data), block_size)] or [b""]
    sealed = [
        AESGCM(key).encrypt(
            prefix + index.to_bytes(4, "big") + bytes([index == len(blocks) - 1]), block, aad if index == 0 else b""
        )
        for index, block in enumerate(blocks)
    ]
    return b"".join(s[:-TAG] for s in sealed) + b"".join(s[-TAG:] for s in sealed)


@pytest.mark.parametrize("implementation", NATIVE_GCM)
@pytest.mark.parametrize("schedule", schedules.OWN)
@pytest.mark.parametrize("threads", range(1, 9))
def test_sealing_is_stream_whatever_the_threads_and_the_schedule(
    implementation: str, schedule: str, threads: int
) -> None:
    for block_size, bytes in product((16, 61), (0, 1, 15, 16, 17, 60, 61, 62, 122, 1000)):
        cipher = ParSplit(implementation, block_size, threads, schedule, serial_below=0)
        data = text(bytes)
        sealed = cipher.encrypt(KEY, NONCE, data, AAD)
        assert sealed == stream(KEY, NONCE, data, AAD, block_size)
        assert len(sealed) == cipher.sealed_bytes(bytes)
        assert cipher.decrypt(KEY, NONCE, sealed, AAD) == data


@pytest.mark.parametrize("implementation", NATIVE_AEADS)
@settings(deadline=None, max_examples=60)
@given(
    data=st.binary(max_size=700),
    aad=st.binary(max_size=30),
    block_size=st.integers(1, 800),
    threads=st.integers(1, 8),
    schedule=st.sampled_from(schedules.OWN),
    how=st.sampled_from(["new", "separate", "in place"]),
)
def test_what_was_sealed_opens(
    implementation: str, data: bytes, aad: bytes, block_size: int, threads: int, schedule: str, how: str
) -> None:
    cipher = ParSplit(implementation, block_size, threads, schedule, serial_below=0)
    key, nonce = bytes(range(cipher.key_bytes)), bytes(range(cipher.nonce_bytes))
    if implementation in NEVER_EMPTY and not data + aad:
        with pytest.raises(ArgumentError):
            cipher.encrypt(key, nonce, data, aad)
        return
    if how == "in place" and implementation in IN_PLACE:
        memory = bytearray(data) + bytes(cipher.sealed_bytes(len(data)) - len(data))
        sealed = cipher.encrypt(key, nonce, memoryview(memory)[: len(data)], aad, out=memory)
        assert cipher.decrypt(key, nonce, sealed, aad, out=sealed) == data
        return
    out = bytearray(cipher.sealed_bytes(len(data))) if how == "separate" else None
    sealed = cipher.encrypt(key, nonce, data, aad, out)
    back = bytearray(len(data)) if how == "separate" else None
    assert cipher.decrypt(key, nonce, sealed, aad, back) == data


@pytest.mark.parametrize("implementation", SPLITTABLE, ids=lambda i: i.name)
def test_a_kept_key_seals_each_block_as_a_new_one_does(implementation: native.NativeImplementation) -> None:
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


def test_without_a_thread_count_all_cores_work_and_no_more_than_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ParSplit(GCM).threads == min(256, len(os.sched_getaffinity(0)))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(1000))
    assert ParSplit(GCM).threads == 256


def test_what_was_chosen_can_be_read_and_not_changed() -> None:
    cipher = ParSplit(GCM, block_size=100, threads=3, schedule="rayon")
    assert repr(cipher) == "ParSplit('openssl/aes-256-gcm', 100, 3, 'rayon')"
    assert (cipher.implementation, cipher.block_size, cipher.threads, cipher.schedule) == (GCM, 100, 3, "rayon")
    assert (cipher.key_bytes, cipher.nonce_bytes) == (32, 7)
    for name in ("implementation", "block_size", "threads", "schedule", "key_bytes", "nonce_bytes"):
        with pytest.raises(AttributeError):
            setattr(cipher, name, 1)


def test_every_changed_bit_is_noticed_and_out_wiped() -> None:
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


def test_in_place_the_ciphertext_is_wiped_with_the_message() -> None:
    cipher = ParSplit(GCM, 16, 2, serial_below=0)
    memory = bytearray(cipher.encrypt(KEY, NONCE, text(1000), AAD))
    tags = bytes(memory[1000:])
    with pytest.raises(AuthenticationError):
        cipher.decrypt(KEY, NONCE, memory, b"other", memory)
    assert memory == bytes(1000) + tags


def test_blocks_cannot_be_swapped_dropped_repeated_cut_off_or_added() -> None:
    cipher, data = ParSplit(GCM, 16, 2, serial_below=0), text(64)
    sealed = bytes(cipher.encrypt(KEY, NONCE, data))
    blocks = [(sealed[16 * i : 16 * i + 16], sealed[64 + 16 * i : 80 + 16 * i]) for i in range(4)]
    forged = {
        "swapped": [1, 0, 2, 3],
        "swapped at the end": [0, 1, 3, 2],
        "dropped": [0, 1, 3],
        "repeated": [0, 1, 1, 2, 3],
        "cut off": [0, 1, 2],
        "first alone": [0],
        "last alone": [3],
        "added": [0, 1, 2, 3, 3],
    }
    for what, order in forged.items():
        message = b"".join(blocks[i][0] for i in order) + b"".join(blocks[i][1] for i in order)
        with pytest.raises(AuthenticationError):
            pytest.fail(f"{what}: {cipher.decrypt(KEY, NONCE, message)!r}")
    assert cipher.decrypt(KEY, NONCE, b"".join(b for b, _ in blocks) + b"".join(t for _, t in blocks)) == data


@pytest.mark.parametrize("schedule", schedules.OWN)
def test_another_key_nonce_aad_or_block_size_does_not_open(schedule: str) -> None:
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
    ("arguments", "error", "said"),
    [
        ({"threads": 0}, ArgumentError, "threads 0 given, at least 1 wanted"),
        ({"threads": -1}, ArgumentError, "threads -1 given, at least 1 wanted"),
        ({"threads": 257}, ArgumentError, "257 threads given, 1 to 256 wanted"),
        ({"threads": 2**70}, ArgumentError, f"threads {2**70} given, at most "),
        ({"threads": 1.5}, ArgumentError, "threads 1.5 given, a whole number wanted"),
        ({"block_size": 0}, ArgumentError, "block size 0 given, at least 1 wanted"),
        ({"block_size": -5}, ArgumentError, "block size -5 given, at least 1 wanted"),
        ({"block_size": 2**70}, ArgumentError, f"block size {2**70} given, at most "),
        ({"block_size": 2**36}, ArgumentError, f"block size {2**36} given, the algorithm takes at most 68719476704"),
        ({"block_size": "64k"}, ArgumentError, "block size '64k' given, a whole number wanted"),
        ({"schedule": "dynamik"}, ArgumentError, 'schedule "dynamik" given, one of rayon, .*, dynamic, .* wanted'),
        ({"serial_below": -1}, ArgumentError, "serial_below -1 given, at least 0 wanted"),
        ({"implementation": "baseline/delay"}, ArgumentError, "baseline/delay protects nothing: for a study of it"),
        (
            {"implementation": "openssl/aes-256-gmc"},
            UnknownNameError,
            r"no .* 'openssl/aes-256-gmc'.*openssl/aes-256-gcm",
        ),
        (
            {"implementation": "openssl/aes-256-gmac"},
            ArgumentError,
            "openssl/aes-256-gmac is no AEAD: ParSplit needs one",
        ),
        ({"implementation": "baseline/memcpy"}, ArgumentError, "baseline/memcpy is no AEAD: ParSplit needs one"),
        (
            {"implementation": "pyca/aes-256-gcm"},
            ArgumentError,
            "pyca.* is called from Python: .*, such as .*/aes-256-gcm$",
        ),
        ({"implementation": "pyca/chacha20"}, ArgumentError, "pyca/chacha20 is called from Python: .* the C ABI$"),
    ],
    ids=str,
)
def test_a_wrong_choice_says_what_was_given_and_what_is_wanted(
    arguments: dict[str, object], error: type[Error], said: str
) -> None:
    with pytest.raises(error, match=f"^{said}"):
        ParSplit(**{"implementation": GCM, "threads": 2} | arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ["encrypt", "decrypt"])
@pytest.mark.parametrize(
    ("key", "nonce", "said"),
    [
        (bytes(31), NONCE, "key of 31 bytes given, 32 wanted"),
        (b"", NONCE, "key of 0 bytes given, 32 wanted"),
        (bytes(33), NONCE, "key of 33 bytes given, 32 wanted"),
        (KEY, bytes(12), "nonce of 12 bytes given, 7 wanted: the algorithm's own less 5, which number the blocks"),
        (KEY, bytes(6), "nonce of 6 bytes given, 7 wanted"),
        (KEY, b"", "nonce of 0 bytes given, 7 wanted"),
    ],
)
def test_key_and_nonce_of_a_wrong_length_touch_nothing(call: str, key: bytes, nonce: bytes, said: str) -> None:
    out = bytearray(b"\xaa" * 100)
    with pytest.raises(ArgumentError, match=f"^{said}"):
        getattr(ParSplit(GCM, 16, 2), call)(key, nonce, bytes(50), out=out)
    assert out == b"\xaa" * 100


def test_lengths_that_no_sealed_message_has_are_refused() -> None:
    cipher = ParSplit(GCM, 16, 2)
    possible = {cipher.sealed_bytes(n) for n in range(200)}
    for length in set(range(200)) - possible:
        with pytest.raises(ArgumentError, match=f"^sealed message of {length} bytes given, a message in blocks of 16"):
            cipher.decrypt(KEY, NONCE, bytes(length))
    for length in possible:
        with pytest.raises(AuthenticationError):
            cipher.decrypt(KEY, NONCE, bytes(length))


def test_a_message_of_too_many_blocks_or_no_length_is_refused() -> None:
    cipher = ParSplit(GCM, 1, 2)
    assert cipher.sealed_bytes(2**32) == 17 * 2**32
    with pytest.raises(ArgumentError, match=r"make 4294967297 blocks, at most 2\^32 are possible: use a larger block"):
        cipher.sealed_bytes(2**32 + 1)
    for wrong in (-1, 2**64, "5"):
        with pytest.raises(ArgumentError, match="^message length "):
            cipher.sealed_bytes(wrong)  # type: ignore[arg-type]
