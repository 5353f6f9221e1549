"""The files of this project, in memory and on any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import metadata

from aeadlab.catalogue.adapters.base import ONCE, REUSED, Bind, Call, Row, adapters, reused_memory
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "aeadlab"
FEATURE_SWITCH = "none: its AEADs are those of other libraries"
AGE = "age"
IDENTITY_BYTES = 32
"""Bytes of the key of age, an X25519 identity."""
LEFT_OUT = ("chunked-", "age-payload", "parsplit-v1")
"""What formats begin with that nobody else measures, are parts of others, or are only read."""


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    from aeadlab import _native
    from aeadlab.errors import AuthenticationError, FormatError

    keys = {AGE: IDENTITY_BYTES}
    keys |= {name: key for name, _, _, key, _, _ in _native.formats() if not name.startswith(LEFT_OUT)}
    rows = [_row(name, key, reused) for name, key in keys.items() for reused in (False, True)]
    version = metadata.version(LIBRARY)
    rejections = (AuthenticationError, FormatError)
    return adapters(LIBRARY, version, rows, rejections=rejections, feature_switch=FEATURE_SWITCH)


def _row(name: str, key: int, reused: bool) -> Row:
    flags = frozenset({"parallel", *["no-associated-data"] * (name == AGE)})
    parallel = partial(_bind, name, reused)
    suffix = REUSED if reused else ""
    return Row(name + suffix, "file", parallel(1), key, models=ONCE, flags=flags, parallel=parallel)


def _bind(name: str, reused: bool, threads: int) -> Bind:
    def bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
        from aeadlab import files
        from aeadlab.files.age.recipients import X25519Identity

        secret = X25519Identity(bytes(key)).to_text() if name == AGE else bytes(key)
        function: Callable[..., memoryview] = files.encrypt if op == "seal" else files.decrypt
        call = partial(function, secret, data, aad, format=name, threads=threads)
        if not reused:
            return call
        return partial(call, out=reused_memory(len(call()) if op == "seal" else len(data)))

    return bind
