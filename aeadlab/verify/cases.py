"""The messages on which libraries must agree: lengths around the edges of blocks, vectors, chunks and buffers."""

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
"""Message lengths in bytes: around the edges of blocks and of what code handles at a time."""

PADDING_LENGTHS = (55, 56, 111, 112, 135, 136, 137, 143, 144, 167, 168, 169)
"""More of them for hashes and MACs: where padding needs another block (SHA-1, SHA-2), and the rates of SHA-3."""

AAD_LENGTHS = (0, 1, 16, 17, 100)
NO_AAD = "no-associated-data"
"""The flag of an AEAD that takes none, and refuses it."""
_ALL_AAD_UP_TO = 1025
_COUNTER_CARRIES = (4, 8)


@dataclass(frozen=True)
class Case:
    """One message; nonce and associated data are empty where there are none."""

    key: bytes
    nonce: bytes
    aad: bytes
    data: bytes

    def answer(self, implementation: Implementation) -> bytes:
        """What an implementation makes of the message: sealed, encrypted or digested, as its kind is."""
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
    """The cases for an implementation; the same for all that take the same lengths.

    Lengths are cut to whole blocks. Two more cases have nonces whose last 4 and 8 bytes are all but overflown, where a
    counter must carry; a generator's nonce is the end of its key.
    """
    more = PADDING_LENGTHS if d.kind in ("hash", "mac") else ()
    lengths = sorted({n - n % d.block_bytes for n in (*LENGTHS, *more)})
    for number, length in enumerate(lengths):
        aads: tuple[int, ...] = (0,)
        if d.kind == "aead":
            aads = AAD_LENGTHS if length <= _ALL_AAD_UP_TO else (AAD_LENGTHS[number % len(AAD_LENGTHS)],)
        for aad in aads:
            label = f"{length} {aad}"
            yield Case(
                octets(f"key {label}", d.key_bytes),
                nonce(label, d.nonce_bytes),
                octets("aad", aad),
                message(length),
            )
    for carry in _COUNTER_CARRIES:
        # Two below the overflow.
        low = (256**carry - 2).to_bytes(carry, "big")
        if d.kind == "generator" and d.key_bytes > carry:
            yield Case(octets(f"carry {carry}", d.key_bytes - carry) + low, b"", b"", message(1025))
        if d.nonce_bytes > carry:
            # The first byte is clear, so that no counter passes its own end.
            high = bytes(1) + octets(f"carry {carry}", d.nonce_bytes - carry - 1)
            length = 1025 - 1025 % d.block_bytes
            yield Case(octets("carry key", d.key_bytes), high + low, b"", message(length))


def requests(length: int) -> list[int]:
    """Requests to a generator that make `length` bytes: words, what is shorter, and what is longer than buffers."""
    found: list[int] = []
    left = length
    for size in cycle((4, 1, 3, 256, 7, 4, 2050)):
        if not left:
            return found
        found.append(min(size, left))
        left -= found[-1]
    return found


def octets(label: str, length: int) -> bytes:
    """Bytes that look random and are the same on every machine."""
    return hashlib.shake_128(f"aeadlab {label}".encode()).digest(length)


def nonce(label: str, length: int) -> bytes:
    """Octets with the first bit clear: MGM (RFC 9058) takes no others, because the bit tells its two counters apart."""
    drawn = octets(f"nonce {label}", length)
    return bytes(first & 0x7F for first in drawn[:1]) + drawn[1:]


def message(length: int) -> bytes:
    """The first `length` bytes of the common message."""
    return _longest()[:length]


@cache
def _longest() -> bytes:
    return octets("message", max(LENGTHS))
