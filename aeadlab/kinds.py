"""The kinds of algorithm, and what can be done with each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

Kind = Literal["aead", "cipher", "hash", "mac", "generator"]
Op = Literal["seal", "open", "encrypt", "decrypt", "digest", "generate"]
Model = Literal["oneshot", "keyed"]

KINDS: tuple[Kind, ...] = get_args(Kind)

OPS: Mapping[Kind, tuple[Op, ...]] = MappingProxyType(
    {
        "aead": ("seal", "open"),
        "cipher": ("encrypt", "decrypt"),
        "hash": ("digest",),
        "mac": ("digest",),
        "generator": ("generate",),
    }
)
"""What can be done with each kind; of two the one that the other undoes stands first."""

DELAY: Final = "baseline/delay"
"""The implementation that waits instead of computing: under it every thread has a core of its own, however many."""
