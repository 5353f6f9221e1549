"""Calls of several blocks: their results are those of one call for each block."""

from __future__ import annotations

from aeadlab import _native
from aeadlab.catalogue.implementation import Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.verify.report import Check, counted

NAME = "many blocks"
FLAG = "many"
"""Flag of an AEAD that seals and opens several blocks of a message in one call, as ParSplit makes them."""


def check(implementation: Implementation) -> Check | None:
    """Compare ``seal_many`` and ``open_many`` with single calls, and open runs with a changed tag or block.

    Runs have 1 to 65 blocks of 1 byte to 16 KiB; they are separate, in place, and with tags between the blocks. The
    result is None for an implementation without the flag `FLAG`.
    """
    if not isinstance(implementation, NativeImplementation) or FLAG not in implementation.description.flags:
        return None
    return counted(NAME, lambda: _native.check_many(implementation.native))
