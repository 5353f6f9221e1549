"""Schedules: the assignment of blocks to threads, by the engine or by an external runtime.

``docs/SCHEDULES.md`` describes all of them. The schedules of the engine are always available; those of OpenMP and Numba
are registered with the engine at first use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aeadlab import _native
from aeadlab.display.nearest import hint
from aeadlab.errors import ArgumentError
from aeadlab.parsplit.schedules import numba_prange, openmp_loops

if TYPE_CHECKING:
    from numpy.typing import NDArray


class External(NamedTuple):
    """A schedule of an external runtime.

    Attributes
    ----------
    unavailable
        Returns the reason why it is not available on this computer, or ``""``.
    load
        Returns its maximum number of threads in this process, and the address of its loop.
    """

    unavailable: Callable[[], str]
    load: Callable[[], tuple[int, int]]


ENGINE: Final = tuple(_native.schedules())
"""Schedules of the engine."""

ETH_PAPER: Final = "rayon"
"""The schedule of the ETH paper."""

DEFAULT: Final = "dynamic"

EXPERIMENTS: Final = tuple(_native.schedule_experiments())
"""Variants of ``rayon`` that isolate the cause of its modes; they are meant for studies only."""

TRACE_COLUMNS: Final = ("block", "thread", "leaf", "start_ns", "end_ns")
"""Columns of a trace; ``leaf`` is the first of the consecutive blocks that were assigned together."""

EXTERNAL: Final = MappingProxyType(
    {
        f"openmp-{name}": External(openmp_loops.unavailable, partial(openmp_loops.load, name))
        for name in openmp_loops.LOOPS
    }
    | {
        f"numba-{layer}": External(partial(numba_prange.unavailable, layer), partial(numba_prange.load, layer))
        for layer in numba_prange.LAYERS
    }
)
"""Schedules of external runtimes."""

NAMES: Final = (*ENGINE, *EXTERNAL)
"""All schedules, whether available on this computer or not."""

ONE_PER_PROCESS: Final = frozenset(name for name in EXTERNAL if name.startswith("numba-"))
"""Schedules of which a process can use only one."""

_registered: set[str] = {*ENGINE, *EXPERIMENTS}


def absent() -> dict[str, str]:
    """Return the schedules that are not available on this computer: name and reason."""
    reasons = {name: external.unavailable() for name, external in EXTERNAL.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def register(name: str) -> None:
    """Register a schedule with the engine, unless it is registered already.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If the name is unknown, the schedule is not available, or this process uses another threading layer of Numba.
    """
    if name in _registered:
        return
    if name not in EXTERNAL:
        near = hint(name, NAMES, "docs/SCHEDULES.md describes them")
        raise ArgumentError(f'schedule "{name}" given, one of {", ".join(NAMES)} expected; {near}')
    if reason := EXTERNAL[name].unavailable():
        raise ArgumentError(f"schedule {name} is not available: {reason}")
    max_threads, address = EXTERNAL[name].load()
    # Numba has started its threads, OpenMP starts them with its first loop.
    _native.add_schedule(name, max_threads, address, name in ONE_PER_PROCESS)
    _registered.add(name)


def parse_trace(trace: bytes) -> NDArray[Any]:
    """Return a trace of the engine as an array with one row per block and the columns of `TRACE_COLUMNS`."""
    import numpy as np

    return np.frombuffer(trace, [(name, np.uint64) for name in TRACE_COLUMNS])
