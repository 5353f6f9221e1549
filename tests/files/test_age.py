"""age: the header, its recipients, the vectors of its test kit, and files of pyrage."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pyrage
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError, Error, FormatError
from aeadlab.files import Passphrase, SealedFile, decrypt, decrypt_iter, encrypt, generate_identity
from aeadlab.files.age import bech32, recipients
from aeadlab.files.age.header import Stanza, derived, formatted, parsed
from tests.files.messages import message

TESTKIT = "c2sp.org/CCTV/age@v0.0.0-20251208015420-e9274a7bdbfd"
CHUNK = 65536
LENGTHS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 33 * CHUNK - 1, 33 * CHUNK, 33 * CHUNK + 1]
FAST = 4
"""A work factor that takes no time."""

IDENTITY = generate_identity()
RECIPIENT = str(recipients.X25519Identity.parse(IDENTITY).recipient)


def test_both_directions_with_pyrage() -> None:
    theirs = pyrage.x25519.Identity.from_str(IDENTITY)
    assert str(theirs.to_public()) == RECIPIENT
    for length in LENGTHS:
        data = message(length)
        sealed = pyrage.encrypt(data, [theirs.to_public()])
        for threads in (1, 3):
            assert decrypt(IDENTITY, sealed, threads=threads) == data
            ours = bytes(encrypt(RECIPIENT, data, format="age", threads=threads))
            assert pyrage.decrypt(ours, [theirs]) == data
        assert SealedFile(IDENTITY, io.BytesIO(sealed)).readall() == data
        assert b"".join(decrypt_iter(IDENTITY, [sealed[i : i + 999] for i in range(0, len(sealed), 999)])) == data


def test_passphrases_with_pyrage() -> None:
    sealed = bytes(encrypt(Passphrase("orders", FAST), b"attack", format="age"))
    assert pyrage.passphrase.decrypt(sealed, "orders") == b"attack"
    with pytest.raises(AuthenticationError, match="another passphrase"):
        decrypt(Passphrase("order"), sealed)


def test_a_file_for_several_recipients_opens_with_each_identity() -> None:
    identities = [generate_identity() for _ in range(3)]
    public = [str(recipients.X25519Identity.parse(identity).recipient) for identity in identities]
    sealed = encrypt(public, b"attack", format="age")
    for identity in identities:
        assert decrypt(identity, sealed) == b"attack"
        assert decrypt([IDENTITY, identity], sealed) == b"attack"
    with pytest.raises(AuthenticationError, match=r"for other recipients .* \(types: X25519\)"):
        decrypt(IDENTITY, sealed)


class Vector(NamedTuple):
    name: str
    values: dict[str, str]
    identities: list[str | Passphrase]
    file: bytes


def vectors() -> Iterator[Vector]:
    """Yield the vectors of the test kit; armored ones and hybrid identities are not supported."""
    command = ["go", "mod", "download", "-json", TESTKIT]
    folder = json.loads(subprocess.run(command, check=True, capture_output=True, cwd="/").stdout)["Dir"]
    for path in sorted(Path(folder, "testdata").iterdir()):
        head, _, file = path.read_bytes().partition(b"\n\n")
        pairs = [line.partition(": ")[::2] for line in head.decode().splitlines()]
        values = dict(pairs)
        if "armored" in values or "-PQ-" in values.get("identity", ""):
            continue
        identities: list[str | Passphrase] = [value for key, value in pairs if key == "identity"]
        identities += [Passphrase(value) for key, value in pairs if key == "passphrase"]
        yield Vector(path.name, values, identities, zlib.decompress(file) if "compressed" in values else file)


def longest_prefix(vector: Vector) -> bytes:
    """Return the plaintext of all chunks that are valid by themselves, until the last one."""
    header = vector.file[: vector.file.index(b"\n", vector.file.index(b"\n---") + 1) + 1]
    body, found = vector.file[len(header) + 16 :], b""
    file_key = bytes.fromhex(vector.values["file key"])
    cipher = ChaCha20Poly1305(derived(file_key, vector.file[len(header) :][:16], b"payload"))
    for i in range(len(body)):
        chunk = body[i * (CHUNK + 16) : (i + 1) * (CHUNK + 16)]
        for last in (b"\0", b"\1") if len(chunk) == CHUNK + 16 else (b"\1",):
            with suppress(InvalidTag):
                found += cipher.decrypt(i.to_bytes(11, "big") + last, chunk, None)
                break
        else:
            return found
        if last == b"\1":
            return found
    return found


EXPECTED = {
    "no match": (AuthenticationError,),
    "HMAC failure": (AuthenticationError,),
    "header failure": (FormatError,),
    "payload failure": (AuthenticationError, FormatError),
}


@pytest.mark.skipif(shutil.which("go") is None, reason="Go downloads the vectors")
def test_the_vectors_of_the_test_kit() -> None:
    count = 0
    for vector in vectors():
        found = bytearray()
        expected, read = vector.values["expect"], io.BytesIO(vector.file)
        if expected == "success":
            for piece in decrypt_iter(vector.identities, [vector.file], threads=1):
                found += piece
            assert SealedFile(vector.identities, read).readall() == found, vector.name
            assert decrypt(vector.identities, vector.file) == found, vector.name
        else:
            with pytest.raises(EXPECTED[expected]):
                # One chunk of memory at a time, so that all that verify are returned.
                for piece in decrypt_iter(vector.identities, [vector.file], threads=1, max_memory=3 * 65552 + 1):
                    found += piece
                pytest.fail(f"{vector.name} was accepted")
            with pytest.raises(EXPECTED[expected]):
                SealedFile(vector.identities, read).readall()
                pytest.fail(f"{vector.name} was accepted by SealedFile")
            with pytest.raises(EXPECTED[expected]):
                decrypt(vector.identities, vector.file)
                pytest.fail(f"{vector.name} was accepted in memory")
        if "payload" in vector.values:
            longest = longest_prefix(vector)
            assert hashlib.sha256(longest).hexdigest() == vector.values["payload"], vector.name
            # A reader that knows whether the file continues does not return a last chunk before others.
            assert longest.startswith(found), vector.name
            assert len(longest) - len(found) <= CHUNK, vector.name
        count += 1
    assert count >= 90


def test_reads_no_byte_beyond_the_header() -> None:
    class Pipe(io.RawIOBase):
        """Fails where a header was read too far."""

        def __init__(self, data: bytes) -> None:
            self.rest = data

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray, /) -> int:  # type: ignore[override]
            assert len(buffer) <= len(self.rest), "read beyond the header"
            buffer[:] = self.rest[: len(buffer)]
            self.rest = self.rest[len(buffer) :]
            return len(buffer)

    from aeadlab.files.age.header import read
    from aeadlab.parsplit.stream_io import FileInput

    for body in range(0, 200, 7):
        text = formatted([Stanza(("X25519", "a"), bytes(body)), Stanza(("b",), bytes(32))], bytes(16))
        pipe = Pipe(text)
        assert read(FileInput(pipe), b"") == parsed(text)
        assert pipe.rest == b""
        assert read(FileInput(Pipe(text[10:])), text[:10]) == parsed(text)


def test_every_changed_bit_and_truncation_of_a_short_file_is_rejected() -> None:
    sealed = bytes(encrypt(RECIPIENT, b"attack at dawn", format="age"))
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Error):
            decrypt(IDENTITY, changed, format="age")
            pytest.fail(f"bit {bit} was accepted")
    for length in range(len(sealed)):
        with pytest.raises((AuthenticationError, FormatError)):
            decrypt(IDENTITY, sealed[:length], format="age")
    for more in (b"\0", sealed):
        with pytest.raises(AuthenticationError):
            decrypt(IDENTITY, sealed + more)


def test_a_large_work_factor_is_refused_before_any_work() -> None:
    stanza = Stanza(("scrypt", "A" * 21 + "A", "21"), bytes(32))
    with pytest.raises(FormatError, match="work factor 21 given, at most 20 is accepted: it would take 2 GiB"):
        decrypt(Passphrase("x"), formatted([stanza], bytes(16)) + bytes(32))


def test_rejects_wrong_keys() -> None:
    sealed = encrypt(RECIPIENT, b"attack", format="age")
    mistyped = RECIPIENT[:-1] + ("q" if RECIPIENT[-1] != "q" else "p")
    for key, error, text in (
        (mistyped, ArgumentError, "a character is mistyped"),
        ("age1", ArgumentError, "checksum"),
        ("plain text", ArgumentError, "not Bech32"),
        ([], ArgumentError, "no recipient or identity"),
        ([RECIPIENT, Passphrase("x", FAST)], ArgumentError, "age allows it only alone"),
        (bytes(32), ArgumentTypeError, "for age a recipient"),
        (Passphrase("x", 30), ArgumentError, "work factor 30"),
    ):
        with pytest.raises(error, match=text):
            encrypt(key, b"attack", format="age")
    with pytest.raises(ArgumentError, match="its identity AGE-SECRET-KEY-1… expected"):
        decrypt(RECIPIENT, sealed)
    with pytest.raises(ArgumentError, match="age authenticates none"):
        encrypt(RECIPIENT, b"attack", b"aad", format="age")
    assert IDENTITY not in repr(recipients.X25519Identity.parse(IDENTITY))
    assert "x" not in repr(Passphrase("x")).removeprefix("Passphrase")


def test_bech32_follows_bip_173() -> None:
    for text in (
        "A12UEL5L",
        "a12uel5l",
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    ):
        assert bech32.encode(*bech32.decode(text)) == text.lower()
    for text in (
        "pzry9x0s0muk",
        "1pzry9x0s0muk",
        "x1b4n0q5v",
        "li1dgmt3",
        "A1G7SGD8",
        "10a06t8",
        "1qzzfhee",
        "a12UEL5L",
    ):
        with pytest.raises(ArgumentError):
            bech32.decode(text)
    for length in range(70):
        data = message(length)
        assert bech32.decode(bech32.encode("age", data)) == ("age", data)
