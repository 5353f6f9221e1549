"""A known answer, and where the known answers of an algorithm come from."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

from aeadlab.catalogue.implementation import Implementation
from aeadlab.verify import sources


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer.

    Attributes
    ----------
    source
        Who published it, and in which file or section.
    label
        Which one of that source.
    key, nonce, aad, message
        The inputs; empty where the algorithm has none. The message of an invalid vector may be unknown, then empty.
    output
        Ciphertext followed by the tag (aead), ciphertext (cipher), or digest (hash, mac).
    tag_bytes
        Length of the tag at the end of `output`, of the digest for hashes and MACs.
    valid
        False where opening must fail, or where a MAC must be another one.
    offset
        How many bytes of the keystream come before `message`: for stream ciphers, whose vectors may start late.
    key_grows_to
        Zero bytes may be added to the key up to this length without changing the answer (HMAC, RFC 2104 section 2).
    extendable
        The answer may be cut to the digest length of the implementation, or it to the answer's (SHAKE, BLAKE3).
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
    extendable: bool = False


@dataclass(frozen=True)
class Procedure:
    """A known answer that takes more than one call to compute.

    Attributes
    ----------
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


@lru_cache(maxsize=4)
def vectors(algorithm: str) -> tuple[Answer, ...]:
    """All known answers of an algorithm, in the order of the sources' names.

    Raises
    ------
    ImportError
        If a package that holds vectors is not installed.
    """
    return tuple(answer for table in _tables() if algorithm in table for answer in table[algorithm]())


def algorithms() -> frozenset[str]:
    """Every algorithm for which some source has known answers."""
    return frozenset(name for table in _tables() for name in table)


@cache
def _tables() -> tuple[Table, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(sources.__path__))
    modules = (importlib.import_module(f"{sources.__name__}.{name}") for name in names)
    return tuple(module.TABLE for module in modules if hasattr(module, "TABLE"))
