"""Probe whether a call releases the global interpreter lock (GIL) of Python.

A second thread repeatedly sleeps for half a millisecond and records the time, for which it needs the GIL, while this
thread makes the call. During the probe a long switch interval (`sys.setswitchinterval`) keeps the interpreter from
taking the GIL away from this thread, so the second thread runs during the call if and only if the call releases the
GIL. The load of the cores affects how often it runs, but a call that holds the GIL shows no progress at all. A call
that releases the GIL only briefly, for example while it allocates memory, leaves a long gap. A call counts as releasing
if no gap is longer than half of the call.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from weakref import WeakKeyDictionary

from aeadlab import paths
from aeadlab.catalogue.implementation import Implementation
from aeadlab.errors import MeasurementError

MIN_CALL_NS = 20_000_000
_SLEEP_S = 0.0005
_SWITCH_INTERVAL_S = 5.0
_ATTEMPTS = 5
_MESSAGE_BYTES = 4 << 20
_FILE = "gil.json"

_probed: WeakKeyDictionary[Implementation, bool] = WeakKeyDictionary()
_probe_lock = threading.Lock()


def releases_gil(call: Callable[[], object]) -> bool:
    """Return whether another Python thread makes progress during `call`.

    Parameters
    ----------
    call
        Native code, or a loop over it, that takes at least 20 ms.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If the call is too short.
    """
    if not _has_gil():
        return True
    with _probe_lock:
        # Other processes may delay the second thread, so one attempt without a long gap is sufficient.
        return any(_longest_gap(call) < 0.5 for _ in range(_ATTEMPTS))


def probe(implementation: Implementation) -> bool:
    """Return whether an implementation releases the GIL for long messages; cached by version."""
    if implementation not in _probed:
        cached, identity = _read_cache(), _identity(implementation)
        if identity not in cached:
            releases = releases_gil(_repeated(_long_call(implementation)))
            # Read again, because another process may have added results in the meantime.
            cached = {**_read_cache(), identity: releases}
            paths.write_cache(paths.cache() / _FILE, json.dumps(cached, indent=1))
        _probed[implementation] = cached[identity]
    return _probed[implementation]


def cached_results(implementations: Iterable[Implementation]) -> dict[str, bool]:
    """Return the cached results of `probe` by name, without implementations that have not been probed."""
    cached = _read_cache()
    identified = ((i.name, _identity(i)) for i in implementations)
    return {name: cached[identity] for name, identity in identified if identity in cached}


def _identity(implementation: Implementation) -> str:
    """Return the facts that a result depends on."""
    d = implementation.description
    lock = "" if _has_gil() else " without the GIL"
    return f"{d.name} {d.version} ({d.build}), Python {sys.version}{lock}"


def _read_cache() -> dict[str, bool]:
    try:
        stored = json.loads((paths.cache() / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in stored.items() if isinstance(v, bool)} if isinstance(stored, dict) else {}


def _longest_gap(call: Callable[[], object]) -> float:
    """Return the longest time during `call` in which the second thread did not run, as a fraction of the call."""
    times: list[int] = []
    ready, stop = threading.Event(), threading.Event()

    def record() -> None:
        ready.set()
        while not stop.is_set():
            time.sleep(_SLEEP_S)
            times.append(time.perf_counter_ns())

    thread = threading.Thread(target=record, name="aeadlab-gil-probe", daemon=True)
    interval = sys.getswitchinterval()
    thread.start()
    ready.wait()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    try:
        begin = time.perf_counter_ns()
        call()
        end = time.perf_counter_ns()
    finally:
        # The interpreter truncates to microseconds; half of one is added so that repeated probes do not reduce it.
        sys.setswitchinterval(interval + 0.5e-6)
        stop.set()
        thread.join()
    if end - begin < MIN_CALL_NS:
        raise MeasurementError(
            f"call of {(end - begin) / 1e6:.1f} ms given, at least {MIN_CALL_NS / 1e6:.0f} ms expected: "
            "use a longer message"
        )
    during = [begin, *(t for t in times if begin < t < end), end]
    return max(later - earlier for earlier, later in pairwise(during)) / (end - begin)


def _long_call(implementation: Implementation) -> Callable[[], object]:
    """Return a call with a message of 4 MiB, which exceeds caches and the thresholds of libraries."""
    d = implementation.description
    # Different bytes, because XTS rejects a key of two equal halves.
    key, nonce = bytes(i % 256 for i in range(d.key_bytes)), bytes(d.nonce_bytes)
    data = bytes(_MESSAGE_BYTES - _MESSAGE_BYTES % d.block_bytes)
    if d.kind == "aead":
        return partial(implementation.seal, key, nonce, data)
    return partial(implementation.encrypt if d.kind == "cipher" else implementation.digest, key, nonce, data)


def _repeated(call: Callable[[], object]) -> Callable[[], object]:
    """Return a function that repeats the call for twice the time that `releases_gil` needs."""
    # The first call may compile the implementation, and compilation is not part of the probe.
    call()

    def repeated() -> None:
        end = time.perf_counter_ns() + 2 * MIN_CALL_NS
        while time.perf_counter_ns() < end:
            call()

    return repeated


def _has_gil() -> bool:
    """Return False in a free-threaded interpreter (PEP 703) that runs without the lock."""
    enabled: Callable[[], bool] | None = getattr(sys, "_is_gil_enabled", None)
    return enabled is None or enabled()
