"""Bech32 (BIP 173) without its limit of length, as age encodes recipients and identities."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import xor
from typing import Final

from aeadlab.errors import ArgumentError

_CHARACTERS: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_FACTORS: Final = tuple(
    reduce(xor, (factor for bit, factor in enumerate(_GENERATOR) if top >> bit & 1), 0) for top in range(32)
)
"""The sum of the generators that the five highest bits of a checksum select."""

_CHECKSUM: Final = 6


def _polymod(values: Iterable[int]) -> int:
    checksum = 1
    for value in values:
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value ^ _FACTORS[checksum >> 25]
    return checksum


def _expanded(prefix: str) -> list[int]:
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def _regrouped(values: Iterable[int], width: int, to: int) -> tuple[list[int], int, int]:
    """Return groups of `to` bits, the bits left over, and their number."""
    rest = bits = 0
    groups = []
    for value in values:
        rest, bits = rest << width | value, bits + width
        while bits >= to:
            bits -= to
            groups.append(rest >> bits)
            rest &= (1 << bits) - 1
    return groups, rest, bits


def encode(prefix: str, data: bytes) -> str:
    """Return the lower-case text of `data` under a lower-case prefix."""
    values, rest, bits = _regrouped(data, 8, 5)
    values += [rest << 5 - bits] if bits else []
    checksum = _polymod([*_expanded(prefix), *values, *[0] * _CHECKSUM]) ^ 1
    values += [checksum >> 5 * (_CHECKSUM - 1 - i) & 31 for i in range(_CHECKSUM)]
    return f"{prefix}1{''.join(_CHARACTERS[value] for value in values)}"


def decode(text: str) -> tuple[str, bytes]:
    """Return the lower-case prefix of a text and its bytes.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If it is mixed in case, or has a wrong character, checksum or length. The message does not contain the text,
        which may be a secret.
    """
    lower = text.lower()
    prefix, separator, data = lower.rpartition("1")
    if text not in (lower, text.upper()) or not separator or not prefix or not set(data) <= set(_CHARACTERS):
        raise ArgumentError("a text that is not Bech32 given, a recipient age1… or an identity expected")
    values = [_CHARACTERS.index(character) for character in data]
    if len(values) < _CHECKSUM or _polymod([*_expanded(prefix), *values]) != 1:
        raise ArgumentError("the checksum of a recipient or an identity does not match: a character is mistyped")
    octets, rest, bits = _regrouped(values[:-_CHECKSUM], 5, 8)
    if bits >= 5 or rest:
        raise ArgumentError("a recipient or an identity of an invalid length given")
    return prefix, bytes(octets)
