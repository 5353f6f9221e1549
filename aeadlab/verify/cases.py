"""Common messages of verification: lengths around the sizes of blocks, vector registers, chunks and buffers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle

from aeadlab.catalogue.implementation import Description, Implementation

LENGTHS = (
    *(0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025),
    *(4095, 4096, 4097, 8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537, 1 << 20, (1 << 20) + 3),
)
"""Message lengths in bytes, around the sizes that code processes at a time."""

PADDING_LENGTHS = (55, 56, 111, 112, 135, 136, 137, 143, 144, 167, 168, 169)
"""Further lengths of hashes and MACs: those whose padding needs another block (SHA-1, SHA-2), and rates of SHA-3."""

AAD_LENGTHS = (0, 1, 16, 17, 100)
NO_AAD = "no-associated-data"
"""Flag of an AEAD that rejects associated data."""
_ALL_AAD_UP_TO = 1025
_COUNTER_CARRIES = (4, 8)


@dataclass(frozen=True)
class Case:
    """One message; nonce and associated data are empty if the algorithm has none."""

    key: bytes
    nonce: bytes
    aad: bytes
    data: bytes

    def output(self, implementation: Implementation) -> bytes:
        """Return the sealed, encrypted or digested message, according to the kind of the implementation."""
        match implementation.description.kind:
            case "aead":
                return implementation.seal(self.key, self.nonce, self.data, self.aad)
            case "cipher":
                return implementation.encrypt(self.key, self.nonce, self.data)
            case "generator":
                return implementation.generate(self.key, requests(len(self.data)))
            case _:
                return implementation.digest(self.key, self.nonce, self.data)

    def __str__(self) -> str:
        aad = f" with {len(self.aad)} bytes of associated data" if self.aad else ""
        return f"{len(self.data)} bytes{aad}"


def cases(d: Description) -> Iterator[Case]:
    """Iterate over the cases of an implementation, which depend only on its kind and lengths.

    Message lengths are reduced to full blocks. Two cases have nonces whose last 4 and 8 bytes overflow as a counter;
    the nonce of a generator is the end of its key.
    """
    if d.kind == "file":
        # Files differ each time; see `aeadlab.verify.file_formats`.
        return
    more = PADDING_LENGTHS if d.kind in ("hash", "mac") else ()
    lengths = sorted({n - n % d.block_bytes for n in (*LENGTHS, *more)})
    for number, length in enumerate(lengths):
        aads: tuple[int, ...] = (0,)
        if d.kind == "aead":
            aads = AAD_LENGTHS if length <= _ALL_AAD_UP_TO else (AAD_LENGTHS[number % len(AAD_LENGTHS)],)
        for aad in aads:
            label = f"{length} {aad}"
            yield Case(
                pseudorandom(f"key {label}", d.key_bytes),
                nonce(label, d.nonce_bytes),
                pseudorandom("aad", aad),
                message(length),
            )
    for carry in _COUNTER_CARRIES:
        # The counter overflows after two blocks.
        low = (256**carry - 2).to_bytes(carry, "big")
        if d.kind == "generator" and d.key_bytes > carry:
            yield Case(pseudorandom(f"carry {carry}", d.key_bytes - carry) + low, b"", b"", message(1025))
        if d.nonce_bytes > carry:
            # The first byte is zero, so that the complete counter does not overflow.
            high = bytes(1) + pseudorandom(f"carry {carry}", d.nonce_bytes - carry - 1)
            length = 1025 - 1025 % d.block_bytes
            yield Case(pseudorandom("carry key", d.key_bytes), high + low, b"", message(length))


def requests(length: int) -> list[int]:
    """Return the sizes of requests for `length` bytes: words, parts of words, and more than buffers."""
    sizes: list[int] = []
    remaining = length
    for size in cycle((4, 1, 3, 256, 7, 4, 2050)):
        if not remaining:
            return sizes
        sizes.append(min(size, remaining))
        remaining -= sizes[-1]
    return sizes


def pseudorandom(label: str, length: int) -> bytes:
    """Return pseudorandom bytes that depend only on the label."""
    return hashlib.shake_128(f"aeadlab {label}".encode()).digest(length)


def nonce(label: str, length: int) -> bytes:
    """Return a pseudorandom nonce whose first bit is zero, as MGM (RFC 9058) requires."""
    drawn = pseudorandom(f"nonce {label}", length)
    return bytes(first & 0x7F for first in drawn[:1]) + drawn[1:]


def message(length: int) -> bytes:
    """Return the first `length` bytes of the common message, which has no end."""
    known = _common_message()
    return known[:length] if length <= len(known) else pseudorandom("message", length)


@cache
def _common_message() -> bytes:
    return pseudorandom("message", max(LENGTHS))
