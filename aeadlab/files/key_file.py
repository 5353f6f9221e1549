"""Key files: the raw bytes of a key, or for age the text of identities."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from aeadlab.errors import ArgumentError
from aeadlab.files.formats import AGE, find_format, generate_identity, generate_key

if TYPE_CHECKING:
    from aeadlab.parsplit.files import StrPath

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_LONGEST: Final = 64
"""Bytes; no format has longer keys."""

_LONGEST_TEXT: Final = 1 << 16
_IDENTITY: Final = b"AGE-SECRET-KEY-1"


def write_key_file(path: StrPath, format: str) -> int:
    """Create a file, which only its owner can read, with a random key of a format; return its length in bytes.

    For age it is text: the recipient in a comment, and the identity.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the path exists: a key is never overwritten, because it may be the only one that opens some file.
    OSError
        If the file cannot be created.
    """
    key = _identity_text() if format == AGE else generate_key(format)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)
    except FileExistsError:
        raise ArgumentError(f"{os.fspath(path)} exists: a key file is never overwritten") from None
    try:
        with open(descriptor, "wb", buffering=0) as file:
            file.write(key)
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(path)
        raise
    return len(key)


def _identity_text() -> bytes:
    from aeadlab.files.age.recipients import X25519Identity

    identity = X25519Identity.parse(generate_identity())
    return f"# public key: {identity.recipient}\n{identity.to_text()}\n".encode()


def read_key_file(path: StrPath, format: str | None) -> bytes | list[str]:
    """Return the key in a file, or for age the identities.

    Parameters
    ----------
    format
        The format whose key it is; None accepts identities, and the key lengths of both Cobblestones.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If others than the owner have access to the file, or it does not hold exactly a key of the format.
    OSError
        If the file cannot be read.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_mode & _OTHERS:
            mode = stat.S_IMODE(status.st_mode)
            raise ArgumentError(f"others have access to the key file {name} (mode {mode:04o}): chmod 600 {name}")
        key = file.read(_LONGEST_TEXT)
    if format == AGE or (format is None and _IDENTITY in key):
        lines = [line.strip() for line in key.decode("ascii", "replace").splitlines()]
        if identities := [line for line in lines if line and not line.startswith("#")]:
            return identities
        raise ArgumentError(f"key file {name} without an identity given: `aeadlab keygen --format age` makes one")
    expected = (16, 32) if format is None else (find_format(format).key_bytes,)
    if len(key) not in expected:
        lengths = " or ".join(map(str, expected))
        given = f"more than {_LONGEST}" if len(key) > _LONGEST else str(len(key))
        raise ArgumentError(
            f"key file {name} of {given} bytes given, {lengths} raw bytes expected: `aeadlab keygen` makes one"
        )
    return key
