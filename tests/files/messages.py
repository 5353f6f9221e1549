"""Messages for the tests of file formats."""

from __future__ import annotations


def message(length: int) -> bytes:
    """Return a message of which all chunks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]
