"""`ParSplit.with_key`: the same results as ParSplit, contexts that are kept, and a key that is wiped."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import secrets
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import aeadlab
from aeadlab import ArgumentError, AuthenticationError, ParSplit
from aeadlab.catalogue.native import linked

KEY, NONCE = bytes(range(32)), bytes(7)
SIZES = (0, 1, 64, 1000, 4096, 300_000)


@pytest.fixture
def cipher() -> ParSplit:
    return ParSplit("openssl/aes-256-gcm", block_size=4096, threads=3, serial_below=0)


@pytest.mark.parametrize("schedule", ["dynamic", "static", "guided", "rayon", "std-threads"])
def test_results_are_those_of_parsplit(schedule: str) -> None:
    cipher = ParSplit("openssl/aes-256-gcm", block_size=1000, threads=2, schedule=schedule, serial_below=0)
    with cipher.with_key(KEY) as box:
        for size in SIZES:
            data, nonce = secrets.token_bytes(size), secrets.token_bytes(7)
            sealed = box.encrypt(nonce, data, b"aad")
            assert sealed == cipher.encrypt(KEY, nonce, data, b"aad")
            assert box.decrypt(nonce, sealed, b"aad") == data
            out = bytearray(len(sealed) + 5)
            view = box.encrypt(nonce, data, aad=b"aad", out=out)
            assert bytes(view) == sealed and view.obj is out and len(view) == len(sealed)
            into, opened = bytearray(len(sealed) + 5), np.zeros(size + 9, np.uint8)
            assert box.encrypt_into(nonce, data, b"aad", into) == len(sealed) and into == sealed + bytes(5)
            assert box.decrypt_into(nonce, into[:-5], b"aad", opened) == size and bytes(opened) == data + bytes(9)
    assert box.encrypt is not None and box.closed


@pytest.mark.parametrize("implementation", [i.name for i in linked() if i.description.kind == "aead"])
def test_every_linked_aead_keeps_its_contexts(implementation: str) -> None:
    try:
        cipher = ParSplit(implementation, block_size=4096, baseline=True)
    except ArgumentError:
        pytest.skip("its nonce is too short for ParSplit")
    key, nonce = secrets.token_bytes(cipher.key_bytes), secrets.token_bytes(cipher.nonce_bytes)
    with cipher.with_key(key) as box:
        for size in (0, 512, 8192, 512):
            data = secrets.token_bytes(size)
            sealed = box.encrypt(nonce, data)
            assert sealed == cipher.encrypt(key, nonce, data) and box.decrypt(nonce, sealed) == data


def test_a_bytearray_cannot_be_resized_during_a_call_and_can_be_after_it(cipher: ParSplit) -> None:
    data, out = bytearray(bytes(9000)), bytearray(20_000)
    with cipher.with_key(KEY) as box:
        box.encrypt_into(NONCE, data, bytearray(b"aad"), out)
        with pytest.raises(BufferError, match="overlap"):
            box.encrypt_into(NONCE, memoryview(out)[1:9000], None, out)
        with pytest.raises(AuthenticationError):
            box.decrypt_into(NONCE, bytes(9000), None, out)
        view = box.encrypt(NONCE, data, None, out)
        with pytest.raises(BufferError):
            out.clear()
        view.release()
    data.clear()
    out.clear()


def test_none_is_no_associated_data(cipher: ParSplit) -> None:
    with cipher.with_key(KEY) as box:
        sealed = box.encrypt(NONCE, b"message", None)
        assert sealed == box.encrypt(NONCE, b"message", b"") == cipher.encrypt(KEY, NONCE, b"message", None)
        assert box.decrypt(NONCE, sealed, None) == cipher.decrypt(KEY, NONCE, sealed) == b"message"
        assert box.decrypt_range(NONCE, sealed, 0, 1, None) == b"message"


def test_a_forged_message_leaves_the_object_usable(cipher: ParSplit) -> None:
    with cipher.with_key(KEY) as box:
        sealed = bytearray(box.encrypt(NONCE, bytes(9000)))
        sealed[5000] ^= 1
        out = bytearray(b"\xee" * 9000)
        with pytest.raises(AuthenticationError):
            box.decrypt(NONCE, sealed, out=out)
        assert not any(out)
        sealed[5000] ^= 1
        assert box.decrypt(NONCE, sealed) == bytes(9000)


@pytest.mark.parametrize("implementation", ["openssl/aes-256-gcm", "ring/chacha20-poly1305"])
def test_threads_share_it(implementation: str) -> None:
    cipher = ParSplit(implementation, block_size=512, threads=2, serial_below=0)
    with cipher.with_key(KEY) as box:

        def work(number: int) -> bool:
            nonce = number.to_bytes(7, "big")
            data = secrets.token_bytes(3000 + number)
            sealed = box.encrypt(nonce, data)
            return sealed == cipher.encrypt(KEY, nonce, data) and box.decrypt(nonce, sealed) == data

        with ThreadPoolExecutor(24) as pool:
            assert all(pool.map(work, range(400)))


def test_close_in_another_thread_ends_calls_cleanly(cipher: ParSplit) -> None:
    for _ in range(20):
        box = cipher.with_key(KEY)
        results: list[object] = []

        def work(box: aeadlab.Keyed = box, results: list[object] = results) -> None:
            try:
                while True:
                    results.append(len(box.encrypt(NONCE, bytes(100_000))))
            except ArgumentError as error:
                results.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        box.close()
        for thread in threads:
            thread.join(30)
        messages = [result for result in results if isinstance(result, str)]
        assert len(messages) == 3 and all("closed: make another one" in message for message in messages)


def test_a_closed_object_raises_and_closes_again(cipher: ParSplit) -> None:
    box = cipher.with_key(KEY)
    box.close()
    box.close()
    assert box.closed and repr(box) == "<aeadlab.Keyed, closed>"
    for call in (box.encrypt, box.decrypt):
        with pytest.raises(ArgumentError, match="closed: make another one with ParSplit.with_key"):
            call(NONCE, bytes(100))


def test_the_key_is_neither_shown_nor_pickled(cipher: ParSplit) -> None:
    box = cipher.with_key(KEY)
    assert repr(box) == "<aeadlab.Keyed>"
    for make in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled or copied: pickle the ParSplit"):
            make(box)


def test_a_parsplit_can_be_pickled(cipher: ParSplit) -> None:
    again = pickle.loads(pickle.dumps(cipher))
    assert repr(again) == repr(cipher)
    assert again.with_key(KEY).encrypt(NONCE, bytes(9000)) == cipher.encrypt(KEY, NONCE, bytes(9000))
    assert pickle.loads(pickle.dumps(ParSplit("baseline/delay", baseline=True))).implementation == "baseline/delay"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((bytes(6), b""), "nonce of 6 bytes given, 7 expected"),
        ((NONCE, "text"), "data of type str given"),
        ((NONCE, b"", "text"), "aad of type str given"),
        ((None, b""), "nonce of type NoneType given"),
        ((NONCE, np.zeros((4, 4))[:, 1]), "data is not contiguous"),
    ],
)
def test_wrong_arguments_are_named(cipher: ParSplit, arguments: tuple[object, ...], message: str) -> None:
    with cipher.with_key(KEY) as box, pytest.raises(ValueError, match=message):
        box.encrypt(*arguments)  # type: ignore[call-overload]


def test_a_wrong_key_is_named(cipher: ParSplit) -> None:
    with pytest.raises(ArgumentError, match="31"):
        cipher.with_key(bytes(31))


def test_a_forked_child_uses_it(cipher: ParSplit) -> None:
    with cipher.with_key(KEY) as box:
        expected = box.encrypt(NONCE, bytes(50_000))
        if (child := os.fork()) == 0:
            os._exit(0 if box.encrypt(NONCE, bytes(50_000)) == expected else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert box.encrypt(NONCE, bytes(50_000)) == expected


def test_it_is_freed_without_close(cipher: ParSplit) -> None:
    box = cipher.with_key(KEY)
    cycle = [box]
    cycle.append(cycle)  # type: ignore[arg-type]
    del box, cycle
    gc.collect()


def test_ended_objects_do_not_stay_in_memory(cipher: ParSplit) -> None:
    blocks = sys.getallocatedblocks()
    for _ in range(200):
        with cipher.with_key(KEY) as box:
            box.encrypt(NONCE, bytes(5000))
    assert sys.getallocatedblocks() < blocks + 200
