"""References of the formats of files, from their documents and the AEADs of pyca/cryptography alone.

Each seals and opens. Salts and nonces are the same at every call, except for the stanza of age.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from aeadlab.errors import AuthenticationError
from aeadlab.files.age.header import FILE_KEY_BYTES, derived, formatted, parsed, verify
from aeadlab.files.age.recipients import X25519Identity
from aeadlab.verify.cases import pseudorandom

_COBBLESTONE_CHUNK: Final = 16 << 10
_AGE_CHUNK: Final = 64 << 10
_DARE_PACKAGE: Final = 64 << 10
_FLOE_SEGMENT: Final = 4 << 10
_FLOE_OVERHEAD: Final = 32
_FLOE_ROTATION: Final = 1 << 20


@dataclass(frozen=True)
class FileReference:
    """A format.

    Attributes
    ----------
    seal, open
        Of key, message or file, and associated data.
    chunk_bytes, overhead
        Plaintext bytes of each chunk but the last, and the bytes that sealing adds to it.
    header_bytes
        Returns the length of the header of a file.
    shortest
        Bytes of the shortest message that the format has.
    lead
        Bytes by which the first chunk is shorter than `chunk_bytes`.
    """

    seal: Callable[[bytes, bytes, bytes], bytes]
    open: Callable[[bytes, bytes, bytes], bytes]
    chunk_bytes: int
    overhead: int
    header_bytes: Callable[[bytes], int]
    shortest: int = 0
    lead: int = 0


def file_reference(algorithm: str) -> FileReference | None:
    """Return the reference of a format, or None if there is none."""
    return _REFERENCES.get(algorithm)


def _expanded(hash: str, key: bytes, info: bytes, length: int) -> bytes:
    """HKDF-Expand, RFC 5869, section 2.3."""
    out, block = b"", b""
    for counter in range(1, -(-length // hashlib.new(hash).digest_size) + 1):
        block = hmac.digest(key, block + info + bytes([counter]), hash)
        out += block
    return out[:length]


def _checked(open_: Callable[..., bytes], *arguments: bytes | None) -> bytes:
    try:
        return open_(*arguments)
    except InvalidTag:
        raise AuthenticationError("a chunk does not match its tag") from None


def _equal(stated: bytes, computed: bytes) -> None:
    if not hmac.compare_digest(stated, computed):
        raise AuthenticationError("the header does not match its key")


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[start : start + size] for start in range(0, len(data), size))


def _cobblestone(bits: int) -> FileReference:
    """c2sp.org/chunked-encryption: a chunk that is shorter than 16 KiB, and may be empty, ends the message."""
    label = f"c2sp.org/chunked-encryption@v1+AEAD_AES_{bits}_GCM".encode() + b"\0"

    def start(key: bytes, salt: bytes, aad: bytes) -> tuple[AESGCM, int, bytes]:
        secret = _expanded("sha512", key, label + salt + aad, len(key) + 12 + 32)
        return AESGCM(secret[: len(key)]), int.from_bytes(secret[len(key) : -32], "big"), secret[-32:]

    def seal(key: bytes, data: bytes, aad: bytes) -> bytes:
        salt = pseudorandom("salt", 24)
        aead, base, commitment = start(key, salt, aad)
        chunks = [*_pieces(data, _COBBLESTONE_CHUNK)] + [b""] * (len(data) % _COBBLESTONE_CHUNK == 0)
        sealed = (aead.encrypt((base ^ i).to_bytes(12, "big"), chunk, None) for i, chunk in enumerate(chunks))
        return salt + commitment + b"".join(sealed)

    def open_(key: bytes, file: bytes, aad: bytes) -> bytes:
        aead, base, commitment = start(key, file[:24], aad)
        _equal(file[24:56], commitment)
        chunks = [*_pieces(file[56:], _COBBLESTONE_CHUNK + 16)]
        if not chunks or len(chunks[-1]) == _COBBLESTONE_CHUNK + 16:
            raise AuthenticationError("the file has no short chunk at its end")
        opened = (_checked(aead.decrypt, (base ^ i).to_bytes(12, "big"), chunk, None) for i, chunk in enumerate(chunks))
        return b"".join(opened)

    return FileReference(seal, open_, _COBBLESTONE_CHUNK, 16, lambda _: 56)


def _floe() -> FileReference:
    """c2sp.org/FLOE with AES-256-GCM and SHA-384: the marker of a segment is its length if it is the last one."""
    chunk = _FLOE_SEGMENT - _FLOE_OVERHEAD

    def secret(start: bytes, key: bytes, purpose: bytes, aad: bytes, length: int) -> bytes:
        return _expanded("sha384", key, start + purpose + aad, length)

    def segment_key(start: bytes, key: bytes, aad: bytes, number: int) -> AESGCM:
        message_key = secret(start, key, b"MESSAGE_KEY:", aad, 48)
        first = number - number % _FLOE_ROTATION
        return AESGCM(secret(start, message_key, b"DEK:" + first.to_bytes(8, "big"), aad, 32))

    def position(number: int, last: bool) -> bytes:
        return number.to_bytes(8, "big") + bytes([last])

    def seal(key: bytes, data: bytes, aad: bytes) -> bytes:
        start = bytes(2) + _FLOE_SEGMENT.to_bytes(4, "big") + (32).to_bytes(4, "big") + pseudorandom("iv", 32)
        parts = [start, secret(start, key, b"HEADER_TAG:", aad, 32)]
        aead, pieces = segment_key(start, key, aad, 0), [*_pieces(data, chunk)] or [b""]
        for number, piece in enumerate(pieces):
            last, nonce = number == len(pieces) - 1, pseudorandom(f"nonce {number}", 12)
            marker = (len(piece) + _FLOE_OVERHEAD).to_bytes(4, "big") if last else b"\xff" * 4
            parts += [marker, nonce, aead.encrypt(nonce, piece, position(number, last))]
        return b"".join(parts)

    def open_(key: bytes, file: bytes, aad: bytes) -> bytes:
        start, segment = file[:42], int.from_bytes(file[2:6], "big")
        _equal(file[42:74], secret(start, key, b"HEADER_TAG:", aad, 32))
        pieces, opened = [*_pieces(file[74:], segment)], []
        if not pieces:
            raise AuthenticationError("the file has no segment")
        aead = segment_key(start, key, aad, 0)
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            _equal(piece[:4], len(piece).to_bytes(4, "big") if last else b"\xff" * 4)
            opened.append(_checked(aead.decrypt, piece[4:16], piece[16:], position(number, last)))
        return b"".join(opened)

    return FileReference(seal, open_, chunk, _FLOE_OVERHEAD, lambda _: 74)


def _tink(bits: int, segment: int) -> FileReference:
    """AES-GCM-HKDF streaming of Tink with SHA-256: the header counts as the beginning of the first segment."""
    salt_bytes, prefix_bytes = bits // 8, 7
    lead = 1 + salt_bytes + prefix_bytes

    def start(key: bytes, header: bytes, aad: bytes) -> AESGCM:
        extracted = hmac.digest(header[1 : 1 + salt_bytes], key, "sha256")
        return AESGCM(_expanded("sha256", extracted, aad, salt_bytes))

    def nonce(header: bytes, number: int, last: bool) -> bytes:
        return header[-prefix_bytes:] + number.to_bytes(4, "big") + bytes([last])

    def segments(data: bytes, size: int) -> list[bytes]:
        return [data[: size - lead], *_pieces(data[size - lead :], size)]

    def seal(key: bytes, data: bytes, aad: bytes) -> bytes:
        header = bytes([lead]) + pseudorandom("salt", salt_bytes) + pseudorandom("prefix", prefix_bytes)
        aead, pieces = start(key, header, aad), segments(data, segment - 16)
        last = len(pieces) - 1
        sealed = (aead.encrypt(nonce(header, i, i == last), piece, None) for i, piece in enumerate(pieces))
        return header + b"".join(sealed)

    def open_(key: bytes, file: bytes, aad: bytes) -> bytes:
        header = file[:lead]
        _equal(header[:1], bytes([lead]))
        aead, pieces = start(key, header, aad), segments(file[lead:], segment)
        last = len(pieces) - 1
        if last and len(pieces[-1]) <= 16:
            raise AuthenticationError("the file ends with an empty segment")
        opened = (_checked(aead.decrypt, nonce(header, i, i == last), piece, None) for i, piece in enumerate(pieces))
        return b"".join(opened)

    return FileReference(seal, open_, segment - 16, 16, lambda _: lead, lead=lead)


def _age() -> FileReference:
    """c2sp.org/age with an X25519 identity as key; the last chunk is empty only in an empty message."""

    def nonce(number: int, last: bool) -> bytes:
        return number.to_bytes(11, "big") + bytes([last])

    def payload_start(file: bytes) -> int:
        return file.index(b"\n", file.index(b"\n---") + 1) + 1

    def payload(file_key: bytes, salt: bytes) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(derived(file_key, salt, b"payload"))

    def seal(key: bytes, data: bytes, aad: bytes) -> bytes:
        file_key, salt = pseudorandom("file key", FILE_KEY_BYTES), pseudorandom("salt", 16)
        stanza = X25519Identity(key).recipient.wrap(file_key)
        aead, pieces = payload(file_key, salt), [*_pieces(data, _AGE_CHUNK)] or [b""]
        last = len(pieces) - 1
        chunks = (aead.encrypt(nonce(i, i == last), piece, None) for i, piece in enumerate(pieces))
        return formatted([stanza], file_key) + salt + b"".join(chunks)

    def open_(key: bytes, file: bytes, aad: bytes) -> bytes:
        end = payload_start(file)
        header, identity = parsed(file[:end]), X25519Identity(key)
        file_key = next(filter(None, map(identity.unwrap, header.stanzas)), None)
        if file_key is None:
            raise AuthenticationError("no stanza is for this identity")
        verify(header, file_key)
        aead, pieces = payload(file_key, file[end : end + 16]), [*_pieces(file[end + 16 :], _AGE_CHUNK + 16)]
        if not pieces or (len(pieces) > 1 and len(pieces[-1]) == 16):
            raise AuthenticationError("the file has no chunk, or ends with an empty one")
        last = len(pieces) - 1
        return b"".join(_checked(aead.decrypt, nonce(i, i == last), piece, None) for i, piece in enumerate(pieces))

    return FileReference(seal, open_, _AGE_CHUNK, 16, lambda file: payload_start(file) + 16)


def _dare() -> FileReference:
    """DARE 2.0 of MinIO with AES-256-GCM: a package's length is stated less one, so that no message is empty."""

    def package_nonce(stated: bytes, number: int) -> bytes:
        counter = int.from_bytes(stated[8:], "little") ^ number
        return stated[:8] + counter.to_bytes(4, "little")

    def seal(key: bytes, data: bytes, aad: bytes) -> bytes:
        base, aead, parts = pseudorandom("nonce", 12), AESGCM(key), []
        pieces = [*_pieces(data, _DARE_PACKAGE)]
        for number, piece in enumerate(pieces):
            start = b"\x20\0" + (len(piece) - 1).to_bytes(2, "little")
            final = 0x80 if number == len(pieces) - 1 else 0
            nonce = bytes([base[0] & 0x7F | final]) + base[1:]
            parts += [start, nonce, aead.encrypt(package_nonce(nonce, number), piece, start)]
        return b"".join(parts)

    def open_(key: bytes, file: bytes, aad: bytes) -> bytes:
        pieces, opened = [*_pieces(file, _DARE_PACKAGE + 32)], []
        if not pieces:
            raise AuthenticationError("the file has no package")
        aead, first = AESGCM(key), file[4:16]
        for number, piece in enumerate(pieces):
            final = 0x80 if number == len(pieces) - 1 else 0
            start, nonce = piece[:4], piece[4:16]
            _equal(start, b"\x20\0" + (len(piece) - 33).to_bytes(2, "little"))
            _equal(nonce, bytes([first[0] & 0x7F | final]) + first[1:])
            opened.append(_checked(aead.decrypt, package_nonce(nonce, number), piece[16:], start))
        return b"".join(opened)

    return FileReference(seal, open_, _DARE_PACKAGE, 32, lambda _: 0, shortest=1)


_REFERENCES: Final = {
    "cobblestone-128": _cobblestone(128),
    "cobblestone-256": _cobblestone(256),
    "age": _age(),
    "floe": _floe(),
    **{
        f"tink-aes{bits}-gcm-hkdf-{name}": _tink(bits, segment)
        for bits in (128, 256)
        for name, segment in (("4kb", 4 << 10), ("1mb", 1 << 20))
    },
    "dare": _dare(),
}
