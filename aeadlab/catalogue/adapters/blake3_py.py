"""blake3-py: the Rust crate of the BLAKE3 team with PyO3 bindings, with its default of one thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aeadlab.catalogue.adapters.base import Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "blake3-py"
FEATURE_SWITCH = "none: it detects CPU features itself and reads no setting"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import blake3

    return adapters(LIBRARY, blake3.__version__, tuple(_rows()), feature_switch=FEATURE_SWITCH)


def _rows() -> Iterator[Row]:
    yield Row("blake3", "hash", _bind, tag=32)
    yield Row("blake3-keyed", "mac", _bind, 32, tag=32)


def _bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from blake3 import blake3

    # reset() saves the construction of the object, and with a key also the key set-up.
    arguments: dict[str, Any] = {"key": key} if key else {}
    if model == "oneshot":
        return lambda: blake3(data, **arguments).digest()
    hasher = blake3(**arguments)

    def call() -> bytes:
        hasher.reset()
        hasher.update(data)
        return hasher.digest()

    return call
