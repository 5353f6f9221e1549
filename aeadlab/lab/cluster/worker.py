"""The functions that run on a worker: its own measurement of a study, and the delivery of the record."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4

from aeadlab import paths
from aeadlab.bench import lock
from aeadlab.errors import Error
from aeadlab.lab.cluster.installation import Installation, local_installation
from aeadlab.lab.cluster.job import Job, JobResult, read_result
from aeadlab.lab.measurement import measure
from aeadlab.records.lookup import records_of

PROCESS = uuid4().hex
"""Identifies this process, as opposed to one that Dask starts in its place when it dies."""

FOLDER = "cluster-host"
"""Subfolder of a host's results folder with the journals and records, a folder for each job."""

REPORT_SECONDS = 2.0
"""Interval between progress reports in seconds: each is a message, sent while the host measures."""

Report = Callable[[dict[str, object]], object]
"""Called with ``{"process": ..., "taken": ..., "planned": ...}``, the latter two in samples."""

_stopped_jobs: set[str] = set()


def describe_process() -> tuple[str, Installation]:
    """Return the identifier of this process, and its aeadlab."""
    return PROCESS, local_installation()


def job_folder(job: Job) -> Path:
    """Return the folder of a job's journal and records on this host; equal jobs have the same."""
    # The host name is part of the key because several hosts may share a results folder.
    key = {**asdict(job), "id": platform.node(), "lock": str(lock.lock_path())}
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
    return paths.results() / FOLDER / f"{job.study}-{digest}"


def measure_job(job: Job, process: str, report: Report | None = None) -> JobResult:
    """Measure the study of a job on this host, or return its record that was not delivered.

    Dask starts a task again if the worker died: a process other than `process` returns a failure, since the user
    decides whether to repeat a measurement. `report` None sends the reports through Dask, with the job's id as topic.
    """
    if process != PROCESS:
        return JobResult(failure="the worker was restarted meanwhile: repeat the command")
    try:
        folder = job_folder(job)
        if (path := _undelivered_record(job, folder)) is None:
            path = measure(
                job.study,
                job.profile,
                folder=folder,
                plugins=[Path(plugin) for plugin in job.plugins],
                progress=_Reporter(job.id, report or _dask_report(job.id)),
                **job.options,
            ).path
        return read_result(path)
    except Exception as error:
        # Any error is this host's, and must not look like a failure of the cluster.
        return JobResult(failure=str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}")


def mark_delivered(job: Job, name: str) -> None:
    """Record that the caller has the record `name`, so that the next equal job is measured again."""
    (job_folder(job) / f"{name}.delivered").touch()


def stop_job(job_id: str) -> None:
    """End the measurement of a job at its next progress report; the journal stays."""
    _stopped_jobs.add(job_id)


def _undelivered_record(job: Job, folder: Path) -> Path | None:
    """Return the latest complete record of a job whose caller disconnected before delivery."""
    complete = [path for path in records_of(job.study, folder) if path.with_suffix(".json").is_file()]
    return next((path for path in reversed(complete) if not path.with_suffix(".delivered").exists()), None)


@dataclass
class _Reporter:
    """Progress callback that sends reports at intervals, and raises when the caller stops the job."""

    job_id: str
    report: Report
    next: float = 0.0

    def __call__(self, taken: int, planned: int) -> None:
        if self.job_id in _stopped_jobs:
            raise Error("stopped by the caller; the same command resumes")
        if (now := time.monotonic()) >= self.next:
            self.next = now + REPORT_SECONDS
            self.report({"process": PROCESS, "taken": taken, "planned": planned})


def _dask_report(topic: str) -> Report:
    from distributed import get_worker

    worker = get_worker()
    # The first report marks the start of the job, since the verification may take long before the first sample.
    worker.log_event(topic, {"process": PROCESS, "taken": 0, "planned": 0})
    return lambda message: worker.log_event(topic, message)
