"""Numba's prange over the same native kernel, with each of its threading layers.

Numba has one layer per process, chosen when its first parallel loop is compiled, and as many threads as it was given
then.
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
MOST_THREADS = 64
"""What Numba is given where nobody has said otherwise: it takes no more than the cores by itself."""

_MODULES = {"omp": "omppool", "tbb": "tbbpool", "workqueue": "workqueue"}
_TBB = "libtbb.so.12"
_keep: list[object] = []


def absence(layer: str) -> str:
    """Why Numba does not have a layer here, or ``""``."""
    if find_spec("numba") is None:
        return "numba is not installed"
    _numba()
    if layer == "tbb":
        _load_tbb()
    try:
        import_module(f"numba.np.ufunc.{_MODULES[layer]}")
    except ImportError as error:
        hint = "; install the package tbb" if layer == "tbb" else ""
        return f"numba cannot load its layer {layer} ({error}){hint}"
    return ""


def find(layer: str) -> tuple[int, int]:
    """The most threads of the loop of a layer, and its address.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If another layer is in use in this process.
    """
    numba = _numba()
    used = _used_layer()
    if used not in ("", layer):
        raise ArgumentError(
            f"schedule numba-{layer} given, but numba has its layer {used} in this process, and one per process: use "
            f"numba-{used}, or another process"
        )
    # Asked for its threads, Numba starts them. Left to the compiler that would come after it has read the environment
    # again, if that has changed, and forgotten what is set here.
    numba.config.THREADING_LAYER = layer
    if layer == "tbb":
        _let_tbb_have(numba.config.NUMBA_NUM_THREADS)
    numba.get_num_threads()
    if _used_layer() != layer:
        raise ArgumentError(f"numba has taken its layer {_used_layer()} instead of {layer}")
    loop = _compiled()
    _keep.append(loop)
    return int(numba.np.ufunc.parallel.NUM_THREADS), int(loop.address)


def _numba() -> Any:
    """Numba, which reads how many threads it may have when it is imported, and takes the cores otherwise."""
    if "numba" not in sys.modules:
        os.environ.setdefault("NUMBA_NUM_THREADS", str(MOST_THREADS))
    return import_module("numba")


def _load_tbb() -> Any:
    """The library of the package tbb, or the system's; None where there is neither.

    A wheel puts it where no loader looks; once loaded, it is found by its name.
    """
    for place in (Path(sys.prefix, "lib", _TBB), Path(_TBB)):
        try:
            return ctypes.CDLL(str(place))
        except OSError:
            continue
    return None


class _GlobalControl(ctypes.Structure):
    """``tbb::global_control`` of oneTBB, which lives as long as it is in force."""

    _fields_ = (("value", ctypes.c_size_t), ("reserved", ctypes.c_ssize_t), ("parameter", ctypes.c_int))


def _let_tbb_have(threads: int) -> None:
    """Let TBB run so many threads at once; by itself it runs no more than there are cores, however many are asked for.

    Where the library has another interface than oneTBB's it stays as it is.
    """
    create = getattr(_load_tbb(), "_ZN3tbb6detail2r16createERNS0_2d114global_controlE", None)
    if create is not None:
        # Parameter 0 is the number of threads, the caller's among them.
        control = _GlobalControl(threads, 0, 0)
        create.restype = None
        create(ctypes.byref(control))
        _keep.append(control)


def _used_layer() -> str:
    """The layer that this process has, or ``""``."""
    try:
        return str(_numba().threading_layer())
    except ValueError:
        return ""


def _compiled() -> Any:
    """The loop as a C function of four words: threads, blocks, what to call, its state."""
    from llvmlite import ir
    from numba.extending import intrinsic

    numba = _numba()
    word = numba.types.uintp

    def call(_: Any, address: Any, state: Any, block: Any) -> Any:
        """Call the C function at an address: ``int32_t (*)(const void *state, size_t block)``."""

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
        # The count belongs to the calling thread, whose other loops shall have what they had.
        before = get_num_threads()
        set_num_threads(threads)
        loop(blocks, address, state)
        set_num_threads(before)
        return 0

    return numba.cfunc(numba.types.int32(word, word, word, word))(run)
