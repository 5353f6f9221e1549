"""Who does which block: the engine's own schedules, and those that another runtime brings.

``docs/SCHEDULES.md`` describes them all. The engine has its own from the start; OpenMP and Numba are loaded when one of
theirs is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from aeadlab import _native
from aeadlab.errors import ArgumentError
from aeadlab.schedules import numba_prange, openmp_loops

if TYPE_CHECKING:
    from numpy.typing import NDArray

Found = tuple[int, int]
"""The most threads that a loop can have in this process, and its address."""

OWN: Final = tuple(_native.schedules())
"""The engine's own."""

PAPERS: Final = "rayon"
"""The ETH paper's."""

DEFAULT: Final = "dynamic"
"""What ParSplit takes where nobody says otherwise."""

EXPERIMENTS: Final = tuple(_native.schedule_experiments())
"""Changes to ``rayon`` that show where its modes come from; no choice for use."""

SPAN: Final = ("block", "thread", "leaf", "start_ns", "end_ns")
"""Columns of a trace; ``leaf`` is the first of the neighbouring blocks that were handed out together."""

FOREIGN: Final = MappingProxyType(
    {f"openmp-{name}": (openmp_loops.absence, partial(openmp_loops.find, name)) for name in openmp_loops.LOOPS}
    | {
        f"numba-{layer}": (partial(numba_prange.absence, layer), partial(numba_prange.find, layer))
        for layer in numba_prange.LAYERS
    }
)
"""For each schedule of another runtime, what says why it is absent, and what finds its loop."""

NAMES: Final = (*OWN, *FOREIGN)
"""All schedules, whether they are available here or not."""

LONERS: Final = frozenset(name for name in FOREIGN if name.startswith("numba-"))
"""Schedules of which a process has one at most."""

_ready: set[str] = {*OWN, *EXPERIMENTS}


def absent() -> dict[str, str]:
    """Schedules that are not available here: name and reason."""
    reasons = {name: absence() for name, (absence, _) in FOREIGN.items()}
    return {name: reason for name, reason in reasons.items() if reason}


def prepare(name: str) -> None:
    """Make a schedule known to the engine; what is its own is known already.

    Raises
    ------
    aeadlab.errors.ArgumentError
        If there is no such schedule, it is absent here, or another layer of Numba is in use in this process.
    """
    if name in _ready:
        return
    if name not in FOREIGN:
        raise ArgumentError(f'schedule "{name}" given, one of {", ".join(NAMES)} wanted')
    absence: Callable[[], str]
    find: Callable[[], Found]
    absence, find = FOREIGN[name]
    if reason := absence():
        raise ArgumentError(f"schedule {name} is absent here: {reason}")
    most_threads, address = find()
    _native.add_schedule(name, most_threads, address)
    _ready.add(name)


def spans(raw: bytes) -> NDArray[Any]:
    """The trace of a run as an array of a row per block, with the columns of `SPAN`."""
    import numpy as np

    return np.frombuffer(raw, [(name, np.uint64) for name in SPAN])
