from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify import tamper
from aeadlab.verify.report import Check

Opening = Callable[[Implementation, bytes, bytes, bytes, bytes], bytes]


def opened(right: Implementation, *candidates: tuple[bytes, bytes, bytes, bytes]) -> bytes:
    """Return the first message of the candidates (key, nonce, sealed, aad) that opens."""
    for candidate in candidates:
        try:
            return right.open(*candidate)
        except AuthenticationError:
            continue
    raise AuthenticationError("none opens")


def forgiving(change: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> Opening:
    """Return an opening that also accepts messages that open after `change`."""

    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        if len(sealed) < 33:
            return right.open(key, nonce, sealed, aad)
        other_sealed, other_aad = change(sealed, aad)
        return opened(right, (key, nonce, sealed, aad), (key, nonce, other_sealed, other_aad))

    return open_


def run(double: Any, gcm: Implementation, open_: Opening) -> Check:
    check = tamper.check(double(gcm, open=open_))
    assert check is not None
    return check


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda sealed, aad: (sealed[:-1], aad), "extended by 1 at the end"),
        (lambda sealed, aad: (sealed[1:], aad), "extended by 1 at the start"),
        (lambda sealed, aad: (sealed[:-32] + sealed[-16:], aad), "extended by 16 before the tag"),
        (lambda sealed, aad: (sealed, aad.rstrip(b"\0")), "associated data extended by 1"),
        (lambda sealed, aad: (sealed[1:], aad + sealed[:1]), "associated data moved to the ciphertext"),
    ],
)
def test_detects_accepted_changes_of_the_length(
    double: Any, gcm: Implementation, change: Callable[[bytes, bytes], tuple[bytes, bytes]], expected: str
) -> None:
    check = run(double, gcm, forgiving(change))
    assert check.failed and any(expected in failure for failure in check.failures)


def test_detects_one_ignored_bit_of_associated_data(double: Any, gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        changed = aad[:-1] + bytes([aad[-1] ^ 0x80]) if aad else aad
        return opened(right, (key, nonce, sealed, aad), (key, nonce, sealed, changed))

    check = run(double, gcm, open_)
    assert check.failed == 6, "one bit in each of the shapes with associated data"


def test_detects_one_ignored_bit_of_the_ciphertext(double: Any, gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        if len(sealed) < 17:
            return right.open(key, nonce, sealed, aad)
        changed = bytes([sealed[0] ^ 1]) + sealed[1:]
        return opened(right, (key, nonce, sealed, aad), (key, nonce, changed, aad))

    assert run(double, gcm, open_).failed == 6, "one bit in each of the shapes with a message"


def test_detects_unauthenticated_opening(double: Any, gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        return bytes(max(0, len(sealed) - 16))

    check = run(double, gcm, open_)
    assert check.failed == check.run - 2, "all cases except the two unchanged empty messages"


def test_rejection_must_be_an_authentication_error(double: Any, gcm: Implementation) -> None:
    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        try:
            return right.open(key, nonce, sealed, aad)
        except AuthenticationError as error:
            raise RuntimeError("bad tag") from error

    check = run(double, gcm, open_)
    assert check.failed > check.run * 0.9


def test_changed_nonce_may_raise_an_argument_error(double: Any, gcm: Implementation) -> None:
    """MGM rejects nonces whose first bit is set; for other changes an argument error is not a rejection."""

    def open_(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        if nonce[0] >> 7:
            raise ArgumentError("the first bit of the nonce is set")
        return right.open(key, nonce, sealed, aad)

    assert run(double, gcm, open_).ok

    def reject(right: Implementation, key: bytes, nonce: bytes, sealed: bytes, aad: bytes) -> bytes:
        try:
            return right.open(key, nonce, sealed, aad)
        except AuthenticationError as error:
            raise ArgumentError("bad tag") from error

    rejected = run(double, gcm, reject)
    others = rejected.run - rejected.sources["nonce"] - rejected.sources["unchanged"]
    assert others - rejected.sources["truncated"] <= rejected.failed <= others, (
        "messages shorter than a tag may raise it too"
    )


def test_skips_lengths_that_cannot_be_sealed(double: Any, gcm: Implementation) -> None:
    """MGM rejects empty messages, whose tag would not depend on the nonce."""

    def reject(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        if not data and not aad:
            raise ArgumentError("nothing to seal")
        return right.seal(key, nonce, data, aad)

    check = tamper.check(double(gcm, seal=reject))
    assert check is not None and check.ok
    assert check.skipped == {"unsupported length": 1}

    def reject_all(right: Implementation, key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
        raise ArgumentError("nothing is accepted")

    nothing = tamper.check(double(gcm, seal=reject_all))
    assert nothing is not None and not nothing.ok


def test_changes_every_part(gcm: Implementation) -> None:
    check = tamper.check(gcm)
    assert check is not None and check.ok
    shapes = 8
    assert check.sources["key"] == 256 * 4 + 29, "all bits in four messages, every ninth bit in the longest"
    assert check.sources["nonce"] == 96 * (shapes - 1) + 11
    assert check.sources["tag"] == 128 * (shapes - 1) + 15
    assert check.sources["ciphertext"] > 8 * (1 + 16 + 64 + 64)
    assert {"associated data", "truncated", "extended", "unchanged"} < set(check.sources)


def test_applies_only_to_aeads(by_name: dict[str, Implementation]) -> None:
    assert tamper.check(by_name["pyca/aes-256-ctr"]) is None
