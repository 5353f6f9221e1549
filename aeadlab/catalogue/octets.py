"""The memory of arguments as bytes, for code in Python; the extension has the same rule."""

from __future__ import annotations

from typing import Any

from aeadlab import _native


def octets(object: Any, name: str) -> bytes | bytearray | memoryview:
    """Return bytes and bytearrays unchanged, and the memory of another object as a memoryview of bytes.

    Raises
    ------
    aeadlab.errors.BufferArgumentError
        If it is no contiguous memory of numbers, bool or bytes, alone or in structs; the message begins with `name`.
    """
    if isinstance(object, bytes | bytearray):
        return object
    # A memoryview with a zero in its shape cannot be cast.
    return memoryview(object).cast("B") if _native.check_buffer(object, name) else memoryview(b"")
