"""Cases that run in another process: one in which CPU features are hidden from libraries, or Numba has another layer.

The process that measures keeps its own libraries as they are, and asks the others for samples in its order.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast
from weakref import WeakSet

from aeadlab.bench.case import Case
from aeadlab.bench.masks import environment, find_mask, process_of
from aeadlab.catalogue.plugins import signal_name
from aeadlab.errors import ArgumentError, MeasurementError

Row = tuple[int, int, int, int, int, int, int]


class ChildDriver:
    """A case that runs in another process, under its mask if it has one; the process is given by `start`.

    Parameters
    ----------
    case
        Of which `process_of` says that it needs one.
    plugins
        What the process has to load besides the lab's own.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such mask.
    """

    def __init__(self, case: Case, plugins: Sequence[Path]) -> None:
        self.case = case
        self.plugins = tuple(map(str, plugins))
        self.environment = environment(case.implementation, find_mask(case.mask)) if case.mask else {}
        self.child: Child | None = None
        self._fingerprint: int | None = None

    @property
    def fingerprint(self) -> int | None:
        return self._fingerprint

    @property
    def kernel(self) -> str:
        """What the library says there about the code that it chose."""
        return str(self._ask({"kernel": self.case.implementation})["kernel"])

    def calibrate(self, target_ns: int) -> int:
        return int(self._ask({"calibrate": target_ns})["batch"])

    def sample(self, batch: int) -> Row:
        reply = self._ask({"sample": batch})
        found = reply["fingerprint"]
        # A process that was started anew has not seen what this case computed before.
        if self._fingerprint is not None and found != self._fingerprint:
            raise MeasurementError("the result differs from the first sample's")
        self._fingerprint = found
        return cast(Row, tuple(reply["row"]))

    def _ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        if self.child is None:
            raise ArgumentError("the case has no process yet: give it one with `share_arena`")
        return self.child.ask(self, request)


class _Process:
    """A running process, asked and answered line by line."""

    def __init__(self, plugins: Sequence[str], environment: Mapping[str, str]) -> None:
        # A file, not a pipe: what a library says must never make it wait.
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._popen = subprocess.Popen(
            [sys.executable, "-m", "aeadlab.bench.child", str(os.getpid()), *plugins],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            env={**os.environ, **environment},
        )
        self._requests, self._answers = cast(IO[str], self._popen.stdin), cast(IO[str], self._popen.stdout)

    def ask(self, request: Mapping[str, object]) -> dict[str, Any] | None:
        """The answer; None where the process has ended."""
        try:
            self._requests.write(json.dumps(request) + "\n")
            self._requests.flush()
            line = self._answers.readline()
        except OSError:
            return None
        # A line that is cut short is no answer.
        return cast(dict[str, Any], json.loads(line)) if line.endswith("\n") else None

    def end(self) -> str:
        """Let it end, wait for it, and say how it ended."""
        with self._popen, self._said:
            with contextlib.suppress(OSError):
                self._requests.close()
            status = self._popen.wait()
            self._said.seek(0)
            lines = self._said.read().strip().splitlines()
        how = signal_name(-status) if status < 0 else f"status {status}"
        return f"ended with {how}{f' ({lines[-1]})' if lines else ''}"


class Child:
    """A process, and all cases that share it.

    When it dies, the case that it was asked for is lost; the next request starts another, without that case.

    Parameters
    ----------
    drivers
        The cases that it prepares, all of one `process_of`.
    bytes
        Size of its buffers.
    seed
        Of their content.
    """

    def __init__(self, drivers: Sequence[ChildDriver], bytes: int, seed: int) -> None:
        self._numbers = {id(driver): number for number, driver in enumerate(drivers)}
        self._drivers = tuple(drivers)
        self._memory = {"bytes": bytes, "seed": seed}
        self._lost: dict[int, str] = {}
        self._process: _Process | None = None
        _children.add(self)

    def ask(self, driver: ChildDriver, request: Mapping[str, object]) -> dict[str, Any]:
        """The answer to a request about a case.

        Raises
        ------
        aeadlab.errors.MeasurementError
            If the case fails, or the process dies of it, now or before.
        """
        number = self._numbers[id(driver)]
        if number not in self._lost:
            process = self._process or self.start()
            # Starting it may have been too much already.
            if process is not None and number not in self._lost:
                answer = process.ask({"case": number, **request})
                if answer is None:
                    self._lost[number] = self.close()
                elif "error" in answer:
                    raise MeasurementError(answer["error"])
                else:
                    return answer
        raise MeasurementError(self._lost[number])

    def close(self) -> str:
        """End the process, and say how it ended; ``""`` where there is none."""
        process, self._process = self._process, None
        return f"the process {self._under} {process.end()}" if process else ""

    @property
    def _under(self) -> str:
        case = self._drivers[0].case
        return f"under mask {case.mask}" if case.mask else f"of schedule {case.schedule}"

    def start(self) -> _Process | None:
        """Start the process with all cases that it can prepare; None where there is no such case.

        Raises
        ------
        aeadlab.errors.MeasurementError
            If there is not the memory for it.
        """
        first = self._drivers[0]
        while len(self._lost) < len(self._drivers):
            self._process = _Process(first.plugins, first.environment)
            if self._prepare(self._process):
                answer = self._process.ask({"arena": self._memory})
                if answer is not None and "error" not in answer:
                    return self._process
                why = self.close() if answer is None else answer["error"]
                raise MeasurementError(f"{self._under}: {why}; choose a smaller message, or fewer processes")
            self.close()
        return None

    def _prepare(self, process: _Process) -> bool:
        """Prepare all cases; returns whether the process has survived that, with any of them."""
        for number, driver in enumerate(self._drivers):
            if number in self._lost:
                continue
            answer = process.ask({"case": number, "prepare": driver.case.row(), "seed": self._memory["seed"]})
            if answer is None:
                self._lost[number] = self.close()
                return False
            if "error" in answer:
                self._lost[number] = answer["error"]
        return len(self._lost) < len(self._drivers)


_children: WeakSet[Child] = WeakSet()


def start(drivers: Iterable[ChildDriver], bytes: int, seed: int) -> None:
    """Give each driver a process: one for all cases of which `process_of` says the same.

    Raises
    ------
    aeadlab.errors.MeasurementError
        If there is not the memory for them.
    """
    groups: dict[tuple[str, ...], list[ChildDriver]] = {}
    for driver in drivers:
        groups.setdefault(process_of(driver.case), []).append(driver)
    for together in groups.values():
        child = Child(together, bytes, seed)
        for driver in together:
            driver.child = child
        child.start()


def close_all() -> None:
    """End all these processes, and wait until their memory is free."""
    for child in list(_children):
        child.close()
