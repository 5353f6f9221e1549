from __future__ import annotations

from typing import Any

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import round_trip


def test_a_caller_s_buffer_is_left_alone(double: Any, by_name: dict[str, Implementation]) -> None:
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
    for faults, said in (
        ({"encrypt": wipe_key}, "did not come back"),
        ({"encrypt": scrub_message}, "a buffer of the caller was changed"),
        ({"decrypt": in_place}, "a buffer of the caller was changed"),
    ):
        check = round_trip.check(double(right, **faults))
        assert check is not None and check.failed > 30
        assert said in check.failures[-1]


def test_length_of_the_output(double: Any, by_name: dict[str, Implementation]) -> None:
    def padded(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.encrypt(key, nonce, bytes(data) + bytes(16))

    def unpadded(right: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        return right.decrypt(key, nonce, data)[:-16]

    check = round_trip.check(double(by_name["pyca/aes-256-cbc"], encrypt=padded, decrypt=unpadded))
    assert check is not None and check.failed == check.run


def test_a_decryption_that_does_nothing(double: Any, by_name: dict[str, Implementation]) -> None:
    broken = double(by_name["pyca/aes-256-ecb"], decrypt=lambda right, key, nonce, data: bytes(data))
    check = round_trip.check(broken)
    assert check is not None and check.failed == check.run - 1, "only the empty message comes back"


def test_hashes_have_no_way_back(by_name: dict[str, Implementation]) -> None:
    assert round_trip.check(by_name["pyca/sha-256"]) is None
