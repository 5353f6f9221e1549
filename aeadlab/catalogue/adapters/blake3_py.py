"""blake3-py: the BLAKE3 team's Rust crate behind PyO3; one thread, which is its default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aeadlab.catalogue.adapters.base import Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "blake3-py"


def implementations() -> Sequence[Implementation]:
    """Everything measured from this library.

    Raises
    ------
    ImportError
        If blake3 is not installed.
    """
    import blake3

    return adapters(LIBRARY, blake3.__version__, tuple(_rows()), rejections=())


def _rows() -> Iterator[Row]:
    yield Row("blake3", "hash", _bind, tag=32)
    yield Row("blake3-keyed", "mac", _bind, 32, tag=32)


def _bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from blake3 import blake3

    # A hash object with no key is cheap, but reset() saves even that; with a key it saves the key's set-up.
    arguments: dict[str, Any] = {"key": key} if key else {}
    if model == "oneshot":
        return lambda: blake3(data, **arguments).digest()
    hasher = blake3(**arguments)

    def call() -> bytes:
        hasher.reset()
        hasher.update(data)
        return hasher.digest()

    return call
