"""Examinations in other processes, which a bad plugin may take down."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import IO

from aeadlab.catalogue.plugins import signal_name
from aeadlab.verify.examination import Examination

TIME_LIMIT = 300.0
"""Seconds after which the examination of an implementation counts as hanging."""

AS_IS: Mapping[str, str] = MappingProxyType({})
"""The environment of this process, with no variable changed."""


def examined(
    names: Sequence[str], plugins: Sequence[str], environment: Mapping[str, str] = AS_IS
) -> Iterator[Examination]:
    """The examination of each implementation, as soon as it is there.

    One that crashes or hangs is reported as such, and a new process goes on after it.

    Parameters
    ----------
    names
        Implementations of the linked libraries, of Python's, and of the plugins given.
    plugins
        Paths of shared libraries.
    environment
        Variables that the process has besides those of this one.
    """
    left = list(names)
    while left:
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
            _child(left, plugins, environment, said) as child,
        ):
            lines = _lines(child)
            try:
                while left and (line := lines.get(timeout=TIME_LIMIT)):
                    examination = Examination.from_dict(json.loads(line))
                    del left[0]
                    yield examination
                child.wait(TIME_LIMIT)
                why = _why(child.returncode, said)
            except (queue.Empty, subprocess.TimeoutExpired):
                why = f"it hangs while being verified (over {TIME_LIMIT:.0f} s)"
            finally:
                child.kill()
        if left:
            yield Examination(left.pop(0), checks=(), answers=(), failure=why)


def _child(
    names: Sequence[str], plugins: Sequence[str], environment: Mapping[str, str], said: IO[str]
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "aeadlab.verify", str(len(plugins)), *plugins, *names],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=said,
        text=True,
        errors="replace",
        env={**os.environ, **environment},
    )


def _lines(child: subprocess.Popen[str]) -> queue.SimpleQueue[str]:
    """The lines that the child prints, and ``""`` at their end."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    output = child.stdout

    def read() -> None:
        for line in output or ():
            lines.put(line)
        lines.put("")

    threading.Thread(target=read, name="aeadlab-examinations", daemon=True).start()
    return lines


def _why(status: int, said: IO[str]) -> str:
    if status < 0:
        return f"it crashes while being verified ({signal_name(-status)})"
    said.seek(0)
    last = (said.read().strip().splitlines() or ["no reason given"])[-1]
    return f"its verification ended with status {status}: {last}"
