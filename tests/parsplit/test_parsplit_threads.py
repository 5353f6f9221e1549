"""ParSplit with other threads and processes, and over plugins with restrictions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aeadlab.catalogue import gil
from aeadlab.errors import ArgumentError, Error
from aeadlab.parsplit.parsplit import ParSplit

GCM = "openssl/aes-256-gcm"
KEY, NONCE, AAD = bytes(range(32)), b"7 bytes", b"associated"
TAG = 16

Toy = Callable[..., Callable[..., ParSplit]]


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def test_other_python_threads_run_during_a_call() -> None:
    cipher = ParSplit(GCM, 65536, 2)
    memory = bytearray(cipher.sealed_bytes(16 << 20))
    data = memoryview(memory)[: 16 << 20]

    def call() -> None:
        end = time.perf_counter_ns() + 2 * gil.MIN_CALL_NS
        while time.perf_counter_ns() < end:
            cipher.encrypt(KEY, NONCE, data, b"", memory)

    assert gil.releases_gil(call)


def test_buffers_in_use_cannot_be_resized(toy: Toy, tmp_path: Path) -> None:
    started, end = tmp_path / "started", tmp_path / "end"
    wait = f'(void)!symlink("x","{started}");while(access("{end}",0))usleep(1000)'
    cipher = toy(ON_MESSAGE=wait)(block_size=100, threads=1)
    data, out = bytearray(text(100)), bytearray(116)
    thread = threading.Thread(target=cipher.encrypt, args=(KEY, NONCE, data, b"", out))
    thread.start()
    try:
        while not started.is_symlink():
            assert thread.is_alive()
            time.sleep(0.001)
        for memory in (data, out):
            with pytest.raises(BufferError):
                memory.append(0)
    finally:
        end.touch()
        thread.join()
    for memory in (data, out):
        memory.append(0)
    assert bytes(out[:-1]) == cipher.encrypt(KEY, NONCE, text(100))


def test_several_python_threads_share_one_parsplit() -> None:
    cipher, alone = ParSplit(GCM, 64, 3, serial_below=0), ParSplit(GCM, 64, 1)

    def work(thread: int) -> None:
        for round in range(50):
            key, data = bytes([thread]) * 32, text(1000 + round)
            sealed = cipher.encrypt(key, NONCE, data, AAD)
            assert sealed == alone.encrypt(key, NONCE, data, AAD)
            assert cipher.decrypt(key, NONCE, sealed, AAD) == data

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, thread) for thread in range(4)]:
            done.result()


def test_runs_a_plugin_in_several_threads(toy: Toy) -> None:
    cipher = toy()(block_size=10, threads=4, serial_below=0)
    sealed = cipher.encrypt(KEY, NONCE, text(101), AAD)
    assert len(sealed) == 101 + 11 * TAG
    assert cipher.decrypt(KEY, NONCE, sealed, AAD) == text(101)


def test_thread_unsafe_plugin_runs_in_one_thread_at_a_time(toy: Toy) -> None:
    alone = "static int busy;if(__atomic_exchange_n(&busy,1,5))return 3;usleep(1000);__atomic_store_n(&busy,0,5)"
    make = toy(FLAGS=0, ON_MESSAGE=alone)
    with pytest.raises(ArgumentError, match="2 threads given, but .*not thread-safe"):
        make(threads=2)
    assert make().threads == 1
    cipher = make(block_size=64)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(cipher.encrypt, KEY, NONCE, text(300)) for _ in range(12)]:
            assert len(done.result()) == 300 + 5 * TAG


def test_rejects_in_place_calls_of_an_unsuitable_plugin(toy: Toy) -> None:
    memory = bytearray(text(100))
    with pytest.raises(ArgumentError, match="cannot work in place: give a separate output"):
        toy(FLAGS="AEADLAB_THREAD_SAFE")(threads=2).encrypt(KEY, NONCE, memoryview(memory)[:50], out=memory)
    assert memory == text(100)


def test_library_error_wipes_the_output(toy: Toy) -> None:
    out = bytearray(b"\xaa" * 200)
    with pytest.raises(Error, match="status 3; output wiped"):
        toy(SEALED=3)(block_size=30, threads=2, serial_below=0).encrypt(KEY, NONCE, text(100), out=out)
    assert out == bytes(100 + 4 * TAG) + b"\xaa" * (100 - 4 * TAG)


def test_block_size_is_a_multiple_of_the_cipher_block(toy: Toy) -> None:
    make = toy(BLOCK_BYTES=16)
    with pytest.raises(ArgumentError, match="block size of 40 bytes given, a multiple of 16 "):
        make(block_size=40)
    cipher = make(block_size=32, threads=2)
    assert len(cipher.encrypt(KEY, NONCE, text(80))) == 80 + 3 * TAG
    with pytest.raises(ArgumentError, match="message of 81 bytes given, a multiple of 16 "):
        cipher.encrypt(KEY, NONCE, text(81))


@pytest.mark.parametrize("nonce_bytes", [0, 8, 11, 65])
def test_rejects_nonces_too_short_for_the_block_index(toy: Toy, nonce_bytes: int) -> None:
    with pytest.raises(ArgumentError, match="ParSplit needs 12 to 64"):
        toy(NONCE_BYTES=nonce_bytes)(threads=1)
