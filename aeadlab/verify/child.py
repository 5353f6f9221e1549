"""Examinations in child processes, which a faulty plugin may end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from threading import Event

from aeadlab.display.printable import printable
from aeadlab.host.limits import for_unverified_code
from aeadlab.process import UNCHANGED, Child
from aeadlab.verify.examination import Examination

TIME_LIMIT = 300.0
"""Seconds after which the examination of an implementation counts as hanging."""


def examined(
    names: Sequence[str],
    plugins: Sequence[str],
    environment: Mapping[str, str] = UNCHANGED,
    stop: Event | None = None,
) -> Iterator[Examination]:
    """Examine implementations in a child process, and iterate over the examinations in the same order.

    An implementation that crashes or hangs gets an examination with this failure, and a new child continues after it.

    Parameters
    ----------
    names
        Implementations of the linked libraries, of Python libraries, and of the plugins given.
    plugins
        Paths of shared libraries.
    environment
        Variables set in the child besides those of this process.
    stop
        Set by another thread to end the child and the iteration.

    Raises
    ------
    aeadlab.errors.ChildError
        If a child does not start.
    """
    left = deque(names)
    while left:
        limits = for_unverified_code(TIME_LIMIT * len(left))
        with Child("aeadlab.verify", plugins, environment=environment, limits=limits) as child:
            failed = False
            while left and not failed:
                examination = _examination(child, left.popleft(), stop)
                if stop is not None and stop.is_set():
                    return
                failed = bool(examination.failure)
                yield examination


def _examination(child: Child, name: str, stop: Event | None) -> Examination:
    try:
        if (reply := child.request({"examine": name}, TIME_LIMIT, stop)) is not None:
            return _read(name, reply)
        ending = child.kill() if stop is not None and stop.is_set() else child.end(TIME_LIMIT)
    except TimeoutError:
        return _failed(name, f"it hangs while being verified (over {TIME_LIMIT:.0f} s)", lasting=True)
    if ending.crashed:
        return _failed(name, f"it crashes while being verified ({ending.signal})", lasting=True)
    # Memory may have been short, or a package missing: the next verification may succeed.
    return _failed(name, f"its verification ended with {ending.cause}: {ending.last_line or 'no reason given'}")


def _read(name: str, reply: Mapping[str, object]) -> Examination:
    try:
        if (examination := Examination.from_dict(reply)).implementation == name:
            return examination
    except (LookupError, TypeError, ValueError, AttributeError):
        pass
    return _failed(name, f"its verification ended with the reply {printable(str(reply))[:80]}")


def _failed(name: str, failure: str, *, lasting: bool = False) -> Examination:
    return Examination(name, checks=(), answers=(), failure=failure, lasting=lasting)
