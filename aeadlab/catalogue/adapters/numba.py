"""Numba: loops compiled from Python by LLVM, at first use; the XOR is a baseline, not a cipher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from aeadlab.catalogue.adapters.base import HISTORICAL, Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "numba"


def implementations() -> Sequence[Implementation]:
    """Everything measured from this library.

    Raises
    ------
    ImportError
        If numba is not installed.
    """
    # Importing numba takes longer than all else that a list of the catalogue does.
    if find_spec("numba") is None:
        raise ImportError("No module named 'numba'")
    build = f"llvmlite {metadata.version('llvmlite')}"
    return adapters(LIBRARY, metadata.version("numba"), tuple(_rows()), build=build)


def _rows() -> Iterator[Row]:
    yield Row("xor", "cipher", _xor, 32, flags=frozenset({"baseline"}))
    yield Row("chacha20", "cipher", _chacha20, 32, 12)
    yield Row("rc4", "cipher", _rc4, 16, flags=HISTORICAL)


def _xor(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from aeadlab.catalogue import loops

    return _call(model, _compiled(loops.xor, 2), key, data)


def _chacha20(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from aeadlab.catalogue import loops

    return _call(model, _compiled(loops.chacha20, 3, loops.quarter_rounds), key, nonce, data)


def _rc4(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    import numpy as np

    from aeadlab.catalogue import loops

    schedule, compute = _compiled(loops.rc4_schedule, 1), _compiled(loops.rc4, 2)
    message = np.frombuffer(data, np.uint8)
    if model == "oneshot":
        return lambda: compute(schedule(np.frombuffer(key, np.uint8)), message)
    return partial(compute, schedule(np.frombuffer(key, np.uint8)), message)


def _call(model: str, compute: Callable[..., object], key: Buffer, *rest: Buffer) -> Call:
    """There is nothing to prepare but the array that the key is."""
    import numpy as np

    arrays = [np.frombuffer(part, np.uint8) for part in rest]
    if model == "oneshot":
        return lambda: compute(np.frombuffer(key, np.uint8), *arrays)
    return partial(compute, np.frombuffer(key, np.uint8), *arrays)


@cache
def _compiled(function: Callable[..., object], arguments: int, *called: Callable[..., None]) -> Callable[..., object]:
    from numba import njit, types
    from numba.extending import register_jitable

    for part in called:
        # Inlined by numba and not by LLVM, which sees too late that rows of a state are apart.
        register_jitable(inline="always")(part)
    # One signature for bytes and bytearrays: without it each would be compiled again, inside a timed call.
    octets = types.Array(types.uint8, 1, "C", readonly=True)
    signature = types.Array(types.uint8, 1, "C")(*[octets] * arguments)
    compile_: Any = njit([signature], nogil=True, cache=False)
    return compile_(function)  # type: ignore[no-any-return]
