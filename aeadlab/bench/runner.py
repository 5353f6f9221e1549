"""Runs a plan to its end in worker processes, one after the other when one crashes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import IO

from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.worker import AGAIN
from aeadlab.errors import MeasurementError, RecordError

STALL_SECONDS = 900.0
"""A case that gives no sample for so long hangs: the slowest ciphers here need some minutes for 4 GiB."""

STOP_SECONDS = 0.25
"""How long a request to stop may go unheard; workers report as often, so that nothing is woken oftener for it."""

Progress = Callable[[int, int], object]
"""Called now and then with (samples taken, samples planned)."""


def run(
    plan: Plan, path: Path, progress: Progress | None = None, lock: int | None = None, stop: Event | None = None
) -> Journal:
    """Take all samples of `plan`; a journal at `path` is carried on with.

    Parameters
    ----------
    lock
        Descriptor of `aeadlab.bench.lock.machine_lock` where the caller holds it; None takes it for the run.
    stop
        Set by another thread, it ends the run with the samples that there are; a note says so.

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
        If the worker ends for a reason that is no case's, or the run is stopped before its first sample.
    """
    with machine_lock() if lock is None else nullcontext(lock) as held:
        if not path.exists():
            Journal.create(path, plan)
        _opened(plan, path)
        while True:
            ended, blamed, errors = _work(path, plan.samples, held, progress, stop)
            journal = _opened(plan, path)
            if ended == 0:
                return journal
            if stop is not None and stop.is_set():
                return _stopped(journal)
            if ended == AGAIN:
                continue
            why = f"ended with {_ending(ended)}" if ended is not None else f"gave no sample in {STALL_SECONDS:g} s"
            if blamed is None:
                raise MeasurementError(f"the measuring process {why}: {errors or 'no reason'}")
            journal.append({"case": blamed, "failed": f"the process {why}{_last(errors)}"})


def _opened(plan: Plan, path: Path) -> Journal:
    """The journal of `plan`, ready to be carried on with."""
    journal = Journal.read(path)
    if journal.plan != plan:
        raise RecordError(f"journal {path} is of another plan ({journal.plan.definition}, not {plan.definition})")
    journal.repair()
    return journal


def _stopped(journal: Journal) -> Journal:
    """A journal of a run that was stopped, which is carried on with no more."""
    done = journal.done()
    if not done:
        # Nothing is lost, and who presses a button often leaves nothing behind.
        journal.path.unlink()
        raise MeasurementError("stopped before there was a sample")
    journal.append({"stopped": f"{len(done)} of {journal.plan.samples} samples"})
    return journal


def _work(
    path: Path, planned: int, lock: int, progress: Progress | None, stop: Event | None
) -> tuple[int | None, int | None, str]:
    """One worker's life: its exit status, the case it was in, and the end of what it said on standard error.

    The status is None where a case hung and the worker was ended for it.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as in_flight:
        in_flight.truncate(8)
        command = [sys.executable, "-m", "aeadlab.bench.worker", str(path), str(in_flight.fileno())]
        # The lock goes along: should this process be killed, it stays taken until the worker has ended too.
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            stdin=subprocess.DEVNULL,
            pass_fds=(lock, in_flight.fileno()),
        ) as worker:
            try:
                hangs = not _heard_out(worker.stdout, lambda taken: progress and progress(taken, planned), stop)
                if hangs or (stop is not None and stop.is_set()):
                    worker.kill()
            except BaseException:
                worker.kill()
                raise
        index = int.from_bytes(os.pread(in_flight.fileno(), 8, 0), "little") - 1
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
        return None if hangs else worker.returncode, index if index >= 0 else None, said[-2000:]


def _heard_out(pipe: IO[bytes] | None, report: Callable[[int], object], stop: Event | None) -> bool:
    """Listen to a worker's reports to their end, or until it shall stop; False if there is none for too long."""
    assert pipe is not None
    rest = b""
    silent_from = time.monotonic()
    while stop is None or not stop.is_set():
        # Sleeping between the reports leaves both cores to the measurement.
        patience = silent_from + STALL_SECONDS - time.monotonic()
        if patience <= 0:
            return False
        if not select.select([pipe], [], [], patience if stop is None else min(patience, STOP_SECONDS))[0]:
            continue
        said = os.read(pipe.fileno(), 4096)
        if not said:
            break
        silent_from = time.monotonic()
        *lines, rest = (rest + said).split(b"\n")
        for line in lines:
            report(int(line))
    return True


def _ending(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _last(errors: str) -> str:
    lines = errors.splitlines()
    return f" ({lines[-1]})" if lines else ""
