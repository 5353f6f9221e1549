"""A known answer: inputs that someone published with the right output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from aeadlab.catalogue.implementation import Implementation


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer; lengths in bytes.

    Attributes
    ----------
    source
        Who published it.
    label
        In which file or section, and which one there.
    key, nonce, aad, message
        The inputs; empty where the algorithm has none. The message of an invalid vector may be unknown, then empty.
    output
        Ciphertext followed by the tag (aead), ciphertext (cipher), or digest (hash, mac).
    tag_bytes
        Length of the tag at the end of `output`, of the digest for hashes and MACs.
    valid
        False where opening must fail, or where a MAC must be another one.
    offset
        How much keystream comes before `message`: the vectors of stream ciphers may start late.
    key_grows_to
        Zero bytes may be added to the key up to this length without changing the answer (HMAC, RFC 2104 section 2).
    weak_key
        Libraries may refuse the key (3DES with two parts alike, SP 800-67 section 3.3.1).
    extendable
        The longer of this answer and the implementation's may be cut to the shorter (SHAKE, BLAKE3).
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


@dataclass(frozen=True, slots=True)
class Procedure:
    """A known answer that takes more than one call to compute.

    Attributes
    ----------
    source, label
        As in `Vector`.
    run
        Computes the answer with an implementation of the algorithm.
    expected
        What it must be.
    """

    source: str
    label: str
    run: Callable[[Implementation], bytes]
    expected: bytes


Answer: TypeAlias = Vector | Procedure
Table: TypeAlias = Mapping[str, Callable[[], Iterable[Answer]]]
