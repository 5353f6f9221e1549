"""Cases that run in a process of their own: masked ones, schedules of Numba, and the second arms of A/A pairs.

The worker process takes the samples of all cases in the order of the plan, those of isolated cases by requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from weakref import WeakSet

from aeadlab.bench.case import Case
from aeadlab.bench.masks.masks import find_mask
from aeadlab.bench.masks.switches import environment
from aeadlab.catalogue import Catalogue
from aeadlab.errors import ArgumentError, MeasurementError, VerificationError
from aeadlab.parsplit import schedules
from aeadlab.process import Child

Row = tuple[int, int, int, int, int, int, int]


def process_key(case: Case, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the key of the process in which a case runs; ``()`` is the worker process itself.

    Cases with equal keys share a process. Different masks never do, even where they set the same variables. Numba has
    one threading layer for each process. Second arms of A/A pairs have the memory layout of another process than the
    first arms, so that the ratio of both contains the effect of the layout.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such mask, or no implementation of that name to run under it.
    """
    own: tuple[str, ...] = ("replica",) if case.replica else ()
    own += (case.schedule,) if case.schedule in schedules.ONE_PER_PROCESS else ()
    if not case.mask:
        return own
    return (case.mask, *own, *(f"{name}={value}" for name, value in sorted(_environment(case, catalogue).items())))


def _environment(case: Case, catalogue: Catalogue) -> dict[str, str]:
    return environment(catalogue.find(case.implementation), find_mask(case.mask)) if case.mask else {}


class IsolatedDriver:
    """A case that runs in another process, which `start` assigns.

    Parameters
    ----------
    case
        One with a `process_key`.
    catalogue
        With the plugins that the process loads.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such mask, or no implementation of that name to run under it.
    """

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        self.case = case
        self.key = process_key(case, catalogue)
        self.plugins = tuple(map(str, catalogue.plugins))
        self.environment = _environment(case, catalogue)
        self.group: Group | None = None
        self._fingerprint: int | None = None

    @property
    def fingerprint(self) -> int | None:
        return self._fingerprint

    @property
    def kernel(self) -> str:
        """The code path that the library reports in that process."""
        return str(self._request({"kernel": self.case.implementation})["kernel"])

    def calibrate(self, target_ns: int) -> int:
        return int(self._request({"calibrate": target_ns})["batch"])

    def sample(self, batch: int) -> Row:
        reply = self._request({"sample": batch})
        fingerprint = reply["fingerprint"]
        # Compared in this process too, because the one that took the earlier samples may have ended.
        if self._fingerprint is not None and fingerprint != self._fingerprint:
            raise VerificationError("the result differs from the first sample's")
        self._fingerprint = fingerprint
        return cast(Row, tuple(reply["row"]))

    def _request(self, message: Mapping[str, object]) -> dict[str, Any]:
        if self.group is None:
            raise ArgumentError("the case has no process yet: assign one with `share_arena`")
        return self.group.request(self, message)


class Group:
    """The cases that share a process.

    If the process ends, the case of the last request is lost; the next request starts a new process without it.

    Parameters
    ----------
    drivers
        The cases, all with one key.
    memory
        Of the buffers: ``bytes`` of the message and ``tags``, and the ``seed`` of their content.
    """

    def __init__(self, drivers: Sequence[IsolatedDriver], memory: Mapping[str, int]) -> None:
        self._numbers = {id(driver): number for number, driver in enumerate(drivers)}
        self._drivers = tuple(drivers)
        self._memory = dict(memory)
        self._lost: dict[int, str] = {}
        self._process: Child | None = None
        _groups.add(self)

    def request(self, driver: IsolatedDriver, message: Mapping[str, object]) -> dict[str, Any]:
        """Return the reply to a request about a case.

        Raises
        ------
        aeadlab.errors.MeasurementError
            If the case fails, or ended the process now or before.
        aeadlab.errors.VerificationError
            If its result is wrong.
        aeadlab.errors.ChildError
            If a new process does not start.
        """
        number = self._numbers[id(driver)]
        if number not in self._lost:
            process = self._process or self.start()
            # The start may have lost this case.
            if process is not None and number not in self._lost:
                reply = process.request({"case": number, **message})
                if reply is None:
                    self._lost[number] = self.close()
                elif "error" in reply:
                    raise (VerificationError if reply.get("wrong") else MeasurementError)(reply["error"])
                else:
                    return reply
        raise MeasurementError(self._lost[number])

    def close(self) -> str:
        """End the process and return its `Ending` in words, or ``""`` if there is none."""
        process, self._process = self._process, None
        return f"the process {self._purpose} {process.end().summary}" if process else ""

    @property
    def _purpose(self) -> str:
        case = self._drivers[0].case
        if case.mask:
            return f"under mask {case.mask}"
        return "of the second arms of A/A pairs" if case.replica else f"of schedule {case.schedule}"

    def start(self) -> Child | None:
        """Start the process and prepare the cases in it; return None if none of them can be prepared.

        Raises
        ------
        aeadlab.errors.MeasurementError
            If there is not enough memory.
        aeadlab.errors.ChildError
            If the process does not start.
        """
        self.begin()
        return self.finish()

    def begin(self) -> None:
        """Start the process, prepare the cases in it and request its buffers; errors as `start`."""
        first = self._drivers[0]
        while len(self._lost) < len(self._drivers):
            self._process = _take_spare(first) or _spawn(first.plugins, first.environment)
            if self._prepare(self._process):
                self._process.send({"arena": self._memory})
                return
            self.close()

    def finish(self) -> Child | None:
        """Wait for the buffers that `begin` requested; result and errors as `start`."""
        if self._process is None:
            return None
        reply = self._process.receive()
        if reply is not None and "error" not in reply:
            return self._process
        reason = self.close() if reply is None else reply["error"]
        raise MeasurementError(f"{self._purpose}: {reason}; choose a smaller message, or fewer processes")

    def _prepare(self, process: Child) -> bool:
        """Prepare all cases; return whether the process still runs and has any."""
        for number, driver in enumerate(self._drivers):
            if number in self._lost:
                continue
            reply = process.request({"case": number, "prepare": driver.case.row(), "seed": self._memory["seed"]})
            if reply is None:
                self._lost[number] = self.close()
                return False
            if "error" in reply:
                self._lost[number] = reply["error"]
        return len(self._lost) < len(self._drivers)


_groups: WeakSet[Group] = WeakSet()
_spare: dict[tuple[str, ...], Child] = {}


def start_spare(plugins: Sequence[str]) -> None:
    """Start a process for the next group without a mask, which meanwhile imports its modules."""
    _spare[tuple(plugins)] = _spawn(plugins, {})


def _take_spare(driver: IsolatedDriver) -> Child | None:
    return None if driver.environment else _spare.pop(driver.plugins, None)


def _spawn(plugins: Sequence[str], environment: Mapping[str, str]) -> Child:
    return Child("aeadlab.bench.isolated_worker", plugins, environment=environment)


def begin(drivers: Iterable[IsolatedDriver], memory: Mapping[str, int]) -> list[Group]:
    """Begin one process for all drivers with the same key, which `Group.finish` completes; arguments as for `Group`."""
    by_key: dict[tuple[str, ...], list[IsolatedDriver]] = {}
    for driver in drivers:
        by_key.setdefault(driver.key, []).append(driver)
    groups = [Group(together, memory) for together in by_key.values()]
    for group, together in zip(groups, by_key.values(), strict=True):
        for driver in together:
            driver.group = group
        group.begin()
    return groups


def close_all() -> None:
    """End all processes of isolated cases, and wait until their memory is free."""
    for group in list(_groups):
        group.close()
    while _spare:
        _spare.popitem()[1].end()
