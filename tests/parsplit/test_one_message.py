"""One message on several threads has the bytes of `cryptography`, for all lengths, schedules, threads and nonces."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from Crypto.Cipher import AES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings, strategies as st

import aeadlab
from aeadlab import ParSplit
from aeadlab._native import MAX_THREADS, SERIAL_BELOW
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError
from aeadlab.parsplit import schedules
from aeadlab.parsplit.implementations import shared_catalogue
from tests.fixtures.one_message import AAD, CHACHA, GCM_256, NONCE, PAIRS, Pair, assert_agrees, nonce_for, text

ROOT = Path(__file__).resolve().parents[2]
# A process has one threading layer of Numba, so its schedules are tested in child processes.
HERE = [name for name in ParSplit.schedules if not name.startswith("numba-")]
NUMBA = [name for name in ParSplit.schedules if name.startswith("numba-")]
SEGMENTS = (16, 64, 528, 4096, None)
STRIDES = (0, 16, 32, 64, 128, 256, 384, 512, 528, 768, 1024, 1536, 4096, 8192)
"""Multiples of a block, of the strides of all kernels (vectors of 16, 32 and 64 bytes), and of the segments."""
AROUND = (-17, -16, -15, -1, 0, 1, 15, 16, 17)
LENGTHS = sorted({max(0, stride + more) for stride in STRIDES for more in AROUND})
SEGMENT = 256 << 10
"""Bytes of a segment of a long message."""
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)


def assert_schedule_agrees(schedule: str, lengths: list[int] = LENGTHS[::7], most: int = MAX_THREADS) -> None:
    """Compare short messages in short segments; child processes call this as well."""
    for pair in (GCM_256, CHACHA):
        pyca = pair.pyca(pair.key)
        for threads in (1, 2, 3, 8, most):
            for segment in SEGMENTS[:3]:
                own = pair.own(pair.key, threads, schedule=schedule, segment_bytes=segment)
                # Hundreds of threads take most of the time to start.
                for length in lengths if threads < most else lengths[::-3]:
                    assert_agrees(own, pyca, NONCE, text(length), AAD)


@pairs
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_same_bytes_around_every_edge(pair: Pair, threads: int) -> None:
    pyca = pair.pyca(pair.key)
    for segment in SEGMENTS:
        own = pair.own(pair.key, threads, segment_bytes=segment)
        for length in LENGTHS:
            assert_agrees(own, pyca, NONCE, text(length), AAD)


@pairs
@pytest.mark.parametrize("threads", [1, 2, 8, MAX_THREADS])
def test_same_bytes_around_the_edges_of_chosen_segments(pair: Pair, threads: int) -> None:
    own, pyca = pair.own(pair.key, threads), pair.pyca(pair.key)
    # From SERIAL_BELOW on all threads process a message, in segments of multiples of 4 KiB.
    edges = (SERIAL_BELOW, SEGMENT * 3, SEGMENT * 16)
    for length in sorted({edge + more for edge in edges for more in (-1, 0, 1, 17)}):
        assert_agrees(own, pyca, NONCE, text(length), AAD)


@pytest.mark.parametrize("schedule", HERE)
def test_every_schedule_makes_the_same_bytes(schedule: str) -> None:
    if reason := schedules.absent().get(schedule):
        with pytest.raises(ArgumentError, match="is not available") as raised:
            aeadlab.AESGCM(bytes(16), schedule=schedule)
        assert reason in str(raised.value)
    else:
        assert_schedule_agrees(schedule)


@pytest.mark.parametrize("schedule", NUMBA)
def test_every_threading_layer_of_numba_makes_the_same_bytes(schedule: str) -> None:
    if schedule in schedules.absent():
        return
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n"
    code += f"from test_one_message import *\nassert_schedule_agrees({schedule!r}, most=64)\nprint('agrees')"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "agrees\n", done.stderr


@pytest.mark.parametrize("nonce_bytes", [1, 7, 8, 12, 13, 15, 16, 17, 32, 60, 128, 129, 1000])
def test_nonces_of_any_length(nonce_bytes: int) -> None:
    nonce, data = text(nonce_bytes, seed=nonce_bytes), text(1000)
    cipher = AES.new(GCM_256.key, AES.MODE_GCM, nonce=nonce, mac_len=16).update(AAD)
    sealed = b"".join(cipher.encrypt_and_digest(data))
    for implementation in (None, "openssl/aes-256-gcm"):
        for threads, segment in ((1, None), (3, 64)):
            own = aeadlab.AESGCM(GCM_256.key, threads, implementation=implementation, segment_bytes=segment)
            assert own.encrypt(nonce, data, AAD) == sealed
            assert own.decrypt(nonce, sealed, AAD) == data


@pytest.mark.parametrize("pair", PAIRS[:3], ids=lambda pair: pair.name)
@pytest.mark.parametrize("before", [0, 1, 2, 5, 31, 32, 33, 100])
def test_counters_that_wrap(pair: Pair, before: int) -> None:
    """The last four bytes of the counter block count modulo 2^32, and carry into no other byte."""
    first = int.from_bytes(bytes(range(0xF0, 0xFC)), "big") << 32 | (1 << 32) - 1 - before
    nonce = nonce_for(pair.key, first)
    pyca = pair.pyca(pair.key)
    ecb = Cipher(algorithms.AES(pair.key), modes.ECB()).encryptor()
    second = (first & ~0xFFFFFFFF) | (first + 1) % (1 << 32)
    assert pyca.encrypt(nonce, bytes(16), None)[:16] == ecb.update(second.to_bytes(16, "big")), "not that nonce"
    for implementation in (None, f"openssl/{pair.name}"):
        for segment in SEGMENTS:
            own = pair.own(pair.key, 2, implementation=implementation, segment_bytes=segment)
            for length in (0, 1, 16, 47, 512, 528, 1000, 5000):
                assert_agrees(own, pyca, nonce, text(length), AAD)


def test_every_library_with_nonces_of_any_length_is_a_black_box() -> None:
    found = [
        implementation.name
        for implementation in shared_catalogue().select("aead")
        if implementation.description.base_algorithm in {pair.name for pair in PAIRS[:3]}
        and {"any-nonce-length", "thread-safe"} <= implementation.description.flags
        and isinstance(implementation, NativeImplementation)
    ]
    assert {f"openssl/{pair.name}" for pair in PAIRS[:3]} <= set(found)
    for pair in PAIRS[:3]:
        pyca = pair.pyca(pair.key)
        wrapping = nonce_for(pair.key, (1 << 128) - 3)
        for name in (name for name in found if name.partition("/")[2].startswith(pair.name)):
            for threads, segment in ((1, 16), (3, 64), (2, 528), (2, None)):
                own = pair.own(pair.key, threads, implementation=name, segment_bytes=segment)
                assert own.kernel == "library"
                for length in LENGTHS[::9]:
                    for nonce in (NONCE, text(8), text(16), text(60), wrapping):
                        assert own.encrypt(nonce, text(length), AAD) == pyca.encrypt(nonce, text(length), AAD), name
                    assert_agrees(own, pyca, NONCE, text(length), b"")


@pairs
@pytest.mark.parametrize("aad_bytes", [0, 1, 13, 64 << 10, 3 << 20])
def test_associated_data_of_any_length(pair: Pair, aad_bytes: int) -> None:
    pyca, aad = pair.pyca(pair.key), text(aad_bytes, seed=1)
    # Short segments only for what is short, because each of them is a call into the library.
    segments = (None, 4096) if aad_bytes > 1000 else (None, 64, 16)
    for implementation in (None,) if pair is CHACHA else (None, f"openssl/{pair.name}"):
        for threads, segment in ((threads, segment) for threads in (1, 3) for segment in segments):
            options: dict[str, Any] = {} if implementation is None else {"implementation": implementation}
            own = pair.own(pair.key, threads, segment_bytes=segment, **options)
            for length in (0, 5, 1000, 20_000):
                assert_agrees(own, pyca, NONCE, text(length), aad)
    assert pair.own(pair.key).encrypt(NONCE, b"", aad) == pyca.encrypt(NONCE, b"", aad)
    assert pair.own(pair.key).encrypt(NONCE, b"x", None) == pyca.encrypt(NONCE, b"x", b"")


@pairs
def test_messages_beyond_the_cache_have_the_same_bytes(pair: Pair) -> None:
    """They are written past the cache, except at addresses that are no multiples of a vector, and in place."""
    cache = [32 << 20]
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        size = path.read_text().strip()
        cache.append(int(size[:-1]) << {"K": 10, "M": 20}.get(size[-1], 0))
    data = text(min(max(cache), 512 << 20) + 4096 + 21)
    sealed = pair.pyca(pair.key).encrypt(NONCE, data, AAD)
    own = pair.own(pair.key, 2)
    assert own.encrypt(NONCE, data, AAD) == sealed
    for offset in (0, 1, 8, 16, 32):
        memory = memoryview(bytearray(len(sealed) + 64))[offset : offset + len(sealed)]
        own.encrypt_into(NONCE, data, AAD, memory)
        assert memory == sealed
        own.decrypt_into(NONCE, memory, AAD, memory[:-16])
        assert memory[:-16] == data
    assert own.decrypt(NONCE, sealed, AAD) == data


@settings(deadline=None, max_examples=200)
@given(
    pair=st.sampled_from(PAIRS),
    length=st.integers(0, 5000),
    aad=st.binary(max_size=200),
    segment=st.integers(1, 40).map(lambda blocks: 16 * blocks),
    threads=st.integers(1, MAX_THREADS),
    schedule=st.sampled_from([name for name in HERE if name not in schedules.absent()]),
)
def test_same_bytes_for_any_settings(
    pair: Pair, length: int, aad: bytes, segment: int, threads: int, schedule: str
) -> None:
    own = pair.own(pair.key, threads, schedule=schedule, segment_bytes=segment)
    assert_agrees(own, pair.pyca(pair.key), NONCE, text(length), aad)


@pairs
def test_keys_can_be_shared_by_threads(pair: Pair) -> None:
    own, pyca = pair.own(pair.key, 2, segment_bytes=64), pair.pyca(pair.key)
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda n: assert_agrees(own, pyca, NONCE, text(100 * n), AAD), range(60)):
            pass


@pairs
def test_threads_default_to_the_cores_of_the_process(pair: Pair) -> None:
    assert pair.own(pair.key).threads == min(len(os.sched_getaffinity(0)), MAX_THREADS)
    assert pair.own(pair.key, 7).threads == 7
