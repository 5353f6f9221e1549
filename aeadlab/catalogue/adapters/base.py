"""What every Python adapter shares: a row of data per algorithm, one length check, one way of calling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from aeadlab.catalogue import weak_keys
from aeadlab.catalogue.implementation import Buffer, Description, Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.kinds import OPS, Kind, Model

Call: TypeAlias = Callable[[], object]
Bind: TypeAlias = Callable[[str, str, Buffer, Buffer, Buffer, Buffer], Call]
"""``bind(op, model, key, nonce, data, aad)`` returns the call that a user of the library would write."""

NO_FLAGS: frozenset[str] = frozenset()
ANY_NONCE = frozenset({"any-nonce-length"})
HISTORICAL = frozenset({"historical"})
BROKEN_HASHES = frozenset({"md5", "sha-1"})
ONCE: tuple[Model, ...] = ("oneshot",)
"""Models of what takes one message, or the key itself: no key set-up outlives the message."""


@dataclass(frozen=True)
class Row:
    """One algorithm of a Python library; lengths in bytes.

    Attributes
    ----------
    bind
        Makes the call for one message. For ``open`` its data is the ciphertext followed by the tag.
    nonces
        Nonce lengths that the library takes, where it takes more than `nonce`.
    least
        The shortest message it takes.
    models
        What a user can do: ``keyed`` is missing where the library has no object that outlives a message.
    """

    algorithm: str
    kind: Kind
    bind: Bind
    key: int = 0
    nonce: int = 0
    tag: int = 0
    block: int = 1
    nonces: range | None = None
    least: int = 0
    models: tuple[Model, ...] = ("oneshot", "keyed")
    flags: frozenset[str] = field(default_factory=frozenset)

    def describe(self, library: str, version: str, build: str = "") -> Description:
        """The row as the catalogue shows it."""
        return Description(
            library=library,
            algorithm=self.algorithm,
            kind=self.kind,
            version=version,
            build=build,
            key_bytes=self.key,
            nonce_bytes=self.nonce,
            tag_bytes=self.tag,
            block_bytes=self.block,
            flags=self.flags,
            origin="python",
        )


class Adapter(Implementation):
    """An algorithm of a Python library.

    Parameters
    ----------
    description, row
        What it is, and how it is called.
    rejections
        Exceptions by which the library says that a tag does not match.
    """

    def __init__(self, description: Description, row: Row, rejections: tuple[type[Exception], ...] = ()) -> None:
        super().__init__(description)
        self.models = row.models
        self._row = row
        self._rejections = rejections

    def prepared(self, op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> Call:
        """The call that a Python user would make for one message; it can be repeated.

        Parameters
        ----------
        op
            ``seal``, ``open``, ``encrypt``, ``decrypt`` or ``digest``, as the kind has them.
        model
            ``keyed``: the key's object is made here; ``oneshot``: inside the call.
        data
            For ``open``, the ciphertext followed by the tag.

        Raises
        ------
        aeadlab.errors.ArgumentError
            If the implementation has no such operation or model, or a length is wrong.
        """
        if model not in self.models:
            raise ArgumentError(f"{self.name} has no model {model!r} in Python; it has {_listed(self.models)}")
        self._check(op, key, nonce, data)
        try:
            return self._row.bind(op, model, key, nonce, data, aad)
        except (ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.name}: {error}") from error

    def seal(self, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        """Encrypt and authenticate; returns ciphertext followed by the tag."""
        return self._called("seal", key, nonce, data, aad)

    def open(self, key: Buffer, nonce: Buffer, sealed: Buffer, aad: Buffer = b"") -> bytes:
        """Verify and decrypt ciphertext followed by the tag.

        Raises
        ------
        aeadlab.errors.AuthenticationError
            If the tag does not match.
        """
        return self._called("open", key, nonce, sealed, aad)

    def encrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Encrypt without authentication; the message is not padded."""
        weak_keys.refuse(self.description, key)
        return self._called("encrypt", key, nonce, data)

    def decrypt(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Undo `encrypt`."""
        weak_keys.refuse(self.description, key)
        return self._called("decrypt", key, nonce, data)

    def digest(self, key: Buffer, nonce: Buffer, data: Buffer) -> bytes:
        """Hash or MAC of `data`."""
        return self._called("digest", key, nonce, data)

    def _called(self, op: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer = b"") -> bytes:
        call = self.prepared(op, "oneshot", key, nonce, data, aad)
        try:
            result = call()
        except self._rejections as error:
            if op != "open":
                raise ArgumentError(f"{self.name}: {error}") from error
            raise AuthenticationError(
                f"{self.name}: the tag does not match; the key, nonce or associated data is another, "
                "or the ciphertext was changed"
            ) from error
        except (ValueError, OverflowError) as error:
            raise ArgumentError(f"{self.name}: {error}") from error
        if isinstance(result, tuple):
            return b"".join(result)
        return result if isinstance(result, bytes) else bytes(memoryview(result))  # type: ignore[arg-type]

    def _check(self, op: str, key: Buffer, nonce: Buffer, data: Buffer) -> None:
        row = self._row
        if op not in OPS[row.kind]:
            wanted = _listed(OPS[row.kind])
            raise ArgumentError(f"{self.name} is of kind {row.kind}: {op!r} was asked, it has {wanted}")
        if len(key) != row.key:
            raise ArgumentError(f"{self.name}: a key of {len(key)} bytes was given, {row.key} are wanted")
        nonces = row.nonces or range(row.nonce, row.nonce + 1)
        if len(nonce) not in nonces:
            wanted = f"{nonces.start}" if len(nonces) == 1 else f"{nonces.start} to {nonces.stop - 1}"
            raise ArgumentError(f"{self.name}: a nonce of {len(nonce)} bytes was given, {wanted} are wanted")
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        if op == "open" and size < row.tag:
            raise ArgumentError(f"{self.name}: {size} bytes cannot be opened, the tag alone takes {row.tag}")
        if size % row.block:
            raise ArgumentError(f"{self.name}: {size} bytes were given, a multiple of {row.block} is wanted; pad first")
        if size < row.least:
            raise ArgumentError(f"{self.name}: {size} bytes were given, at least {row.least} are wanted")


def adapters(
    library: str,
    version: str,
    rows: Sequence[Row],
    *,
    build: str = "",
    rejections: tuple[type[Exception], ...] = (),
) -> list[Implementation]:
    """The rows of a library as implementations."""
    return [Adapter(row.describe(library, version, build), row, rejections) for row in rows]


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words)
