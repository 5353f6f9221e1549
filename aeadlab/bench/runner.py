"""Runs a plan in worker processes, the next of which starts when one has done its share or crashed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import Any

from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.worker import AGAIN
from aeadlab.errors import MeasurementError, RecordError
from aeadlab.process import Child, Ending

STALL_SECONDS = 900.0
"""Time without a sample after which a worker has stalled; the slowest ciphers need some minutes for 4 GiB."""

Progress = Callable[[int, int], object]
"""Called after samples, at most four times each second, with (samples taken, samples planned)."""

WarmUpProgress = Callable[[int, int], object]
"""Called as `Progress` is, with (cases warmed up, cases that the process warms up)."""

_Report = Callable[[Mapping[str, Any]], object]


def run(
    plan: Plan,
    path: Path,
    progress: Progress | None = None,
    lock: int | None = None,
    stop: Event | None = None,
    warm_up: WarmUpProgress | None = None,
) -> Journal:
    """Take all samples of a plan, or resume the journal at `path`.

    Parameters
    ----------
    lock
        Descriptor from `aeadlab.bench.lock.machine_lock` if the caller holds it; None acquires the lock for the run.
    stop
        Set by another thread to end the run with the samples taken so far, which a note records.
    warm_up
        Called in place of `progress` while a process warms up; None calls `progress` then, too.

    Returns
    -------
    Journal
        With every sample, warm-ups included, and the cases that failed with their reasons.

    Raises
    ------
    aeadlab.errors.BusyError
        If another process measures on this machine.
    aeadlab.errors.RecordError
        If the journal at `path` is of another plan, damaged, or cannot be written.
    aeadlab.errors.MeasurementError
        If the worker fails outside all cases, or the run is stopped before its first sample.
    aeadlab.errors.ChildError
        If a worker does not start.
    """

    def report(reply: Mapping[str, Any]) -> None:
        if warm_up is not None and "warmed" in reply:
            warm_up(reply["warmed"], reply["due"])
        elif progress is not None:
            progress(reply["taken"], plan.samples)

    with machine_lock() if lock is None else nullcontext(lock) as held:
        if not path.exists():
            Journal.create(path, plan)
        _journal(plan, path)
        while True:
            ending, stalled, case = _run_worker(path, held, report, stop)
            journal = _journal(plan, path)
            if ending.status == 0:
                return journal
            if stop is not None and stop.is_set():
                return _stop(journal)
            if ending.status == AGAIN:
                continue
            stall = f"stalled (no sample for {STALL_SECONDS:g} s)"
            if case is None:
                cause = stall if stalled else f"ended with {ending.cause}"
                raise MeasurementError(f"the measuring process {cause}: {ending.last_line or 'no reason given'}")
            journal.append({"case": case, "failed": f"the process {stall if stalled else ending.summary}"})


def _journal(plan: Plan, path: Path) -> Journal:
    """Read the journal of a plan and repair it, so that it can be resumed."""
    journal = Journal.read(path)
    if journal.plan != plan:
        given = f"{journal.plan.definition}, not {plan.definition}"
        raise RecordError(f"journal {path} is of another plan ({given}): remove it to start again")
    journal.repair()
    return journal


def _stop(journal: Journal) -> Journal:
    """Record that the run was stopped; without a sample, remove the journal and raise."""
    done = journal.done()
    if not done:
        journal.path.unlink()
        raise MeasurementError("stopped before the first sample")
    journal.append({"stopped": f"{len(done)} of {journal.plan.samples} samples"})
    return journal


def _run_worker(path: Path, lock: int, report: _Report, stop: Event | None) -> tuple[Ending, bool, int | None]:
    """Run one worker until it ends, stalls, or the run is stopped.

    Returns
    -------
    Ending
        Its exit status and error output.
    bool
        Whether it stalled, and was killed for that.
    int or None
        Index of the case that was running; None outside all cases.
    """
    with tempfile.TemporaryFile() as in_flight:
        in_flight.truncate(8)
        # The worker inherits the lock: if this process is killed, the lock stays taken until the worker has ended too.
        arguments, inherited = [str(path), str(in_flight.fileno())], (lock, in_flight.fileno())
        with Child("aeadlab.bench.worker", arguments, pass_fds=inherited) as worker:
            stalled = not _read_progress(worker, report, stop)
            ending = worker.kill() if stalled or (stop is not None and stop.is_set()) else worker.end()
        index = int.from_bytes(os.pread(in_flight.fileno(), 8, 0), "little") - 1
        return ending, stalled, index if index >= 0 else None


def _read_progress(worker: Child, report: _Report, stop: Event | None) -> bool:
    """Read a worker's progress until it ends or the run is stopped; return False for a worker that stalls."""
    try:
        # Blocking between the reports leaves all cores to the measurement.
        while (reply := worker.receive(STALL_SECONDS, stop)) is not None:
            if "taken" in reply:
                report(reply)
    except TimeoutError:
        return False
    return True
