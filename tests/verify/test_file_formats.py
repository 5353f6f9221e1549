"""Verification of files: references of known files, and lying implementations that must not pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import cobblestone

from aeadlab.catalogue import load
from aeadlab.catalogue.adapters.base import ONCE, Adapter, Call, Row
from aeadlab.errors import AuthenticationError, Error
from aeadlab.verify import file_formats
from aeadlab.verify.reference.files import file_reference
from aeadlab.verify.verification import verify

FILES = [one for one in load() if one.description.kind == "file"]
OWN_KEYS = {
    one.description.base_algorithm: one.description.key_bytes for one in FILES if one.description.library == "aeadlab"
}
"""Bytes of the key of each format that this project writes."""
RIGHT = next(one for one in FILES if one.name == "pyca/cobblestone-128")
Functions = tuple[Callable[[bytes, bytes, bytes], bytes], Callable[[bytes, bytes, bytes], bytes]]


def lying(seal: Callable[..., bytes], open_: Callable[..., bytes]) -> Adapter:
    """Return an implementation of Cobblestone-128 with these functions of key, data and associated data."""

    def bind(op: str, model: str, key: Any, nonce: Any, data: Any, aad: Any) -> Call:
        arguments = [bytes(part) for part in (key, data, aad)]
        return lambda: (seal if op == "seal" else open_)(*arguments)

    row = Row("cobblestone-128", "file", bind, 16, models=ONCE)
    return Adapter(row.describe("liar", "1"), row, (AuthenticationError,))


def right_seal(key: bytes, data: bytes, aad: bytes) -> bytes:
    return RIGHT.seal(key, b"", data, aad)


def right_open(key: bytes, data: bytes, aad: bytes) -> bytes:
    return RIGHT.open(key, b"", data, aad)


def test_every_implementation_of_a_file_passes() -> None:
    assert len(FILES) >= 11
    for one in FILES:
        report = verify(one)
        found = report.check(file_formats.NAME)
        assert report.ok and found is not None, report.reason
        assert found.run > 1200 and found.failed == 0


def test_the_right_functions_pass() -> None:
    assert verify(lying(right_seal, right_open)).ok


@pytest.mark.parametrize(
    ("seal", "open_", "reason"),
    [
        (lambda k, d, a: d, lambda k, d, a: d, "reference opens"),
        (lambda k, d, a: right_seal(k, d, b""), right_open, "with 1 threads"),
        (right_seal, lambda k, d, a: right_open(k, d, b""), "opens the reference's"),
        (lambda k, d, a: right_seal(k, d[:16000], a), right_open, "the opened message differs"),
        (right_seal, lambda k, d, a: right_open(k, d, a)[:16000], "the opened message differs"),
        (right_seal, lambda k, d, a: right_open(k, d + b"", a) if len(d) != 171 else b"", "end at byte 171"),
    ],
    ids=["nothing", "no context", "ignored context", "shorter", "shorter opened", "accepts an end"],
)
def test_a_lying_implementation_fails(seal: Callable[..., bytes], open_: Callable[..., bytes], reason: str) -> None:
    report = verify(lying(seal, open_))
    assert not report.ok
    assert reason in report.reason, report.reason


def test_a_flipped_bit_that_is_accepted_fails() -> None:
    original: dict[bytes, bytes] = {}

    def forgiving(key: bytes, file: bytes, aad: bytes) -> bytes:
        try:
            opened = right_open(key, file, aad)
        except AuthenticationError:
            # Bit 0 of byte 30, in the commitment.
            repaired = file[:30] + bytes([file[30] ^ 1]) + file[31:] if len(file) > 30 else file
            return right_open(key, repaired, aad)
        original[file] = opened
        return opened

    report = verify(lying(right_seal, forgiving))
    assert "bit 240 flipped: the file is accepted" in report.reason


def test_a_format_without_a_reference_is_unverifiable_and_not_timed() -> None:
    row = Row("zip", "file", lambda *_: lambda: b"", 16, models=ONCE)
    report = verify(Adapter(row.describe("liar", "1"), row, ()))
    assert not report.ok and "no reference of zip" in report.reason


def test_the_references_open_known_files() -> None:
    """Files of Project Wycheproof through pyca, of FLOE's specification, and of pyrage."""
    context = cobblestone.Cobblestone256Encryptor(bytes(32), b"context")
    file = context.update(bytes(40_000)) + context.finalize()
    reference = file_reference("cobblestone-256")
    assert reference is not None and reference.open(bytes(32), file, b"context") == bytes(40_000)
    with pytest.raises(AuthenticationError):
        reference.open(bytes(32), file, b"other")
    known = Path(__file__).resolve().parents[2] / "native/parsplit/tests/formats/floe.csv"
    floe, rows = file_reference("floe"), known.read_text().splitlines()[1:]
    assert floe is not None
    opened = 0
    for name, _, rotation, plain, sealed in (row.split(",") for row in rows):
        if rotation != "4":
            assert floe.open(bytes(32), bytes.fromhex(sealed), b"This is AAD") == bytes.fromhex(plain), name
            opened += 1
    assert opened >= 10


@pytest.mark.parametrize("algorithm", OWN_KEYS)
def test_the_references_reject_changed_files(algorithm: str) -> None:
    reference = file_reference(algorithm)
    assert reference is not None
    key = bytes(range(OWN_KEYS[algorithm]))
    for what, changed in file_formats._changed(reference, key, b""):
        with pytest.raises((Error, ValueError)):
            reference.open(key, changed, b"")
            pytest.fail(what)
