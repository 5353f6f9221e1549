from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from aeadlab.lab.cluster.job import Job, JobResult
from aeadlab.lab.cluster.worker import PROCESS, job_folder, mark_delivered, measure_job
from tests.lab.cluster.conftest import (
    silent,
    with_option,
)


def test_returns_an_undelivered_record_again(job: Job) -> None:
    first = measure_job(job, PROCESS, silent)
    assert (first.failure, first.sha256) == ("", hashlib.sha256(first.parquet + first.provenance).hexdigest())
    assert measure_job(replace(job, id="another call"), PROCESS, silent) == first
    assert job_folder(with_option(job, seed=2)) != job_folder(job)
    mark_delivered(job, first.name)
    time.sleep(1.1)
    second = measure_job(job, PROCESS, silent)
    assert second.failure == ""
    assert second.name != first.name
    assert (job_folder(job) / f"{first.name}.parquet").read_bytes() == first.parquet


def test_restarted_task_measures_nothing(job: Job) -> None:
    result = measure_job(job, "a worker that died", silent)
    assert result == JobResult(failure="the worker was restarted meanwhile: repeat the command")
    assert not job_folder(job).exists()


def test_errors_of_a_host_are_its_result(job: Job) -> None:
    unknown = measure_job(with_option(job, implementations=["openssl/aes"]), PROCESS, silent)
    assert unknown.failure.startswith("no implementation is called 'openssl/aes'")

    def broken(_: dict[str, object]) -> None:
        raise OSError("connection lost")

    assert measure_job(job, PROCESS, broken).failure == "OSError: connection lost"
    assert list(job_folder(job).rglob("*.jsonl")), "the journal stays"
