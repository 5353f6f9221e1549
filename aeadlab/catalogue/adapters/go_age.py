"""The age of Go, by the author of the format: files with one X25519 recipient, in one thread."""

from __future__ import annotations

from collections.abc import Sequence

from aeadlab.catalogue.file_library import go_implementations
from aeadlab.catalogue.implementation import Implementation


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    return go_implementations("go-age", "filippo.io/age", "age", _identity)


def _identity(key: bytes) -> bytes:
    from aeadlab.files.age.recipients import X25519Identity

    return X25519Identity(key).to_text().encode()
