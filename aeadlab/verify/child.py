"""Examinations in child processes, which a faulty plugin may end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from aeadlab.process import UNCHANGED, Child
from aeadlab.verify.examination import Examination

TIME_LIMIT = 300.0
"""Seconds after which the examination of an implementation counts as hanging."""


def examined(
    names: Sequence[str], plugins: Sequence[str], environment: Mapping[str, str] = UNCHANGED
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
    """
    left = deque(names)
    while left:
        with Child("aeadlab.verify", plugins, environment=environment) as child:
            failed = False
            while left and not failed:
                examination = _examination(child, left.popleft())
                failed = bool(examination.failure)
                yield examination


def _examination(child: Child, name: str) -> Examination:
    try:
        if (reply := child.request({"examine": name}, TIME_LIMIT)) is not None:
            return Examination.from_dict(reply)
        ending = child.end(TIME_LIMIT)
    except TimeoutError:
        failure = f"it hangs while being verified (over {TIME_LIMIT:.0f} s)"
    else:
        failure = f"its verification ended with status {ending.status}: {ending.last_line or 'no reason given'}"
        if ending.signal:
            failure = f"it crashes while being verified ({ending.signal})"
    return Examination(name, checks=(), answers=(), failure=failure)
