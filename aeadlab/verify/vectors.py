"""Known answers: published inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from aeadlab.catalogue.implementation import Implementation


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer; lengths in bytes.

    Attributes
    ----------
    source
        The publisher.
    label
        File or section, and the number of the vector in it.
    key, nonce, aad, message
        The inputs; empty if the algorithm has none, and if the message of an invalid vector is unknown.
    output
        Ciphertext followed by the tag (AEAD), ciphertext (cipher), or digest (hash, MAC).
    tag_bytes
        Length of the tag at the end of `output`, or of the digest of hashes and MACs.
    valid
        False if opening must fail, or the MAC must differ.
    offset
        Number of bytes of keystream before `message`.
    key_grows_to
        Length up to which zeros may extend the key without a change of the output (HMAC, RFC 2104, section 2).
    weak_key
        Whether libraries may reject the key (3DES with two equal consecutive parts, SP 800-67, section 3.3.1).
    extendable
        Whether the comparison ends with the shorter of the two outputs (SHAKE, BLAKE3, truncated tags of HMAC).
    forbidden_length
        Whether key, nonce or tag has a length that the algorithm forbids, so that every implementation must reject it.
    """

    source: str
    label: str
    key: bytes = b""
    nonce: bytes = b""
    aad: bytes = b""
    message: bytes = b""
    output: bytes = b""
    tag_bytes: int = 0
    valid: bool = True
    offset: int = 0
    key_grows_to: int = 0
    weak_key: bool = False
    extendable: bool = False
    forbidden_length: bool = False


@dataclass(frozen=True, slots=True)
class Procedure:
    """A known answer that requires several calls.

    Attributes
    ----------
    source, label
        As in `Vector`.
    run
        Computes the output with an implementation of the algorithm.
    expected
        The published output.
    """

    source: str
    label: str
    run: Callable[[Implementation], bytes]
    expected: bytes


Answer: TypeAlias = Vector | Procedure
Table: TypeAlias = Mapping[str, Callable[[], Iterable[Answer]]]


def gmac_vectors(gcm: Iterable[Vector]) -> Iterator[Vector]:
    """Iterate over the vectors of GMAC, which are those of GCM with an empty message."""
    for v in gcm:
        if len(v.output) == v.tag_bytes:
            inputs = (v.source, v.label, v.key, v.nonce, b"", v.aad)
            yield Vector(*inputs, v.output, v.tag_bytes, v.valid, forbidden_length=v.forbidden_length)
