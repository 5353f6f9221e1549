"""The three schedules of OpenMP, from a shared library that the build makes if the compiler supports OpenMP."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

LOOPS = ("static", "dynamic", "guided")
_LIBRARY = Path(__file__).parent / "openmp.so"


def unavailable() -> str:
    """Return the reason why OpenMP is not available on this computer, or ``""``."""
    if _LIBRARY.exists():
        return ""
    reason = _LIBRARY.with_suffix(".absent")
    return reason.read_text(encoding="utf-8").strip() if reason.exists() else "it is not built: run make build"


def load(name: str) -> tuple[int, int]:
    """Return the maximum number of threads of a loop, and its address."""
    library = _load_library()
    library.aeadlab_openmp_most_threads.restype = ctypes.c_size_t
    address = ctypes.cast(getattr(library, f"aeadlab_openmp_{name}"), ctypes.c_void_p).value
    return library.aeadlab_openmp_most_threads(), address or 0


def build() -> str:
    """Return compiler, flags and OpenMP version (year and month of its standard), or ``""`` if it is not available."""
    if unavailable():
        return ""
    library = _load_library()
    library.aeadlab_openmp_build.restype = ctypes.c_char_p
    return f"{library.aeadlab_openmp_build().decode()}, OpenMP {library.aeadlab_openmp_version()}"


@cache
def _load_library() -> ctypes.CDLL:
    # Without a passive policy its threads spin for milliseconds after a loop, on the cores of the next measurement.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    return ctypes.CDLL(str(_LIBRARY))
