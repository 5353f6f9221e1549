"""Recipients of age files: X25519 keys and passphrases."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from aeadlab.errors import ArgumentError, ArgumentTypeError, AuthenticationError, FormatError
from aeadlab.files.age import bech32
from aeadlab.files.age.header import FILE_KEY_BYTES, Header, Stanza, derived, formatted, from_base64, to_base64, verify

_ZERO_NONCE: Final = bytes(12)
_BODY_BYTES: Final = FILE_KEY_BYTES + 16
_RECIPIENT: Final = "age"
_IDENTITY: Final = "age-secret-key-"
_X25519_INFO: Final = b"age-encryption.org/v1/X25519"
_SCRYPT_LABEL: Final = b"age-encryption.org/v1/scrypt"
_SALT_BYTES: Final = 16
_WORK_FACTOR: Final = re.compile(r"[1-9][0-9]?")

WORK_FACTOR: Final = 18
"""Base-2 logarithm of the work of a new file: about a second and 256 MiB."""

MAX_WORK_FACTOR: Final = 20
"""The largest that is accepted from a file, which takes 1 GiB of memory."""


class Recipient(Protocol):
    """Wraps the keys of files."""

    def wrap(self, file_key: bytes) -> Stanza: ...


class Identity(Protocol):
    """Unwraps the keys of files."""

    def unwrap(self, stanza: Stanza) -> bytes | None: ...


def _unwrapped(key: bytes, stanza: Stanza) -> bytes | None:
    # The length is checked first, so that no body decrypts under several keys (c2sp.org/age).
    if len(stanza.body) != _BODY_BYTES:
        raise FormatError(f"an age stanza with a body of {len(stanza.body)} bytes given, {_BODY_BYTES} expected")
    try:
        return ChaCha20Poly1305(key).decrypt(_ZERO_NONCE, stanza.body, None)
    except InvalidTag:
        return None


@dataclass(frozen=True)
class X25519Recipient:
    """A public key, given as ``age1…``."""

    public: bytes

    @classmethod
    def parse(cls, text: str) -> X25519Recipient:
        """Return the recipient of a text; raise ArgumentError for another one."""
        prefix, data = bech32.decode(text)
        if prefix != _RECIPIENT or len(data) != 32:
            raise ArgumentError(
                f"recipient {text[:12]}… given, one that begins with age1 and has 62 characters expected"
            )
        return cls(data)

    def wrap(self, file_key: bytes) -> Stanza:
        """Return the stanza of this recipient."""
        ephemeral = X25519PrivateKey.generate()
        share = ephemeral.public_key().public_bytes_raw()
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(self.public))
        key = derived(shared, share + self.public, _X25519_INFO)
        body = ChaCha20Poly1305(key).encrypt(_ZERO_NONCE, file_key, None)
        return Stanza(("X25519", to_base64(share)), body)

    def __str__(self) -> str:
        return bech32.encode(_RECIPIENT, self.public)


@dataclass(frozen=True)
class X25519Identity:
    """A private key, given as ``AGE-SECRET-KEY-1…``."""

    secret: bytes = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> X25519Identity:
        """Return the identity of a text; raise ArgumentError for another one."""
        prefix, data = bech32.decode(text)
        if prefix != _IDENTITY or len(data) != 32:
            raise ArgumentError("an identity that begins with AGE-SECRET-KEY-1 and has 74 characters expected")
        return cls(data)

    @property
    def recipient(self) -> X25519Recipient:
        """The public key of this identity."""
        private = X25519PrivateKey.from_private_bytes(self.secret)
        return X25519Recipient(private.public_key().public_bytes_raw())

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """Return the file key of a stanza, or None if it is for another recipient."""
        if stanza.arguments[0] != "X25519":
            return None
        share = from_base64(stanza.arguments[1].encode()) if len(stanza.arguments) == 2 else b""
        if len(share) != 32:
            raise FormatError("not an age file: a stanza X25519 has no share of 32 bytes")
        try:
            private = X25519PrivateKey.from_private_bytes(self.secret)
            public = private.public_key().public_bytes_raw()
            shared = private.exchange(X25519PublicKey.from_public_bytes(share))
        except ValueError:
            raise FormatError("not an age file: a stanza X25519 has a share of low order") from None
        return _unwrapped(derived(shared, share + public, _X25519_INFO), stanza)

    def to_text(self) -> str:
        """Return the identity as text, which is secret."""
        return bech32.encode(_IDENTITY, self.secret).upper()


@dataclass(frozen=True)
class Passphrase:
    """A passphrase as the only recipient of a file.

    Attributes
    ----------
    text
        The passphrase.
    work_factor
        Base-2 logarithm of the work of scrypt for new files.
    """

    text: str = field(repr=False)
    work_factor: int = WORK_FACTOR

    def _key(self, salt: bytes, work_factor: int) -> bytes:
        return Scrypt(_SCRYPT_LABEL + salt, 32, 1 << work_factor, 8, 1).derive(self.text.encode())

    def wrap(self, file_key: bytes) -> Stanza:
        """Return the stanza of this passphrase."""
        if not 1 <= self.work_factor <= MAX_WORK_FACTOR:
            raise ArgumentError(f"work factor {self.work_factor} given, 1 to {MAX_WORK_FACTOR} expected")
        salt = secrets.token_bytes(_SALT_BYTES)
        key = self._key(salt, self.work_factor)
        body = ChaCha20Poly1305(key).encrypt(_ZERO_NONCE, file_key, None)
        return Stanza(("scrypt", to_base64(salt), str(self.work_factor)), body)

    def unwrap(self, stanza: Stanza) -> bytes | None:
        """Return the file key of a stanza, or None if it is not of a passphrase or of another one."""
        if stanza.arguments[0] != "scrypt":
            return None
        salt = from_base64(stanza.arguments[1].encode()) if len(stanza.arguments) == 3 else b""
        if len(salt) != _SALT_BYTES or not _WORK_FACTOR.fullmatch(stanza.arguments[2]):
            raise FormatError("not an age file: a stanza scrypt has an invalid salt or work factor")
        if (work_factor := int(stanza.arguments[2])) > MAX_WORK_FACTOR:
            raise FormatError(
                f"an age file with the scrypt work factor {work_factor} given, at most {MAX_WORK_FACTOR} is accepted: "
                f"it would take {1 << work_factor - 20} GiB of memory"
            )
        return _unwrapped(self._key(salt, work_factor), stanza)


AgeKey: TypeAlias = str | Passphrase | Sequence[str | Passphrase]
"""A recipient ``age1…``, an identity ``AGE-SECRET-KEY-1…``, a passphrase, or several."""


def _each(keys: object) -> list[str | Passphrase]:
    several = [keys] if isinstance(keys, str | Passphrase) else keys
    if not isinstance(several, list | tuple) or not all(isinstance(key, str | Passphrase) for key in several):
        raise ArgumentTypeError(
            f"key of type {type(keys).__name__} given, for age a recipient, an identity or a Passphrase expected"
        )
    if not several:
        raise ArgumentError("no recipient or identity given, at least one expected")
    return list(several)


def _is_identity(text: str) -> bool:
    return text.lower().startswith(f"{_IDENTITY}1")


def wrapped(keys: object) -> tuple[bytes, bytes]:
    """Return the header of a new file for these recipients, and its file key.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If a recipient is invalid, or a passphrase is not the only one.
    """
    recipients: list[Recipient] = []
    for key in _each(keys):
        if isinstance(key, Passphrase):
            recipients.append(key)
        else:
            recipients.append(X25519Identity.parse(key).recipient if _is_identity(key) else X25519Recipient.parse(key))
    if len(recipients) > 1 and any(isinstance(recipient, Passphrase) for recipient in recipients):
        raise ArgumentError("a passphrase given with other recipients: age allows it only alone")
    file_key = secrets.token_bytes(FILE_KEY_BYTES)
    return formatted([recipient.wrap(file_key) for recipient in recipients], file_key), file_key


def unwrapped(header: Header, keys: object) -> bytes:
    """Return the file key of a file, and verify its header.

    Raises
    ------
    aeadlab.errors.AuthenticationError
        If the file is for other recipients, or its header is changed.
    aeadlab.errors.FormatError
        If a stanza is invalid.
    aeadlab.errors.ArgumentError
        If an identity is invalid.
    """
    identities: list[Identity] = []
    for key in _each(keys):
        if isinstance(key, str) and not _is_identity(key):
            raise ArgumentError("a recipient given to open an age file, its identity AGE-SECRET-KEY-1… expected")
        identities.append(X25519Identity.parse(key) if isinstance(key, str) else key)
    if len(header.stanzas) > 1 and any(stanza.arguments[0] == "scrypt" for stanza in header.stanzas):
        raise FormatError("not an age file: a passphrase is not its only recipient")
    for identity in identities:
        for stanza in header.stanzas:
            if (file_key := identity.unwrap(stanza)) is not None:
                verify(header, file_key)
                return file_key
    types = ", ".join(sorted({stanza.arguments[0][:40] for stanza in header.stanzas}))
    raise AuthenticationError(f"the age file is for other recipients or another passphrase (types: {types})")
