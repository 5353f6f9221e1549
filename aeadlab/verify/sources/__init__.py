"""Sources of known answers, one module per source.

Each module exports ``TABLE``: for each algorithm a function that returns its known answers. `files` contains shared
readers, which raise ImportError if a package that holds vectors is not installed.

Conventions of names: ``aes-256-gmac`` is GCM of an empty message with the data as associated data;
``aes-256-siv`` has a key of 64 bytes and takes a nonce (RFC 5297 section 3); ``aes-256-xts`` has a key of 64 bytes;
the nonce of CTR is the initial counter block of 16 bytes; ``chacha20`` is that of RFC 8439 with the counter starting
at 0; ``3des`` has a key of 24 bytes; ``shake-128`` and ``shake-256`` may have any output length; a
generator's vectors are those of the stream cipher, ``aegis-128l-stream`` encrypts zeros, and ``blake3-xof`` is keyed
BLAKE3 of an empty message.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache, lru_cache

from aeadlab.verify.vectors import Answer, Table


@lru_cache(maxsize=4)
def known(algorithm: str) -> tuple[Answer, ...]:
    """Return all known answers of an algorithm in the order of the sources; empty if no source has one."""
    return tuple(answer for table in _tables() if algorithm in table for answer in table[algorithm]())


def algorithms() -> frozenset[str]:
    """Return all algorithms with known answers."""
    return frozenset(name for table in _tables() for name in table)


@cache
def _tables() -> tuple[Table, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(module.TABLE for module in modules if hasattr(module, "TABLE"))
