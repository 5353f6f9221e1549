"""The textual header of age files: its stanzas, its MAC, and reading no byte beyond it."""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from aeadlab.errors import AuthenticationError, FormatError

if TYPE_CHECKING:
    from aeadlab.parsplit.stream_io import Input

FILE_KEY_BYTES: Final = 16
VERSION: Final = b"age-encryption.org/v1\n"

_COLUMNS: Final = 64
_MAC_LINE: Final = 48
"""Length of the last line in bytes, with which every header ends."""

_LONGEST: Final = 1 << 20
"""Bytes; a header without an end must not fill the memory."""

_ARGUMENTS: Final = re.compile(rb"-> ([!-~]+(?: [!-~]+)*)")


class Stanza(NamedTuple):
    """The file key, wrapped for one recipient.

    Attributes
    ----------
    arguments
        The type of the recipient, and what it needs to unwrap the body.
    body
        The wrapped key.
    """

    arguments: tuple[str, ...]
    body: bytes


class Header(NamedTuple):
    """A parsed header.

    Attributes
    ----------
    stanzas
        One for each recipient, at least one.
    authenticated
        The bytes that the MAC covers.
    mac
        The MAC.
    """

    stanzas: tuple[Stanza, ...]
    authenticated: bytes
    mac: bytes


def to_base64(data: bytes) -> str:
    """Return unpadded Base64."""
    return base64.b64encode(data).decode().rstrip("=")


def from_base64(text: bytes) -> bytes:
    """Return the bytes of unpadded canonical Base64.

    Raises
    ------
    aeadlab.errors.FormatError
        For any other text.
    """
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        data = b""
    if to_base64(data).encode() != text:
        raise FormatError("not an age file: its header has invalid Base64")
    return data


def derived(file_key: bytes, salt: bytes, info: bytes) -> bytes:
    """Return a key of 32 bytes by HKDF with SHA-256."""
    return HKDF(hashes.SHA256(), 32, salt, info).derive(file_key)


def _mac(authenticated: bytes, file_key: bytes) -> bytes:
    return hmac.digest(derived(file_key, b"", b"header"), authenticated, "sha256")


def formatted(stanzas: Sequence[Stanza], file_key: bytes) -> bytes:
    """Return the header with these stanzas."""
    lines = [VERSION.decode()]
    for stanza in stanzas:
        body = to_base64(stanza.body)
        lines.append(f"-> {' '.join(stanza.arguments)}\n")
        lines += [f"{body[start : start + _COLUMNS]}\n" for start in range(0, len(body) + 1, _COLUMNS)]
    authenticated = "".join(lines).encode() + b"---"
    return authenticated + f" {to_base64(_mac(authenticated, file_key))}\n".encode()


def verify(header: Header, file_key: bytes) -> None:
    """Raise AuthenticationError unless the MAC of the header matches."""
    if not hmac.compare_digest(_mac(header.authenticated, file_key), header.mac):
        raise AuthenticationError("the MAC of the age header does not match: it is changed")


def read(source: Input, start: bytes) -> Header:
    """Read a header, of which `start` was read before, and no byte beyond it.

    Raises
    ------
    aeadlab.errors.FormatError
        If the input does not begin with a header of age v1.
    """
    text = bytearray(start)
    while missing := _missing(text):
        if len(text) + missing > _LONGEST:
            raise FormatError(f"not an age file: its header is longer than {_LONGEST} bytes")
        more = bytearray(missing)
        count = source.fill(memoryview(more))
        text += more[:count]
        if count < missing:
            raise FormatError("not an age file: it ends within its header")
        if not VERSION.startswith(text[: len(VERSION)]):
            break
    return parsed(bytes(text))


def _missing(text: bytearray) -> int:
    """Return how many bytes certainly follow in the header; 0 at its end."""
    line = text[text.rfind(b"\n") + 1 :]
    if line.startswith(b"---"):
        return max(_MAC_LINE - len(line), 0)
    last = text[text.rfind(b"\n", 0, max(len(text) - 1, 0)) + 1 :]
    if not line and last.startswith(b"---"):
        return 0
    # Any other line is followed by the last one.
    return _MAC_LINE - len(line) if len(line) < 3 else _MAC_LINE + 1


def parsed(text: bytes) -> Header:
    """Return the header that these bytes are; raise FormatError if they are none."""
    if not text.startswith(VERSION):
        raise FormatError("not a file of age v1: it does not begin with age-encryption.org/v1")
    lines = text[len(VERSION) :].split(b"\n")
    stanzas, place = [], 0
    while place < len(lines) and lines[place].startswith(b"->"):
        arguments = _ARGUMENTS.fullmatch(lines[place])
        if arguments is None:
            raise FormatError("not an age file: its header has an invalid stanza")
        place, body = place + 1, b""
        while place < len(lines) and len(lines[place]) == _COLUMNS:
            place, body = place + 1, body + lines[place]
        if place == len(lines) or len(lines[place]) > _COLUMNS or lines[place].startswith(b"-"):
            raise FormatError("not an age file: its header has a stanza without an end")
        place, body = place + 1, body + lines[place]
        stanzas.append(Stanza(tuple(arguments[1].decode().split(" ")), from_base64(body)))
    if not stanzas or lines[place:][1:] != [b""] or not lines[place].startswith(b"--- "):
        raise FormatError("not an age file: its header has no stanza or no end")
    mac = from_base64(lines[place][4:])
    if len(mac) != 32:
        raise FormatError(f"not an age file: its MAC has {len(mac)} bytes, 32 expected")
    return Header(tuple(stanzas), text[: text.rindex(b"---") + 3], mac)
