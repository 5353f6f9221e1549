"""Tampering: nothing opens but what was sealed, with the key, nonce and associated data that it was sealed with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from aeadlab.catalogue.implementation import Description, Implementation
from aeadlab.errors import ArgumentError, AuthenticationError
from aeadlab.verify.cases import NO_AAD, message, nonce, octets
from aeadlab.verify.report import FAULTS, Check, Tally, fault

NAME = "tamper"

_EVERY_BIT_UP_TO = 64
_SAMPLED_BITS = 64
_NOT_BY_CHANCE = 16
_EVERY_BIT_OF_THE_REST_UP_TO = 4096
"""Bytes of a message. Of longer ones the ciphertext is the point; of the rest every ninth bit is tried."""
_SHAPES = ((0, 0), (0, 17), (1, 1), (16, 16), (64, 0), (64, 17), (1000, 100), (65537, 17))
"""Lengths in bytes of message and associated data."""


@dataclass(frozen=True)
class Sealed:
    """What is given to open."""

    key: bytes
    nonce: bytes
    aad: bytes
    sealed: bytes


def check(implementation: Implementation) -> Check | None:
    """Open what was changed: every bit of key, nonce and tag, bits of the rest, and other lengths.

    All bits of the ciphertext are tried up to 64 bytes, of longer ones 64 over the whole length and those at both ends;
    likewise for the associated data. With messages over 4096 bytes every ninth bit of all but the ciphertext is.

    Returns
    -------
    Check or None
        None for what is no AEAD, and for a baseline, which has the shape of one and protects nothing.
    """
    d = implementation.description
    if d.kind != "aead" or "baseline" in d.flags:
        return None
    tally = Tally(NAME)
    if NO_AAD in d.flags:
        tally.add(_takes_aad(implementation), "associated data")
    shapes = dict.fromkeys((data - data % d.block_bytes, aad) for data, aad in _SHAPES)
    for data_bytes, aad_bytes in shapes:
        if aad_bytes and NO_AAD in d.flags:
            continue
        shape = f"{data_bytes} bytes with {aad_bytes} of associated data"
        key, number = octets(f"tamper key {shape}", d.key_bytes), nonce(f"tamper {shape}", d.nonce_bytes)
        aad = octets("tamper aad", aad_bytes)
        try:
            sealed = implementation.seal(key, number, message(data_bytes), aad)
        except ArgumentError:
            tally.skip("length that it refuses")
            continue
        except FAULTS as error:
            tally.add(f"{shape}: unchanged: {fault(error)}", "unchanged")
            continue
        honest = Sealed(key, number, aad, sealed)
        try:
            opened = implementation.open(key, number, honest.sealed, aad)
        except FAULTS as error:
            tally.add(f"{shape}: unchanged: {fault(error)}", "unchanged")
            continue
        tally.add("" if opened == message(data_bytes) else f"{shape}: unchanged, another message came out", "unchanged")
        for what, where, changed in _changes(honest, d):
            accepted = _accepted(implementation, changed, honest)
            tally.add(f"{shape}, {what} {where}: accepted" if accepted else "", what)
    return tally.check()


def _takes_aad(implementation: Implementation) -> str:
    """Why an AEAD that says it takes no associated data does not refuse it, or ``""``."""
    d = implementation.description
    try:
        implementation.seal(octets("tamper key", d.key_bytes), nonce("tamper", d.nonce_bytes), b"", b"aad")
    except ArgumentError:
        return ""
    return "it says that it takes no associated data, and takes it"


def _accepted(implementation: Implementation, changed: Sealed, honest: Sealed) -> bool:
    """Whether anything but a rejection came of it; an argument error is one of a length that none has, or of a nonce.

    MGM refuses half of all nonces before it looks at a tag.
    """
    d = implementation.description
    try:
        implementation.open(changed.key, changed.nonce, changed.sealed, changed.aad)
    except AuthenticationError:
        return False
    except ArgumentError:
        if changed.nonce != honest.nonce:
            return False
        body = len(changed.sealed) - d.tag_bytes
        return body >= 0 and body % d.block_bytes == 0 and not (changed.aad and NO_AAD in d.flags)
    except FAULTS:
        return True
    return True


def _changes(honest: Sealed, d: Description) -> Iterator[tuple[str, str, Sealed]]:
    """What was changed, where, and the result."""
    body = len(honest.sealed) - d.tag_bytes
    # Half of SIV's key does nothing but encrypt: with another one a short message may come out the same.
    step = 1 if body <= _EVERY_BIT_OF_THE_REST_UP_TO else 9
    for bit in range(0, 8 * d.key_bytes if body >= _NOT_BY_CHANCE else 0, step):
        yield "key", f"bit {bit}", replace(honest, key=_flipped(honest.key, bit))
    for bit in range(0, 8 * d.nonce_bytes, step):
        yield "nonce", f"bit {bit}", replace(honest, nonce=_flipped(honest.nonce, bit))
    for bit in _bits(len(honest.aad))[::step]:
        yield "associated data", f"bit {bit}", replace(honest, aad=_flipped(honest.aad, bit))
    for bit in _bits(body):
        yield "ciphertext", f"bit {bit}", replace(honest, sealed=_flipped(honest.sealed, bit))
    for bit in range(8 * body, 8 * len(honest.sealed), step):
        yield "tag", f"bit {bit - 8 * body}", replace(honest, sealed=_flipped(honest.sealed, bit))
    yield from _lengths(honest, d.tag_bytes)


def _lengths(honest: Sealed, tag_bytes: int) -> Iterator[tuple[str, str, Sealed]]:
    sealed, aad = honest.sealed, honest.aad
    body, tag = sealed[: len(sealed) - tag_bytes], sealed[len(sealed) - tag_bytes :]
    for cut in sorted({1, 16, tag_bytes, len(sealed)}):
        if cut <= len(sealed):
            yield "truncated", f"by {cut} at the end", replace(honest, sealed=sealed[:-cut])
            yield "truncated", f"by {cut} at the start", replace(honest, sealed=sealed[cut:])
        if cut <= len(body):
            yield "truncated", f"by {cut} before the tag", replace(honest, sealed=body[:-cut] + tag)
    for more in (bytes(1), bytes(16), octets("more", 16)):
        yield "extended", f"by {len(more)} at the end", replace(honest, sealed=sealed + more)
        yield "extended", f"by {len(more)} before the tag", replace(honest, sealed=body + more + tag)
        yield "extended", f"by {len(more)} at the start", replace(honest, sealed=more + sealed)
        yield "associated data", f"extended by {len(more)}", replace(honest, aad=aad + more)
    if aad:
        yield "associated data", "left out", replace(honest, aad=b"")
        yield "associated data", "shortened", replace(honest, aad=aad[:-1])
        moved = replace(honest, aad=aad[:-1], sealed=aad[-1:] + sealed)
        yield "associated data", "moved to the ciphertext", moved


def _bits(length: int) -> Sequence[int]:
    """Bits of so many bytes: all of a few, else those of the first and last byte and some over the whole length."""
    if length <= _EVERY_BIT_UP_TO:
        return range(8 * length)
    last = 8 * length - 1
    spread = (i * last // _SAMPLED_BITS for i in range(_SAMPLED_BITS))
    return sorted({*range(8), *range(last - 7, last + 1), *spread})


def _flipped(octets_: bytes, bit: int) -> bytes:
    changed = bytearray(octets_)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)
