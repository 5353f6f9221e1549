"""The formats by name, and the recognition of a file by its first bytes."""

from __future__ import annotations

import secrets
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from aeadlab import _native
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError, ArgumentTypeError, UnknownNameError

if TYPE_CHECKING:
    from aeadlab.files.age.recipients import AgeKey
    from aeadlab.parsplit.buffers import Memory

    Key: TypeAlias = Memory | AgeKey
    """The bytes of a key; for age a recipient, an identity, a passphrase, or several."""


@dataclass(frozen=True)
class Format:
    """A format of encrypted files.

    Attributes
    ----------
    name
        By which it is selected.
    document
        Where it is specified.
    algorithm
        The AEAD that seals the chunks; empty if each file names its own.
    key_bytes
        Length of the key; 0 if it depends on the algorithm, or if there are recipients instead.
    chunk_bytes
        Plaintext bytes of a chunk; 0 if each file states its own.
    committing
        Whether a value in the header detects a wrong key before anything is decrypted, so that no file opens with two
        keys.
    """

    name: str
    document: str
    algorithm: str
    key_bytes: int
    chunk_bytes: int
    committing: bool


AGE: Final = "age"
AGE_PAYLOAD: Final = "age-payload"
"""What follows the header of an age file, with the file key as key."""

FORMATS: Final = {row[0]: Format(*row) for row in _native.formats()}
"""All formats by name."""

FORMATS[AGE] = Format(AGE, "c2sp.org/age", "chacha20-poly1305", 0, FORMATS[AGE_PAYLOAD].chunk_bytes, False)

DEFAULT: Final = "cobblestone-256"
OWN: Final = "parsplit-v1"
"""The former format of this project, which is only read."""

RAW: Final = frozenset(name for name in FORMATS if name.endswith("-raw"))
"""Formats without a header, whose key must seal one message only."""

START_BYTES: Final = 10
"""Bytes that recognize a file."""

_FLOE_SEGMENT: Final = slice(2, 6)
_OF_KEY_BYTES: Final = {16: "cobblestone-128", 32: "cobblestone-256"}


def find_format(name: str, known: Container[str] = FORMATS) -> Format:
    """Return the format of this name.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is none, with the nearest of the `known` names.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"format {name!r} given, a name such as {DEFAULT} expected")
    if name not in FORMATS:
        names = [name for name in FORMATS if name in known]
        listed = ", ".join(names)
        raise UnknownNameError(f"no format {name!r}; {hint(name, names, f'there are {listed}')}")
    return FORMATS[name]


def recognized(start: bytes) -> str | None:
    """Return the name of the format that a file begins with, or None; Cobblestone begins with random bytes."""
    if start.startswith(b"PARSPLIT"):
        return OWN
    if start.startswith(b"age-encryp"):
        return AGE
    without_segment = start[: _FLOE_SEGMENT.start] + start[_FLOE_SEGMENT.stop :]
    return "floe" if without_segment == bytes((0, 0, 0, 0, 0, 32)) else None


def format_of_key(key: Key) -> str:
    """Return age for text, or else the name of the Cobblestone that has keys of this length.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If none has.
    """
    from aeadlab.files.age.recipients import Passphrase

    if isinstance(key, str | Passphrase | list | tuple):
        return AGE
    given = _native.check_buffer(key, "key")  # type: ignore[arg-type] # another type is an error
    if given not in _OF_KEY_BYTES:
        expected = " or ".join(f"{length} ({name})" for length, name in _OF_KEY_BYTES.items())
        raise ArgumentError(f"key of {given} bytes given, {expected} expected: for other files, pass the format")
    return _OF_KEY_BYTES[given]


def generate_key(format: str = DEFAULT) -> bytes:
    """Return a random key of a format, which has keys of bytes.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such format.
    aeadlab.errors.ArgumentError
        If it is age, whose keys are text, or is only read.
    """
    if not (length := find_format(format).key_bytes):
        reason = "has identities, see generate_identity" if format == AGE else "is only read"
        raise ArgumentError(f"format {format} {reason}: generate a key for another format, such as {DEFAULT}")
    return secrets.token_bytes(length)


def generate_identity() -> str:
    """Return a random identity of age, ``AGE-SECRET-KEY-1…``, which also stands for its recipient."""
    from aeadlab.files.age.recipients import X25519Identity

    return X25519Identity(secrets.token_bytes(32)).to_text()
