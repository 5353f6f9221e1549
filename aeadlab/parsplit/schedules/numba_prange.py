"""The prange loop of Numba over the native kernel, with each of its threading layers.

A process has one threading layer, selected when its first parallel loop is compiled. The number of threads is fixed at
the same time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aeadlab.errors import ArgumentError

LAYERS = ("omp", "tbb", "workqueue")
_DEFAULT_THREADS = 64
"""Thread limit unless the environment sets one; without it Numba limits threads to the number of cores."""

_MODULES = {"omp": "omppool", "tbb": "tbbpool", "workqueue": "workqueue"}
_TBB = "libtbb.so.12"
_lost_threads: list[str] = []
"""The threading layer whose threads this process lost in a fork, if any."""
_kept_alive: list[object] = []
"""Objects that native code refers to until the process ends."""


def unavailable(layer: str) -> str:
    """Return the reason why a threading layer is not available on this computer, or ``""``."""
    if find_spec("numba") is None:
        return "numba is not installed"
    _import_numba()
    if layer == "tbb":
        _load_tbb()
    try:
        import_module(f"numba.np.ufunc.{_MODULES[layer]}")
    except ImportError as error:
        hint = "; install the package tbb" if layer == "tbb" else ""
        return f"numba cannot load its layer {layer} ({error}){hint}"
    return ""


def load(layer: str) -> tuple[int, int]:
    """Return the maximum number of threads of a threading layer, and the address of its loop.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If this process uses another layer, or was forked from one in which Numba had threads.
    """
    numba = _import_numba()
    if _lost_threads:
        raise ArgumentError(
            f"the threads of schedule numba-{layer} did not survive the fork: use another schedule in this process, or "
            "start it with spawn"
        )
    used = _used_layer()
    if used not in ("", layer):
        raise ArgumentError(
            f"schedule numba-{layer} given, but this process uses the threading layer {used} of numba, and a process "
            f"can use only one: use numba-{used}, or another process"
        )
    # get_num_threads starts the threads. The first compilation would start them as well, but Numba would first read a
    # changed environment again, and lose the layer set here.
    numba.config.THREADING_LAYER = layer
    if layer == "tbb":
        _allow_tbb_threads(numba.config.NUMBA_NUM_THREADS)
    numba.get_num_threads()
    if _used_layer() != layer:
        raise ArgumentError(f"numba uses the threading layer {_used_layer()} instead of {layer}")
    loop = _compile_loop()
    _kept_alive.append(loop)
    return int(numba.np.ufunc.parallel.NUM_THREADS), int(loop.address)


def _import_numba() -> Any:
    """Import Numba, which reads the environment variable of its thread limit at import."""
    if "numba" not in sys.modules:
        os.environ.setdefault("NUMBA_NUM_THREADS", str(_DEFAULT_THREADS))
    return import_module("numba")


def _load_tbb() -> Any:
    """Load the library of the package tbb, or of the system; return None if there is neither.

    The wheel of tbb installs the library outside the search path of the dynamic loader. Numba's module requires it by
    its name alone, which the loader finds because the library is loaded already.
    """
    for place in (Path(sys.prefix, "lib", _TBB), Path(_TBB)):
        try:
            return ctypes.CDLL(str(place))
        except OSError:
            continue
    return None


class _GlobalControl(ctypes.Structure):
    """``tbb::global_control`` of oneTBB, which has an effect as long as it exists."""

    _fields_ = (("value", ctypes.c_size_t), ("reserved", ctypes.c_ssize_t), ("parameter", ctypes.c_int))


def _allow_tbb_threads(threads: int) -> None:
    """Set the number of threads that TBB runs at once; its default limit is the number of cores.

    A library with another interface than oneTBB keeps its default.
    """
    create = getattr(_load_tbb(), "_ZN3tbb6detail2r16createERNS0_2d114global_controlE", None)
    if create is not None:
        # Parameter 0 is the number of threads including that of the caller.
        control = _GlobalControl(threads, 0, 0)
        create.restype = None
        create(ctypes.byref(control))
        _kept_alive.append(control)


def _used_layer() -> str:
    """Return the threading layer of this process, or ``""``."""
    try:
        return str(_import_numba().threading_layer())
    except ValueError:
        return ""


def _note_lost_threads() -> None:
    """Note in a forked child whether Numba had started threads before, which it does not start again."""
    # An import may be in progress in a thread that the child does not have, so nothing is imported here.
    layer = getattr(sys.modules.get("numba.np.ufunc.parallel"), "_threading_layer", None)
    if layer:
        _lost_threads.append(layer)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_lost_threads)


def _compile_loop() -> Any:
    """Return the loop as a C function of four words: threads, blocks, address of the callback, its state."""
    from llvmlite import ir
    from numba.extending import intrinsic

    numba = _import_numba()
    word = numba.types.uintp

    def call(_: Any, address: Any, state: Any, block: Any) -> Any:
        """Generate a call of the C function at an address: ``int32_t (*)(const void *state, size_t block)``."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size = context.get_value_type(word)
            function = ir.FunctionType(ir.IntType(32), [size, size])
            target = builder.inttoptr(arguments[0], function.as_pointer())
            return builder.call(target, arguments[1:])

        return numba.types.int32(word, word, word), emit

    native: Any = intrinsic(call)
    prange, get_num_threads, set_num_threads = numba.prange, numba.get_num_threads, numba.set_num_threads

    def all_blocks(blocks: int, address: int, state: int) -> None:
        for block in prange(blocks):
            native(address, state, word(block))

    loop: Any = numba.njit(parallel=True, nogil=True)(all_blocks)

    def run(threads: int, blocks: int, address: int, state: int) -> int:
        # The thread count is a setting of the calling thread, so it is restored for its other loops.
        before = get_num_threads()
        set_num_threads(threads)
        loop(blocks, address, state)
        set_num_threads(before)
        return 0

    return numba.cfunc(numba.types.int32(word, word, word, word))(run)
