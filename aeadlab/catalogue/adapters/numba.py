"""Numba: loops compiled from Python by LLVM at first use; the XOR is a baseline, not a cipher."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import metadata
from importlib.util import find_spec
from typing import Any

from aeadlab.catalogue.adapters.base import HISTORICAL, MAX_CHACHA20, Call, Row, adapters
from aeadlab.catalogue.implementation import Buffer, Implementation

LIBRARY = "numba"
FEATURE_SWITCH = "none: it compiles for this CPU; NUMBA_CPU_FEATURES lists all features that remain"


def implementations() -> Sequence[Implementation]:
    """Return the implementations of this library."""
    # The import of numba would take longer than the rest of a catalogue listing.
    if find_spec("numba") is None:
        raise ImportError("No module named 'numba'")
    build = f"llvmlite {metadata.version('llvmlite')}"
    return adapters(LIBRARY, metadata.version("numba"), tuple(_rows()), build=build, feature_switch=FEATURE_SWITCH)


def _rows() -> Iterator[Row]:
    yield Row("xor", "cipher", _xor, 32, flags=frozenset({"baseline"}))
    yield Row("chacha20", "cipher", _chacha20, 32, 12, max_bytes=MAX_CHACHA20)
    yield Row("rc4", "cipher", _rc4, 16, flags=HISTORICAL)


def _xor(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from aeadlab.catalogue import numba_kernels as kernels

    return _call(model, _compiled(kernels.xor, 2), key, data)


def _chacha20(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    from aeadlab.catalogue import numba_kernels as kernels

    return _call(model, _compiled(kernels.chacha20, 3, kernels.quarter_rounds), key, nonce, data)


def _rc4(op: str, model: str, key: Buffer, nonce: Buffer, data: Buffer, aad: Buffer) -> Call:
    import numpy as np

    from aeadlab.catalogue import numba_kernels as kernels

    schedule, compute = _compiled(kernels.rc4_schedule, 1), _compiled(kernels.rc4, 2)
    message = np.frombuffer(data, np.uint8)
    if model == "oneshot":
        return lambda: compute(schedule(np.frombuffer(key, np.uint8)), message)
    return partial(compute, schedule(np.frombuffer(key, np.uint8)), message)


def _call(model: str, compute: Callable[..., object], key: Buffer, *rest: Buffer) -> Call:
    """Return the call of a compiled function; the key set-up is the conversion of the key to an array."""
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
        # Inlined by Numba, because LLVM inlines too late to prove that the rows of a state do not overlap.
        register_jitable(inline="always")(part)
    # One signature for bytes and bytearrays, which would otherwise be compiled separately, inside a timed call.
    octets = types.Array(types.uint8, 1, "C", readonly=True)
    signature = types.Array(types.uint8, 1, "C")(*[octets] * arguments)
    compile_: Any = njit([signature], nogil=True, cache=False)
    return compile_(function)  # type: ignore[no-any-return]
