"""Changes of valid inputs: bits, bytes, pieces."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

COMMON = (b"\0", b"\xff", b"\n", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\xff" * 8)
_SIZES = (1, 2, 4, 8, 16, 64, 256, 4096)
_NEAR = 64
"""Bytes at both ends, where headers and footers are, that get half of the changes."""


def mutated(random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Return one of the seeds, mostly with one to eight changes; rarely unchanged, or arbitrary bytes."""
    kind = random.randrange(100)
    if kind == 0:
        return random.randbytes(random.randrange(300))
    octets = bytearray(random.choice(seeds))
    for _ in range(0 if kind == 1 else random.choice((1, 1, 1, 2, 3, 8))):
        _change(random, octets, (*words, *COMMON))
    return bytes(octets)


def _change(random: Random, octets: bytearray, words: Sequence[bytes]) -> None:
    start = _place(random, len(octets))
    end = start + random.choice(_SIZES)
    match random.randrange(8):
        case 0 | 1 if start < len(octets):
            octets[start] ^= 1 << random.randrange(8)
        case 2 if start < len(octets):
            octets[start] = random.randrange(256)
        case 3:
            octets[start:start] = random.choice(words)
        case 4:
            word = random.choice(words)
            octets[start : start + len(word)] = word
        case 5:
            del octets[start:end]
        case 6:
            other = _place(random, len(octets))
            octets[other:other] = octets[start:end]
        case 7:
            del octets[start:]


def _place(random: Random, size: int) -> int:
    match random.randrange(4):
        case 0:
            return min(random.randrange(_NEAR), size)
        case 1:
            return max(0, size - random.randrange(_NEAR))
    return random.randrange(size + 1)
