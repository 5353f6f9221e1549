"""Where known answers come from: one file per source.

Each exports ``TABLE``: for each algorithm, a function that yields its `Vector`s. Adding an algorithm is adding a row.
`files` is the exception: it reads the record files that several sources are written in.

Conventions where names leave room: ``aes-256-gmac`` is GCM of an empty message with the data as associated data;
``aes-256-siv`` has a key of 64 bytes and takes a nonce (RFC 5297 section 3); ``aes-256-xts`` has a key of 64 bytes;
CTR takes the initial counter block of 16 bytes as nonce; ``chacha20`` is that of RFC 8439 with the counter starting
at 0; ``3des`` takes a key of 24 bytes; ``shake-128`` and ``shake-256`` may have any output length; a
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
    """All known answers of an algorithm, source after source; empty where no source has any.

    Raises
    ------
    ImportError
        If a package that holds vectors is not installed.
    """
    return tuple(answer for table in _tables() if algorithm in table for answer in table[algorithm]())


def algorithms() -> frozenset[str]:
    """Every algorithm that some source has known answers for."""
    return frozenset(name for table in _tables() for name in table)


@cache
def _tables() -> tuple[Table, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(module.TABLE for module in modules if hasattr(module, "TABLE"))
