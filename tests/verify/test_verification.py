"""Verification detects each fault, by the checks intended for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from aeadlab.catalogue import native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify import Report, verify
from aeadlab.verify.sources import algorithms

ONE_NONCE_LENGTH: dict[str, Any] = {"flags": frozenset()}
ALL = {"known answers", "agreement", "round trip", "tamper"}


def failed(report: Report) -> set[str]:
    return {check.name for check in report.checks if not check.ok}


def decrypt_unchecked(key: bytes, nonce: bytes, sealed: bytes) -> bytes:
    return Cipher(AES(key), CTR(nonce + (2).to_bytes(4, "big"))).decryptor().update(sealed[:-16])


def compare_first(tag_bytes: int) -> Callable[..., bytes]:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        if len(sealed) < 16:
            raise AuthenticationError("too short")
        message = decrypt_unchecked(key, nonce, sealed)
        if right.seal(key, nonce, message, aad)[-16:][:tag_bytes] != sealed[-16:][:tag_bytes]:
            raise AuthenticationError("no")
        return message

    return open_


def with_another_nonce_at(length: int, extra: int = 0) -> Callable[..., bytes]:
    """Return consistent faults of seal and open, which only a comparison with another library detects."""

    def call(op: str) -> Callable[..., bytes]:
        def run(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
            if len(data) == length + (16 if op == "open" else 0):
                nonce = bytes([nonce[0] ^ 1]) + nonce[1:]
            result = getattr(right, op)(key, nonce, data, aad)
            assert isinstance(result, bytes)
            return result

        return run

    return call


def test_correct_implementation_passes_every_check(gcm: Implementation, other_gcm: Implementation) -> None:
    report = verify(gcm, [other_gcm])
    assert report.ok and not report.unverifiable and not report.reason
    assert {check.name for check in report.checks} == ALL
    known = report.check("known answers")
    assert known is not None and known.sources["Wycheproof"] > 60 and known.sources["NIST CAVP"] > 700


def test_detects_ignored_associated_data(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    broken = double(
        gcm,
        seal=lambda right, key, nonce, data, aad: right.seal(key, nonce, data),
        open=lambda right, key, nonce, data, aad: right.open(key, nonce, data),
    )
    assert failed(verify(broken, [other_gcm])) == {"known answers", "agreement", "tamper"}


def test_detects_ignored_tags(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    broken = double(gcm, facts=ONE_NONCE_LENGTH, open=compare_first(0))
    assert failed(verify(broken, [other_gcm])) == {"known answers", "tamper"}


def test_detects_one_ignored_tag_byte(double: Any, gcm: Implementation) -> None:
    broken = double(gcm, facts=ONE_NONCE_LENGTH, open=compare_first(15))
    tamper = verify(broken).check("tamper")
    assert tamper is not None
    assert tamper.failed == 7 * 8 + 1, "8 bits of the last tag byte in 7 shapes, 1 bit in the longest shape"
    assert "tag bit 120: accepted" in tamper.failures[0]


@pytest.mark.parametrize("length", [65537, 1 << 20])
def test_detects_a_fault_at_one_length(
    double: Any, gcm: Implementation, other_gcm: Implementation, length: int
) -> None:
    wrong = with_another_nonce_at(length)
    broken = double(gcm, seal=wrong("seal"), open=wrong("open"))
    report = verify(broken, [other_gcm])
    assert failed(report) == {"agreement"}
    assert report.reason.startswith("agreement") and f"{length} bytes" in report.reason


def test_detects_a_fault_when_opening_a_mebibyte(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        message = right.open(key, nonce, data, aad)
        return message if len(message) != 1 << 20 else message[:-1] + b"\0"

    assert failed(verify(double(gcm, open=open_), [other_gcm])) == {"round trip"}


def test_detects_one_ignored_nonce_byte(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    broken = double(
        gcm,
        seal=lambda right, key, nonce, data, aad: right.seal(key, nonce[:-1] + b"\0", data, aad),
        open=lambda right, key, nonce, data, aad: right.open(key, nonce[:-1] + b"\0", data, aad),
    )
    report = verify(broken, [other_gcm])
    assert failed(report) == {"known answers", "agreement", "tamper"}
    tamper = report.check("tamper")
    assert tamper is not None and tamper.failed == 8 * 7 + 1


def test_detects_one_ignored_key_bit(double: Any, gcm: Implementation) -> None:
    def without(key: bytes) -> bytes:
        return key[:-1] + bytes([key[-1] & 0xFE])

    broken = double(
        gcm,
        seal=lambda right, key, nonce, data, aad: right.seal(without(key), nonce, data, aad),
        open=lambda right, key, nonce, data, aad: right.open(without(key), nonce, data, aad),
    )
    tamper = verify(broken).check("tamper")
    assert tamper is not None and tamper.failed == 4, "1 bit in each of the four shapes of 16 to 4096 bytes"


def test_detects_plaintext_output(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        message, tag = bytes(sealed[:-16]), sealed[-16:]
        if len(sealed) < 16 or right.seal(key, nonce, message, aad)[-16:] != tag:
            raise AuthenticationError("no")
        return message

    broken = double(
        gcm,
        seal=lambda right, key, nonce, data, aad: bytes(data) + right.seal(key, nonce, data, aad)[-16:],
        open=open_,
    )
    assert failed(verify(broken, [other_gcm])) == {"known answers", "agreement"}


def test_rejecting_all_calls_fails_every_check(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    def reject(*_: object) -> bytes:
        raise ArgumentError("no")

    report = verify(double(gcm, seal=reject, open=reject), [other_gcm])
    assert failed(report) == ALL


def test_exceptions_are_failures(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    def crash(*_: object) -> bytes:
        raise TypeError("boom")

    report = verify(double(gcm, seal=crash, open=crash), [other_gcm])
    assert failed(report) == ALL
    assert "TypeError: boom" in report.reason


def test_fails_if_no_vector_fits(double: Any, gcm: Implementation, other_gcm: Implementation) -> None:
    def with_tag(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        return right.seal(key, nonce, data, aad) + bytes(1)

    def without_tag(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        if data[-1:] != b"\0":
            raise AuthenticationError("no")
        return right.open(key, nonce, data[:-1], aad)

    longer_tag = double(gcm, seal=with_tag, open=without_tag, facts={"tag_bytes": 17})
    report = verify(longer_tag)
    assert failed(report) == {"known answers"}
    assert not report.ok and not report.unverifiable
    assert "no case ran" in report.reason and "other tag length" in report.reason


def test_fails_if_a_source_has_no_vectors(
    double: Any, gcm: Implementation, other_gcm: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aeadlab.verify.known_answers.known", lambda _: ())
    report = verify(double(gcm), [])
    assert failed(report) == {"known answers"} and not report.ok


def test_unverifiable_without_vectors_and_peers(double: Any, gcm: Implementation) -> None:
    assert "rot13-gcm" not in algorithms()
    alone = double(gcm, facts={"algorithm": "rot13-gcm"})
    report = verify(alone, [gcm])
    assert report.unverifiable and not report.ok and not failed(report)
    assert "cannot be verified" in report.reason and "rot13-gcm" in report.reason


def test_failed_check_is_not_unverifiable(double: Any, gcm: Implementation) -> None:
    broken = double(gcm, facts={"algorithm": "rot13-gcm", **ONE_NONCE_LENGTH}, open=compare_first(0))
    report = verify(broken)
    assert failed(report) == {"tamper"} and not report.unverifiable


def test_second_library_makes_verification_possible(
    double: Any, gcm: Implementation, other_gcm: Implementation
) -> None:
    facts = {"algorithm": "rot13-gcm"}
    report = verify(double(gcm, facts=facts), [double(other_gcm, facts={**facts, "library": "second"})])
    assert report.ok
    alone = verify(double(gcm, facts=facts), [double(other_gcm, facts=facts)])
    assert alone.unverifiable, "an implementation is not compared with its own library"


def test_report_json_round_trip(double: Any, gcm: Implementation) -> None:
    for implementation in (gcm, double(gcm, facts=ONE_NONCE_LENGTH, open=compare_first(0))):
        report = verify(implementation)
        assert Report.from_dict(json.loads(json.dumps(report.as_dict()))) == report
        assert report.as_dict()["ok"] is report.ok


def test_baseline_aead_is_not_checked_for_tampering() -> None:
    delay = next(i for i in native.linked() if i.name == "baseline/delay")
    report = verify(delay)
    assert report.ok
    assert {check.name for check in report.checks} == {"agreement", "round trip", "contexts"}
