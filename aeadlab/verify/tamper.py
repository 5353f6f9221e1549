"""Tampering: a message opens only unchanged, with the same key, nonce and associated data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aeadlab import _native
from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.catalogue.native import NativeImplementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify.cases import NO_AAD, message, nonce, pseudorandom
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "tamper"

_ALL_BITS_UP_TO = 64
_SAMPLED_BITS = 64
_MIN_BYTES_FOR_KEY_BITS = 16
_ALL_OTHER_BITS_UP_TO = 4096
"""Message length in bytes up to which all bits of key, nonce and tag are flipped, beyond it every ninth bit."""
_SHAPES = ((0, 0), (0, 17), (1, 1), (16, 16), (64, 0), (64, 17), (1000, 100), (65537, 17))
"""Lengths in bytes of message and associated data."""


@dataclass(frozen=True)
class Sealed:
    """Arguments of the operation open."""

    key: bytes
    nonce: bytes
    aad: bytes
    sealed: bytes


def check(implementation: Implementation) -> Check | None:
    """Open messages with flipped bits of key, nonce, tag, ciphertext and associated data, and with other lengths.

    The result is None if it is not an AEAD, or a baseline, which protects nothing.

    Each bit of the nonce and the tag is flipped, and each bit of the key if the message has 16 bytes or more. Each bit
    of a ciphertext of up to 64 bytes is flipped; of a longer one 64 bits over its length, and those of the first and
    the last byte. The same rule applies to associated data. For messages over 4096 bytes only every ninth of these
    bits is flipped, except in the ciphertext. Behind the C ABI, a forged tag is also opened in place and behind the
    text.
    """
    d = implementation.description
    if d.kind != "aead" or "baseline" in d.flags:
        return None
    tally = Tally(NAME)
    if NO_AAD in d.flags:
        tally.add(_accepts_aad(implementation), "associated data")
    shapes = dict.fromkeys((data - data % d.block_bytes, aad) for data, aad in _SHAPES)
    for data_bytes, aad_bytes in shapes:
        if aad_bytes and NO_AAD in d.flags:
            continue
        shape = f"{data_bytes} bytes with {aad_bytes} of associated data"
        key, number = pseudorandom(f"tamper key {shape}", d.key_bytes), nonce(f"tamper {shape}", d.nonce_bytes)
        aad = pseudorandom("tamper aad", aad_bytes)
        try:
            sealed = implementation.seal(key, number, message(data_bytes), aad)
        except ArgumentError:
            tally.skip("unsupported length")
            continue
        except FAULTS as error:
            tally.add(f"{shape}: unchanged: {fault(error)}", "unchanged")
            continue
        original = Sealed(key, number, aad, sealed)
        try:
            opened = implementation.open(key, number, original.sealed, aad)
        except FAULTS as error:
            tally.add(f"{shape}: unchanged: {fault(error)}", "unchanged")
            continue
        tally.add(
            "" if opened == message(data_bytes) else f"{shape}: unchanged: the opened message differs", "unchanged"
        )
        for part, change, changed in _changes(original, d):
            accepted = _accepted(implementation, changed, original)
            tally.add(f"{shape}, {part} {change}: accepted" if accepted else "", part)
        if isinstance(implementation, NativeImplementation):
            failure = _forged(implementation, original, message(data_bytes))
            tally.add(f"{shape}, {failure}" if failure else "", "forged in place")
    return tally.check()


def _forged(implementation: NativeImplementation, original: Sealed, data: bytes) -> str:
    """Return where a forged tag is accepted if the buffers are those of the engine, or ``""``."""
    inputs = (original.key, original.nonce, data, original.aad, original.sealed)
    try:
        _native.check_placements(implementation.native, *inputs, forged=True)
    except FAULTS as error:
        return str(error)
    return ""


def _accepts_aad(implementation: Implementation) -> str:
    """Return the failure of an AEAD that declares to reject associated data and accepts it, or ``""``."""
    d = implementation.description
    try:
        implementation.seal(pseudorandom("tamper key", d.key_bytes), nonce("tamper", d.nonce_bytes), b"", b"aad")
    except ArgumentError:
        return ""
    return "it declares to reject associated data, and accepts it"


def _accepted(implementation: Implementation, changed: Sealed, original: Sealed) -> bool:
    """Return whether a changed message is not rejected.

    An argument error is a rejection if the length is impossible, or if the nonce is changed, because MGM rejects half
    of all nonces before it verifies a tag.
    """
    d = implementation.description
    try:
        implementation.open(changed.key, changed.nonce, changed.sealed, changed.aad)
    except AuthenticationError:
        return False
    except ArgumentError:
        if changed.nonce != original.nonce:
            return False
        body = len(changed.sealed) - d.tag_bytes
        return body >= 0 and body % d.block_bytes == 0 and not (changed.aad and NO_AAD in d.flags)
    except FAULTS:
        return True
    return True


def _changes(original: Sealed, d: Description) -> Iterator[tuple[str, str, Sealed]]:
    """Iterate over changed part, description of the change, and changed message."""
    body = len(original.sealed) - d.tag_bytes
    step = 1 if body <= _ALL_OTHER_BITS_UP_TO else 9
    # One half of an SIV key only encrypts, so a short message may open to itself after a change of that half.
    for bit in range(0, 8 * d.key_bytes if body >= _MIN_BYTES_FOR_KEY_BITS else 0, step):
        yield "key", f"bit {bit}", replace(original, key=_flip(original.key, bit))
    for bit in range(0, 8 * d.nonce_bytes, step):
        yield "nonce", f"bit {bit}", replace(original, nonce=_flip(original.nonce, bit))
    for bit in _bits(len(original.aad))[::step]:
        yield "associated data", f"bit {bit}", replace(original, aad=_flip(original.aad, bit))
    for bit in _bits(body):
        yield "ciphertext", f"bit {bit}", replace(original, sealed=_flip(original.sealed, bit))
    for bit in range(8 * body, 8 * len(original.sealed), step):
        yield "tag", f"bit {bit - 8 * body}", replace(original, sealed=_flip(original.sealed, bit))
    yield from _lengths(original, d.tag_bytes)


def _lengths(original: Sealed, tag_bytes: int) -> Iterator[tuple[str, str, Sealed]]:
    sealed, aad = original.sealed, original.aad
    body, tag = sealed[: len(sealed) - tag_bytes], sealed[len(sealed) - tag_bytes :]
    for cut in sorted({1, 16, tag_bytes, len(sealed)}):
        if cut <= len(sealed):
            yield "truncated", f"by {cut} at the end", replace(original, sealed=sealed[:-cut])
            yield "truncated", f"by {cut} at the start", replace(original, sealed=sealed[cut:])
        if cut <= len(body):
            yield "truncated", f"by {cut} before the tag", replace(original, sealed=body[:-cut] + tag)
    for more in (bytes(1), bytes(16), pseudorandom("more", 16)):
        yield "extended", f"by {len(more)} at the end", replace(original, sealed=sealed + more)
        yield "extended", f"by {len(more)} before the tag", replace(original, sealed=body + more + tag)
        yield "extended", f"by {len(more)} at the start", replace(original, sealed=more + sealed)
        yield "associated data", f"extended by {len(more)}", replace(original, aad=aad + more)
    if aad:
        yield "associated data", "left out", replace(original, aad=b"")
        yield "associated data", "shortened", replace(original, aad=aad[:-1])
        moved = replace(original, aad=aad[:-1], sealed=aad[-1:] + sealed)
        yield "associated data", "moved to the ciphertext", moved


def _bits(length: int) -> Sequence[int]:
    """Return the bits to flip: all of a short part, else those of the first and last byte and 64 over the length."""
    if length <= _ALL_BITS_UP_TO:
        return range(8 * length)
    last = 8 * length - 1
    spread = (i * last // _SAMPLED_BITS for i in range(_SAMPLED_BITS))
    return sorted({*range(8), *range(last - 7, last + 1), *spread})


def _flip(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)
