"""pyrage: the age of the Rust crate `age`, in one thread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import metadata

from aeadlab.catalogue.adapters.base import ONCE, Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "pyrage"
FEATURE_SWITCH = "none: its crates detect CPU features themselves and read no setting"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    import pyrage

    rows = [Row("age", "file", _bind, 32, models=ONCE, flags=frozenset({"no-associated-data"}))]
    version = metadata.version(LIBRARY)
    return adapters(LIBRARY, version, rows, rejections=(pyrage.DecryptError,), feature_switch=FEATURE_SWITCH)


def _bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    import pyrage

    from aeadlab.files.age.recipients import X25519Identity

    identity = pyrage.x25519.Identity.from_str(X25519Identity(bytes(key)).to_text())
    if op == "open":
        return partial(pyrage.decrypt, bytes(data), [identity])
    return partial(pyrage.encrypt, bytes(data), [identity.to_public()])
