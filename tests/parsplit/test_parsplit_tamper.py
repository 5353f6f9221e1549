"""Forgeries of sealed messages: all rearrangements and bit flips of five blocks, and random changes."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import assume, given, settings, strategies as st

from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.parsplit.parsplit import ParSplit

KEY, NONCE, AAD, TAG = bytes(range(32)), b"7 bytes", b"associated", 16
CIPHER = ParSplit("openssl/aes-256-gcm", 16, 2, serial_below=0)


def text(length: int) -> bytes:
    """Return a message of which all blocks differ."""
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def blocks(sealed: bytes, length: int) -> list[tuple[bytes, bytes]]:
    """Return the ciphertext and the tag of each block."""
    count = max(1, -(-length // 16))
    tags = [sealed[length + i * TAG :][:TAG] for i in range(count)]
    return [(sealed[:length][i * 16 : (i + 1) * 16], tag) for i, tag in enumerate(tags)]


def joined(parts: list[tuple[bytes, bytes]]) -> bytes:
    return b"".join(part for part, _ in parts) + b"".join(tag for _, tag in parts)


def assert_rejected(sealed: bytes, change: object) -> None:
    """Impossible lengths raise ArgumentError, all else AuthenticationError, and no plaintext remains in `out`."""
    out = bytearray(b"\xaa" * (len(sealed) + 1))
    with pytest.raises((AuthenticationError, ArgumentError)) as caught:
        pytest.fail(f"{change}: {CIPHER.decrypt(KEY, NONCE, sealed, AAD, out)!r}")
    assert not set(out) - {0, 0xAA} or caught.type is ArgumentError
    if caught.type is ArgumentError:
        assert "sealed message of" in str(caught.value)


@pytest.mark.parametrize("length", [80, 77])
def test_rejects_every_rearrangement_of_five_blocks(length: int) -> None:
    parts = blocks(bytes(CIPHER.encrypt(KEY, NONCE, text(length), AAD)), length)
    orders = {order for count in range(6) for order in permutations(range(5), count)}
    orders |= {(*range(i), j, *range(i, 5)) for i in range(6) for j in range(5)}
    orders |= {(*range(i), j, *range(i + 1, 5)) for i in range(5) for j in range(5)}
    for order in orders - {(0, 1, 2, 3, 4)}:
        assert_rejected(joined([parts[i] for i in order]), order)
        assert_rejected(
            joined([(parts[i][0], parts[min(k, 4)][1]) for k, i in enumerate(order)]), f"{order} of the ciphertext only"
        )


def test_rejects_every_flipped_bit_length_and_splice() -> None:
    sealed = bytes(CIPHER.encrypt(KEY, NONCE, text(77), AAD))
    assert CIPHER.decrypt(KEY, NONCE, sealed, AAD) == text(77)
    for bit in range(8 * len(sealed)):
        changed = bytearray(sealed)
        changed[bit // 8] ^= 1 << bit % 8
        assert_rejected(bytes(changed), f"bit {bit}")
    for length in range(len(sealed)):
        assert_rejected(sealed[:length], f"truncated to {length}")
    for more in range(1, 70):
        assert_rejected(sealed + bytes(more), f"{more} more")
        assert_rejected(bytes(more) + sealed, f"{more} before")
    other = bytes(CIPHER.encrypt(KEY, b"nonce 2", text(77), AAD))
    one, two = blocks(sealed, 77), blocks(other, 77)
    for first in range(5):
        for end in range(first + 1, 6):
            assert_rejected(joined(one[:first] + two[first:end] + one[end:]), f"blocks {first} to {end} of another")


@settings(deadline=None, max_examples=300)
@given(data=st.data(), length=st.integers(0, 500))
def test_rejects_random_changes(data: st.DataObject, length: int) -> None:
    sealed = bytes(CIPHER.encrypt(KEY, NONCE, text(length), AAD))
    parts = blocks(sealed, length)
    match data.draw(st.sampled_from(["bytes", "cut", "extend", "order"])):
        case "bytes":
            at = data.draw(st.integers(0, len(sealed) - 1))
            new = data.draw(st.binary(min_size=1, max_size=20))
            forged = sealed[:at] + new + sealed[at + len(new) :]
        case "cut":
            forged = sealed[: data.draw(st.integers(0, len(sealed) - 1))]
        case "extend":
            forged = sealed + data.draw(st.binary(min_size=1, max_size=64))
        case _:
            order = data.draw(st.lists(st.integers(0, len(parts) - 1), max_size=len(parts) + 2))
            forged = joined([parts[i] for i in order])
    assume(forged != sealed)
    assert_rejected(forged, forged)
