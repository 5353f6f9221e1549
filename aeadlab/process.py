"""Child processes that exchange lines of JSON with their parent.

Code that may crash, hang, or need an environment of its own runs in a child process: loading a plugin, verifying it,
taking samples. `Child` is the parent's side, `Channel` the child's, and `aeadlab.host.launch` the child's first code.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import iglob
from pathlib import Path
from threading import Event
from types import MappingProxyType, TracebackType
from typing import IO, Any, Final, Self, cast

from aeadlab.display.printable import printable
from aeadlab.errors import ChildError
from aeadlab.host import launch

INTERPRETER: tuple[str, ...] = (sys.executable, "-I", str(Path(launch.__file__).absolute()))
"""Command that runs every child's module, which follows as ``-m MODULE``."""

START_SECONDS = 120.0
"""Time in which a child starts; a slow disk takes seconds."""

POLL_SECONDS = 0.25
"""Polling interval for a request to stop, the same as that of reports from workers."""

UNCHANGED: Mapping[str, str] = MappingProxyType({})
"""No changes to the environment of the parent."""

UNLIMITED: Mapping[str, int] = MappingProxyType({})
"""No limits besides those of the parent."""

CRASHES = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGSYS"})
"""Signals that a process causes by its own code; others, such as SIGKILL and SIGTERM, come from outside."""

IDENTIFIERS = "AEADLAB_CHILDREN"
"""Environment variable with identifiers: of the child that this process belongs to, and of those above it."""

_STARTED: Final = {"started": True}
_MAX_REPLY: Final = 16 << 20
_MAX_ERRORS: Final = 1 << 16
_MAX_LINE: Final = 500
_KILL_SECONDS: Final = 10.0


def signal_name(number: int) -> str:
    """Return the name of a signal; most real-time signals have none of their own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


@dataclass(frozen=True)
class Ending:
    """Exit status and error output of a child that has ended.

    Attributes
    ----------
    status
        Exit status; minus the signal's number if a signal ended the child.
    errors
        The last 64 KiB of the text on standard error, without surrounding white space; each line is printable and has
        at most 500 characters.
    fault
        What the child did to the connection, for which it was ended, or ``""``.
    """

    status: int
    errors: str
    fault: str = ""

    @property
    def signal(self) -> str:
        """Name of the signal that ended the child, or ``""``."""
        return signal_name(-self.status) if self.status < 0 else ""

    @property
    def crashed(self) -> bool:
        """Whether the child's own code ended it by a signal."""
        return self.signal in CRASHES and not self.fault

    @property
    def cause(self) -> str:
        """The signal's name, the status, or the fault: ``SIGSEGV``, ``status 3``."""
        return self.fault or self.signal or f"status {self.status}"

    @property
    def summary(self) -> str:
        """The cause and the last line on standard error: ``ended with status 3 (no licence)``."""
        return f"ended with {self.cause}" + (f" ({self.last_line})" if self.last_line else "")

    @property
    def last_line(self) -> str:
        """The last line on standard error, or ``""``."""
        return (self.errors.splitlines() or [""])[-1]


class Child:
    """A running child process, seen from its parent.

    As a context manager it ends the child on leaving. The child leads a session of its own, so that signals from a
    terminal do not reach it, and every process that it started ends with it, also after a normal end.

    Parameters
    ----------
    module
        Run as ``python -m module``; its main function opens a `Channel`.
    arguments
        Of its command line.
    environment
        Variables set besides those of this process.
    pass_fds
        File descriptors that the child inherits.
    limits
        Resource limits of each of its processes, as from `aeadlab.host.limits.for_unverified_code`.

    Raises
    ------
    aeadlab.errors.ChildError
        If the process cannot be created.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] = UNCHANGED,
        pass_fds: Sequence[int] = (),
        limits: Mapping[str, int] = UNLIMITED,
    ) -> None:
        self._module = module
        self._id = os.urandom(16).hex()
        # A file, not a pipe: a full pipe would block a library that prints much.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._popen = subprocess.Popen(
                [*INTERPRETER, "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **environment, **_variables(self._id, limits)},
                pass_fds=tuple(pass_fds),
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise _not_started(module, str(error)) from error
        self._requests, self._replies = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)
        # A process that the child leaves can keep its pipe open, so the end of the child is an event of its own.
        self._end: int | None = None
        with contextlib.suppress(AttributeError, OSError):
            self._end = os.pidfd_open(self._popen.pid)
        self._received = b""
        self._started = False
        self._fault = ""
        self._ending: Ending | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def request(
        self, message: Mapping[str, Any], timeout: float | None = None, stop: Event | None = None
    ) -> dict[str, Any] | None:
        """Send a request and return the reply as `receive` does."""
        self.send(message)
        return self.receive(timeout, stop)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a request, whose reply `receive` returns; a child that has ended is reported there."""
        with contextlib.suppress(OSError):
            self._requests.write(_line(message))
            self._requests.flush()

    def receive(self, timeout: float | None = None, stop: Event | None = None) -> dict[str, Any] | None:
        """Return the next reply, or None if the child sends no more or another thread has set `stop`.

        Raises
        ------
        TimeoutError
            If there is neither within `timeout` seconds after the child has started.
        aeadlab.errors.ChildError
            If the child did not start: it ended, or did nothing, before its module opened a `Channel`.
        """
        if not self._started:
            try:
                first = self._receive(START_SECONDS, stop)
            except TimeoutError as error:
                raise _not_started(self._module, str(error)) from None
            if first is None and stop is not None and stop.is_set():
                return None
            if first != _STARTED:
                with contextlib.suppress(TimeoutError):
                    self.end(START_SECONDS)
                raise _not_started(self._module, self.kill().summary)
            self._started = True
        return self._receive(timeout, stop)

    def _receive(self, timeout: float | None, stop: Event | None) -> dict[str, Any] | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        if self._end is not None:
            poll.register(self._end, select.POLLIN)
        while b"\n" not in self._received:
            if stop is not None and stop.is_set():
                return None
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            wait = left if stop is None else POLL_SECONDS if left is None else min(left, POLL_SECONDS)
            ready = dict(poll.poll(None if wait is None else wait * 1000))
            if not ready and wait == left:
                raise TimeoutError(f"no reply within {timeout:g} s")
            if not ready:
                continue
            # The bytes received so far are an incomplete line if the child has ended.
            if self._replies.fileno() not in ready or not (octets := os.read(self._replies.fileno(), 1 << 16)):
                return None
            self._received += octets
            if len(self._received) > _MAX_REPLY:
                break
        line, _, self._received = self._received.partition(b"\n")
        with contextlib.suppress(ValueError, RecursionError):
            if len(line) <= _MAX_REPLY and isinstance(reply := json.loads(line), dict):
                return reply
        # A library can write to any descriptor.
        self._fault = f"the text {line[:40].decode(errors='replace')!r} in place of a reply"
        self.kill()
        return None

    def end(self, timeout: float | None = None) -> Ending:
        """Send no more requests, wait for the child to end, and return its `Ending`.

        Raises
        ------
        TimeoutError
            If it runs for more than `timeout` seconds; it is killed then.
        """
        with contextlib.suppress(OSError):
            self._requests.close()
        try:
            self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running after {timeout:g} s") from None
        finally:
            ending = self.kill()
        return ending

    def kill(self) -> Ending:
        """End the child with all processes that it started, and return its `Ending`."""
        if self._ending is not None:
            return self._ending
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()
        with contextlib.suppress(OSError):
            self._requests.close()
        self._replies.close()
        # An interrupt here calls this function again.
        end, self._end = self._end, None
        if end is not None:
            os.close(end)
        status = self._popen.wait()
        _kill_descendants(self._id)
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _MAX_ERRORS))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        self._ending = Ending(status, "\n".join(printable(line, _MAX_LINE) for line in lines), self._fault)
        return self._ending


def _variables(id: str, limits: Mapping[str, int]) -> dict[str, str]:
    """Return the settings of `aeadlab.host.launch`, and the identifier by which the child's processes are found."""
    # The package itself is imported by its location. A relative entry depends on the current folder.
    path = [entry for entry in map(str, sys.path) if os.path.isabs(entry) and not launch.is_current_folder(entry)]
    settings = {"parent": os.getpid(), "limits": dict(limits), "path": path}
    return {launch.VARIABLE: json.dumps(settings), IDENTIFIERS: f"{os.environ.get(IDENTIFIERS, '')} {id}"}


def _kill_descendants(id: str) -> None:
    """Kill the processes that a child with this identifier left, which are found by their environment.

    Those that left its process group are included, except for those that replaced their environment. On systems
    without /proc only the group is ended. Returns when all have ended, or after 10 seconds.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    others: set[str] = set()
    # A process may start another one and end before its environment is read. The new one is in the next list, so that
    # none is left only when a list has nothing new.
    while (left := set(iglob("/proc/[0-9]*/environ")) - others) and time.monotonic() < deadline:
        # A killed process has ended only when the scheduler has run it, and is in the next list until then.
        killed = {path for path in left if _kill_if_it_has(id, path)}
        others |= left - killed
        if killed:
            time.sleep(0.001)


def _kill_if_it_has(id: str, path: str) -> bool:
    """Kill a process if its environment, at a path in /proc, has the identifier, and return whether it has."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if id.encode() in file.read():
            os.kill(int(path.split("/")[2]), signal.SIGKILL)
            return True
    return False


def _not_started(module: str, reason: str) -> ChildError:
    return ChildError(
        f"the child process {module} did not start: {printable(reason)}; check the installed packages, and the limits "
        "with `ulimit -a`"
    )


class Channel:
    """The parent, seen from a child: its requests, and replies to it.

    Opening it informs the parent that the child has started. A module opens it after its imports, and before it loads
    code that may end the process: a failure until then is not a failure of that code.

    Standard input is empty from now on and standard output goes to standard error, so that what a library reads or
    prints does not mix with requests and replies.
    """

    def __init__(self) -> None:
        requests, replies = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        self._requests = open(requests, "rb")  # noqa: SIM115
        self._replies = open(replies, "wb")  # noqa: SIM115
        self.reply(_STARTED)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Iterate over requests until the parent sends no more or has ended."""
        for line in self._requests:
            yield json.loads(line)

    def reply(self, message: Mapping[str, Any]) -> None:
        """Send a reply.

        Raises
        ------
        BrokenPipeError
            If the parent has ended.
        """
        self._replies.write(_line(message))
        self._replies.flush()


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
