"""OpenMP's three schedules, in a shared library of ours that the build makes where the compiler has OpenMP."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

LOOPS = ("static", "dynamic", "guided")
BUILT = Path(__file__).parent / "openmp.so"


def absence() -> str:
    """Why there is no OpenMP here, or ``""``."""
    if BUILT.exists():
        return ""
    reason = BUILT.with_suffix(".absent")
    return reason.read_text(encoding="utf-8").strip() if reason.exists() else "it is not built: run make build"


def find(name: str) -> tuple[int, int]:
    """The most threads of a loop, and its address."""
    library = _library()
    library.aeadlab_openmp_most_threads.restype = ctypes.c_size_t
    address = ctypes.cast(getattr(library, f"aeadlab_openmp_{name}"), ctypes.c_void_p).value
    return library.aeadlab_openmp_most_threads(), address or 0


def build() -> str:
    """Compiler, flags and version of OpenMP (the month of its standard), or ``""`` where it is absent."""
    if absence():
        return ""
    library = _library()
    library.aeadlab_openmp_build.restype = ctypes.c_char_p
    return f"{library.aeadlab_openmp_build().decode()}, OpenMP {library.aeadlab_openmp_version()}"


@cache
def _library() -> ctypes.CDLL:
    # Otherwise its threads spin for milliseconds after a loop, and take the cores from whatever is measured next.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return ctypes.CDLL(str(BUILT))
