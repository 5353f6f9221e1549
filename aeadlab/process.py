"""Child processes that exchange lines of JSON with their parent.

Code that may crash, hang, or need an environment of its own runs in a child process: loading a plugin, verifying it,
taking samples. `Child` is the parent's side, `Channel` the child's.
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
from types import MappingProxyType, TracebackType
from typing import IO, Any, Self, cast

INTERPRETER: tuple[str, ...] = (sys.executable,)
"""Command that runs every child's module, which follows as ``-m MODULE``."""

UNCHANGED: Mapping[str, str] = MappingProxyType({})
"""No changes to the environment of the parent."""


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
        The text on standard error, without surrounding white space.
    """

    status: int
    errors: str

    @property
    def signal(self) -> str:
        """Name of the signal that ended the child, or ``""``."""
        return signal_name(-self.status) if self.status < 0 else ""

    @property
    def cause(self) -> str:
        """The signal's name, or the status: ``SIGSEGV``, ``status 3``."""
        return self.signal or f"status {self.status}"

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

    As a context manager it ends the child on leaving.

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
    own_group
        Whether the child leads a process group of its own, which is ended as a whole. Signals from a terminal do not
        reach such a child.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] = UNCHANGED,
        pass_fds: Sequence[int] = (),
        own_group: bool = False,
    ) -> None:
        # A file, not a pipe: a full pipe would block a library that prints much.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._own_group = own_group
        self._popen = subprocess.Popen(
            [*INTERPRETER, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **environment},
            pass_fds=tuple(pass_fds),
            process_group=0 if own_group else None,
        )
        self._requests, self._replies = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)
        self._received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def request(self, message: Mapping[str, Any], timeout: float | None = None) -> dict[str, Any] | None:
        """Send a request and return the reply, or None if the child has ended.

        Raises
        ------
        TimeoutError
            If there is no reply within `timeout` seconds.
        """
        try:
            self._requests.write(_line(message))
            self._requests.flush()
        except OSError:
            return None
        return self.receive(timeout)

    def receive(self, timeout: float | None = None) -> dict[str, Any] | None:
        """Return the next reply, or None if the child sends no more.

        Raises
        ------
        TimeoutError
            If there is neither within `timeout` seconds.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(self._replies, select.POLLIN)
        while b"\n" not in self._received:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0) * 1000
            if not poll.poll(left):
                raise TimeoutError(f"no reply within {timeout:g} s")
            if not (octets := os.read(self._replies.fileno(), 1 << 16)):
                # The bytes received so far are an incomplete line of a child that has ended.
                return None
            self._received += octets
        line, _, self._received = self._received.partition(b"\n")
        return cast(dict[str, Any], json.loads(line))

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
        """End the child, and its process group if it has its own, and return its `Ending`."""
        if self._own_group:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.kill()
        with contextlib.suppress(OSError):
            self._requests.close()
        self._replies.close()
        status = self._popen.wait()
        if not self._errors.closed:
            self._errors.seek(0)
            self._ending = Ending(status, self._errors.read().decode(errors="replace").strip())
            self._errors.close()
        return self._ending


class Channel:
    """The parent, seen from a child: its requests, and replies to it.

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
