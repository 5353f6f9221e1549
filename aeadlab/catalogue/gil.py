"""Whether a call releases Python's global interpreter lock (GIL), found by trying.

Method: a second thread sleeps for half a millisecond at a time and notes when it ran, which it can do only while it
holds the GIL. Meanwhile this thread makes the call. For as long as the probe runs, the interpreter is told not to take
the GIL from a thread that does not offer it (`sys.setswitchinterval`), so the second thread runs during the call if,
and only if, the call gives the GIL away. How busy the cores are changes how often it runs, not whether it can: a call
that holds the GIL shows no progress at all. A call that gives it away for a moment only, say while it allocates,
leaves a long gap; it counts as releasing if no gap is longer than half of the call.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from weakref import WeakKeyDictionary

from aeadlab import paths
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import MeasurementError

LEAST_NS = 20_000_000
_NAP_S = 0.0005
_SWITCH_S = 5.0
_ATTEMPTS = 5
_MESSAGE = 4 << 20
_FILE = "gil.json"

_probed: WeakKeyDictionary[Implementation, bool] = WeakKeyDictionary()
_one_probe = threading.Lock()


def releases_gil(call: Callable[[], object]) -> bool:
    """Whether another Python thread makes progress during `call`.

    Parameters
    ----------
    call
        Native code, or a loop over it, that takes 20 ms or more.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If the call is too short to tell.
    """
    if not _has_gil():
        return True
    with _one_probe:
        # Another process may keep the second thread off the cores for a while, so one good attempt decides.
        return any(_longest_gap(call) < 0.5 for _ in range(_ATTEMPTS))


def probe(implementation: Implementation) -> bool:
    """Whether an implementation releases the GIL on long messages; tried once for each version of it and of Python.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If it cannot be told.
    """
    if implementation not in _probed:
        known, identity = _stored(), _identity(implementation)
        if identity not in known:
            answer = releases_gil(_long_enough(_on_message(implementation)))
            # Read again: another process may have added to it meanwhile.
            known = {**_stored(), identity: answer}
            paths.write_quietly(paths.cache() / _FILE, json.dumps(known, indent=1))
        _probed[implementation] = known[identity]
    return _probed[implementation]


def remembered(implementations: Iterable[Implementation]) -> dict[str, bool]:
    """What `probe` answered before, perhaps in another process, by name; without those never probed."""
    known = _stored()
    identified = ((i.name, _identity(i)) for i in implementations)
    return {name: known[identity] for name, identity in identified if identity in known}


def _identity(implementation: Implementation) -> str:
    """What the answer depends on."""
    d = implementation.description
    lock = "" if _has_gil() else " without the GIL"
    return f"{d.name} {d.version} ({d.build}), Python {sys.version}{lock}"


def _stored() -> dict[str, bool]:
    try:
        stored = json.loads((paths.cache() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in stored.items() if isinstance(v, bool)} if isinstance(stored, dict) else {}


def _longest_gap(call: Callable[[], object]) -> float:
    """The longest stretch of one `call` in which the second thread did not run, as a share of the call."""
    ran: list[int] = []
    ready, stop = threading.Event(), threading.Event()

    def note() -> None:
        ready.set()
        while not stop.is_set():
            time.sleep(_NAP_S)
            ran.append(time.perf_counter_ns())

    thread = threading.Thread(target=note, name="aeadlab-gil-probe", daemon=True)
    interval = sys.getswitchinterval()
    thread.start()
    ready.wait()
    sys.setswitchinterval(_SWITCH_S)
    try:
        begin = time.perf_counter_ns()
        call()
        end = time.perf_counter_ns()
    finally:
        # The interpreter cuts to whole microseconds; without half of one more, each probe could lose one.
        sys.setswitchinterval(interval + 0.5e-6)
        stop.set()
        thread.join()
    if end - begin < LEAST_NS:
        raise MeasurementError(
            f"the call took {(end - begin) / 1e6:.1f} ms, {LEAST_NS / 1e6:.0f} ms or more are wanted to tell whether "
            "it releases the GIL; give it a longer message"
        )
    times = [begin, *(t for t in ran if begin < t < end), end]
    return max(later - earlier for earlier, later in zip(times, times[1:], strict=False)) / (end - begin)


def _on_message(implementation: Implementation) -> Callable[[], object]:
    """One call over a message of 4 MiB, as long as caches and thresholds of libraries make no difference."""
    d = implementation.description
    # Not all bytes alike: XTS refuses a key of two equal halves.
    key, nonce = bytes(i % 256 for i in range(d.key_bytes)), bytes(d.nonce_bytes)
    data = bytes(_MESSAGE - _MESSAGE % d.block_bytes)
    if d.kind == "aead":
        return partial(implementation.seal, key, nonce, data)
    return partial(implementation.encrypt if d.kind == "cipher" else implementation.digest, key, nonce, data)


def _long_enough(call: Callable[[], object]) -> Callable[[], object]:
    """The call repeated for twice the time that `releases_gil` needs."""
    # The first call may compile, which is not what is asked about.
    call()

    def repeated() -> None:
        end = time.perf_counter_ns() + 2 * LEAST_NS
        while time.perf_counter_ns() < end:
            call()

    return repeated


def _has_gil() -> bool:
    """False in a free-threaded interpreter (PEP 703) that runs without the lock."""
    enabled: Callable[[], bool] | None = getattr(sys, "_is_gil_enabled", None)
    return enabled is None or enabled()
