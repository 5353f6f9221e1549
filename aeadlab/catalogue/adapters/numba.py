"""Numba: loops compiled from Python by LLVM, at first use; the XOR is a baseline, not a cipher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aeadlab.catalogue.adapters.base import Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "numba"
KEY = 32
Octets = NDArray[np.uint8]


def implementations() -> Sequence[Implementation]:
    """Everything measured from this library.

    Raises
    ------
    ImportError
        If numba is not installed.
    """
    import llvmlite.binding
    import numba

    build = "LLVM " + ".".join(str(part) for part in llvmlite.binding.llvm_version_info)
    return adapters(LIBRARY, numba.__version__, tuple(_rows()), build=build)


def _rows() -> Iterator[Row]:
    yield Row("xor", "cipher", _bind, KEY, flags=frozenset({"baseline"}))


def _bind(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    xor = _compiled()
    message = np.frombuffer(data, np.uint8)
    if model == "oneshot":
        return lambda: xor(np.frombuffer(key, np.uint8), message)
    repeated = np.frombuffer(key, np.uint8)
    return lambda: xor(repeated, message)


@cache
def _compiled() -> Callable[[Octets, Octets], Octets]:
    from numba import njit, types

    # One signature for bytes and bytearrays: without it each would be compiled again, inside a timed call.
    octets = types.Array(types.uint8, 1, "C", readonly=True)
    compile_: Any = njit([types.Array(types.uint8, 1, "C")(octets, octets)], nogil=True, cache=False)
    return compile_(_xor)  # type: ignore[no-any-return]


def _xor(key: Octets, data: Octets) -> Octets:
    out = np.empty_like(data)
    whole = data.size - data.size % KEY
    # Rows as long as the key let LLVM keep the key in one vector register.
    for start in range(0, whole, KEY):
        for i in range(KEY):
            out[start + i] = data[start + i] ^ key[i]
    for i in range(whole, data.size):
        out[i] = data[i] ^ key[i - whole]
    return out
