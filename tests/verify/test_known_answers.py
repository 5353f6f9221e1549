from __future__ import annotations

from typing import Any

import pytest

from aeadlab.catalogue import weak_keys
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError
from aeadlab.verify import known_answers
from aeadlab.verify.vectors import Procedure, Vector


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Vector | Procedure]:
    """Known answers that replace those of every algorithm."""
    given: list[Vector | Procedure] = []
    monkeypatch.setattr(known_answers, "known", lambda _: given)
    return given


def test_compares_opened_messages(double: Any, gcm: Implementation) -> None:
    broken = double(gcm, open=lambda right, key, nonce, data, aad: right.open(key, nonce, data, aad)[::-1])
    check = known_answers.check(broken)
    assert check is not None and check.failed > 100
    assert "open returned" in check.failures[0]


def test_invalid_macs_must_differ(double: Any, by_name: dict[str, Implementation], answers: list[Any]) -> None:
    mac = by_name["pyca/aes-256-cmac"]
    digest = mac.digest(bytes(32), b"", b"message")
    answers += [
        Vector("s", "1", bytes(32), message=b"message", output=digest, tag_bytes=16),
        Vector("s", "2", bytes(32), message=b"message", output=bytes(16), tag_bytes=16, valid=False),
        Vector("s", "3", bytes(32), message=b"message", output=digest, tag_bytes=16, valid=False),
    ]
    check = known_answers.check(double(mac))
    assert check is not None and (check.run, check.failed) == (3, 1)
    assert check.failures[0].startswith("s 3:") and check.failures[0].endswith("is wrong")


def test_counts_skipped_vectors_by_reason(double: Any, gcm: Implementation, answers: list[Any]) -> None:
    sealed = gcm.seal(bytes(32), bytes(12), b"message")
    answers += [
        Vector("s", "fits", bytes(32), bytes(12), b"", b"message", sealed, 16),
        Vector("s", "key", bytes(16), bytes(12), b"", b"", bytes(16), 16),
        Vector("s", "tag", bytes(32), bytes(12), b"", b"", bytes(12), 12),
        Vector("s", "nonce", bytes(32), bytes(16), b"", b"", bytes(16), 16),
    ]
    check = known_answers.check(double(gcm, facts={"flags": frozenset()}))
    assert check is not None and check.ok and check.sources == {"s": 1}
    assert check.skipped == {"other key length": 1, "other tag length": 1, "other nonce length": 1}


def test_weak_keys_may_be_rejected_but_not_misused(
    double: Any, by_name: dict[str, Implementation], answers: list[Any]
) -> None:
    right = by_name["pyca/3des-ecb"]
    weak, strong = bytes(24), bytes(range(24))
    with weak_keys.allow():
        encrypted = right.encrypt(weak, b"", bytes(8))
    answers += [
        Vector("s", "weak", weak, message=bytes(8), output=encrypted, weak_key=True),
        Vector("s", "strong", strong, message=bytes(8), output=right.encrypt(strong, b"", bytes(8))),
    ]

    def reject(given: Implementation, key: bytes, nonce: bytes, data: bytes) -> bytes:
        if key == weak:
            raise ArgumentError("weak")
        return given.encrypt(key, nonce, data)

    check = known_answers.check(double(right, encrypt=reject))
    assert check is not None and check.ok
    assert (check.run, check.skipped) == (1, {"weak key that the library rejects": 1})
    check = known_answers.check(double(right, encrypt=lambda *_: bytes(8)))
    assert check is not None and check.failed == 2


def test_skips_unsupported_nonce_lengths(double: Any, gcm: Implementation, answers: list[Any]) -> None:
    """An unsupported length skips a valid vector, and passes an invalid one."""
    answers += [
        Vector("s", "fits", bytes(32), bytes(12), b"", b"", gcm.seal(bytes(32), bytes(12), b""), 16),
        Vector("s", "valid", bytes(32), bytes(4), b"", b"", bytes(16), 16),
        Vector("s", "invalid", bytes(32), b"", b"", b"", bytes(16), 16, valid=False),
    ]
    check = known_answers.check(double(gcm))
    assert check is not None and (check.run, check.failed) == (2, 0)
    assert check.skipped == {"nonce length that the library does not support": 1}


def test_rejecting_its_own_nonce_length_is_a_failure(double: Any, gcm: Implementation, answers: list[Any]) -> None:
    def reject(*_: object) -> bytes:
        raise ArgumentError("no")

    answers.append(Vector("s", "1", bytes(32), bytes(12), b"", b"", bytes(16), 16))
    check = known_answers.check(double(gcm, seal=reject))
    assert check is not None and check.failed == 1


def test_skips_keystream_before_the_message(
    double: Any, by_name: dict[str, Implementation], answers: list[Any]
) -> None:
    cipher = by_name["pyca/chacha20"]
    late = cipher.encrypt(bytes(32), bytes(12), bytes(64) + b"message")[64:]
    answers += [
        Vector("s", str(offset), bytes(32), bytes(12), b"", b"message", late, offset=offset) for offset in (0, 64)
    ]
    check = known_answers.check(double(cipher))
    assert check is not None and check.failed == 1 and check.failures[0].startswith("s 0:")


def test_pads_short_hmac_keys_with_zeros(double: Any, by_name: dict[str, Implementation], answers: list[Any]) -> None:
    mac = by_name["pyca/hmac-sha-256"]
    digest = mac.digest(b"Jefe".ljust(32, b"\0"), b"", b"message")
    for limit in (64, 0):
        answers.append(Vector("s", "1", b"Jefe", b"", b"", b"message", digest, 32, key_grows_to=limit))
    check = known_answers.check(double(mac))
    assert check is not None and check.ok and check.skipped == {"other key length": 1}


def test_compares_common_length_of_extendable_outputs(
    double: Any, by_name: dict[str, Implementation], answers: list[Any]
) -> None:
    shake = by_name["pyca/shake-128"]
    digest = shake.digest(b"", b"", b"message")
    for output in (digest[:16], digest + bytes(16), digest[:15] + bytes(1)):
        answers.append(Vector("s", "1", message=b"message", output=output, tag_bytes=len(output), extendable=True))
    check = known_answers.check(double(shake))
    assert check is not None and (check.run, check.failed) == (3, 1)


def test_runs_procedures(double: Any, gcm: Implementation, answers: list[Any]) -> None:
    def reject(_: Implementation) -> bytes:
        raise ArgumentError("no")

    answers += [
        Procedure("s", "right", lambda i: i.seal(bytes(32), bytes(12), b""), gcm.seal(bytes(32), bytes(12), b"")),
        Procedure("s", "wrong", lambda i: i.seal(bytes(32), bytes(12), b""), bytes(16)),
        Procedure("s", "rejected", reject, b""),
    ]
    check = known_answers.check(double(gcm))
    assert check is not None and (check.run, check.failed) == (3, 2)


def test_result_is_cached(double: Any, gcm: Implementation, answers: list[Any]) -> None:
    once = double(gcm)
    first = known_answers.check(once)
    answers.append(Vector("s", "wrong", bytes(32), bytes(12), b"", b"", bytes(16), 16))
    assert known_answers.check(once) is first
    again = known_answers.check(double(gcm))
    assert again is not None and again.failed == 1
