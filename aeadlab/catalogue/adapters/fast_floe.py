"""fast-floe: FLOE in Rust with AWS-LC, in one thread. The extension contains the crate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from aeadlab.catalogue.adapters.base import ONCE, REUSED, Call, Row, adapters, file_into_reused
from aeadlab.catalogue.implementation import Buffer, Implementation
from aeadlab.errors import AuthenticationError

LIBRARY = "fast-floe"
FEATURE_SWITCH = "none: its AEAD is that of AWS-LC"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    from aeadlab import _native

    rows = [Row("floe" + REUSED, "file", _bind, 32, models=ONCE)]
    version, rejections = _native.fast_floe_version(), (AuthenticationError,)
    return adapters(LIBRARY, version, rows, rejections=rejections, feature_switch=FEATURE_SWITCH)


def _bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from aeadlab import _native

    given = bytes(data)
    run = partial(_native.fast_floe, op == "seal", bytes(key), bytes(aad), given)
    return file_into_reused(run, len(given))
