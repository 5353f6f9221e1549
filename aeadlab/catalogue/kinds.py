"""The kinds of algorithm, and the operations of each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

Kind = Literal["aead", "cipher", "hash", "mac", "generator", "file"]
Op = Literal["seal", "open", "encrypt", "decrypt", "digest", "generate"]
Model = Literal["oneshot", "keyed", "rekeyed"]

KINDS: tuple[Kind, ...] = get_args(Kind)

OPS: Mapping[Kind, tuple[Op, ...]] = MappingProxyType(
    {
        "aead": ("seal", "open"),
        "cipher": ("encrypt", "decrypt"),
        "hash": ("digest",),
        "mac": ("digest",),
        "generator": ("generate",),
        "file": ("seal", "open"),
    }
)
"""Operations of each kind; the forward operation is first. A file is sealed with new random values each time."""

DELAY: Final = "baseline/delay"
"""The implementation that waits instead of computing, so that each thread behaves as if it had its own core."""

UNPROTECTED: Final = frozenset({"baseline", "not-cryptographic"})
"""Flags of implementations that protect no data: reports and claims do not count them among the fastest."""
