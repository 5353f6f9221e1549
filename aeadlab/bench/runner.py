"""Runs a plan to its end in worker processes, one after the other when one crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from aeadlab.bench.journal import Journal
from aeadlab.bench.lock import machine_lock
from aeadlab.bench.plan import Plan
from aeadlab.bench.worker import AGAIN
from aeadlab.errors import MeasurementError, RecordError

Progress = Callable[[int, int], object]
"""Called now and then with (samples taken, samples planned)."""


def run(plan: Plan, path: Path, progress: Progress | None = None, lock: int | None = None) -> Journal:
    """Take all samples of `plan`; a journal at `path` is carried on with.

    Parameters
    ----------
    lock
        Descriptor of `aeadlab.bench.lock.machine_lock` where the caller holds it; None takes it for the run.

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
        If the worker ends for a reason that is no case's.
    """
    with machine_lock() if lock is None else nullcontext(lock) as held:
        if not path.exists():
            Journal.create(path, plan)
        _opened(plan, path)
        while True:
            status, blamed, errors = _work(path, len(plan.cases) * plan.profile.rounds, held, progress)
            journal = _opened(plan, path)
            if status == 0:
                return journal
            if status == AGAIN:
                continue
            if blamed is None:
                raise MeasurementError(f"the measuring process ended with {_ending(status)}: {errors or 'no reason'}")
            journal.append({"case": blamed, "failed": f"the process ended with {_ending(status)}{_last(errors)}"})


def _opened(plan: Plan, path: Path) -> Journal:
    """The journal of `plan`, ready to be carried on with."""
    journal = Journal.read(path)
    if journal.plan != plan:
        raise RecordError(f"journal {path} is of another plan ({journal.plan.definition}, not {plan.definition})")
    journal.repair()
    return journal


def _work(path: Path, planned: int, lock: int, progress: Progress | None) -> tuple[int, int | None, str]:
    """One worker's life: its exit status, the case it was in, and the end of what it said on standard error."""
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
                # Sleeping in a read between the worker's reports leaves both cores to the measurement.
                for line in worker.stdout or ():
                    if progress is not None:
                        progress(int(line), planned)
            except BaseException:
                worker.kill()
                raise
        index = int.from_bytes(os.pread(in_flight.fileno(), 8, 0), "little") - 1
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
        return worker.returncode, index if index >= 0 else None, said[-2000:]


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
