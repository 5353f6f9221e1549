from __future__ import annotations

from typing import Any

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import round_trip


def test_detects_changed_buffers_of_the_caller(double: Any, by_name: dict[str, Implementation]) -> None:
    def wipe_key(right: Implementation, key: bytearray, nonce: bytes, data: bytes) -> bytes:
        answer = right.encrypt(key, nonce, data)
        key[:] = bytes(len(key))
        return answer

    def scrub_message(right: Implementation, key: bytes, nonce: bytes, data: bytearray) -> bytes:
        answer = right.encrypt(key, nonce, data)
        data[:] = bytes(len(data))
        return answer

    def in_place(right: Implementation, key: bytes, nonce: bytes, data: bytearray) -> bytes:
        data[:] = right.decrypt(key, nonce, data)
        return bytes(data)

    right = by_name["pyca/aes-256-ctr"]
    for faults, failure in (
        ({"encrypt": wipe_key}, "differs from the original"),
        ({"encrypt": scrub_message}, "a buffer of the caller is changed"),
        ({"decrypt": in_place}, "a buffer of the caller is changed"),
    ):
        check = round_trip.check(double(right, **faults))
        assert check is not None and check.failed > 30
        assert failure in check.failures[-1]


def test_detects_a_wrong_output_length(double: Any, by_name: dict[str, Implementation]) -> None:
    def padded(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.encrypt(key, nonce, bytes(data) + bytes(16))

    def unpadded(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.decrypt(key, nonce, data)[:-16]

    check = round_trip.check(double(by_name["pyca/aes-256-cbc"], encrypt=padded, decrypt=unpadded))
    assert check is not None and check.failed == check.run


def test_detects_a_decryption_without_effect(double: Any, by_name: dict[str, Implementation]) -> None:
    broken = double(by_name["pyca/aes-256-ecb"], decrypt=lambda right, key, nonce, data: bytes(data))
    check = round_trip.check(broken)
    assert check is not None and check.failed == check.run - 1, "only the empty message is correct"


def test_does_not_apply_to_hashes(by_name: dict[str, Implementation]) -> None:
    assert round_trip.check(by_name["pyca/sha-256"]) is None
