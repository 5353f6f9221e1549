from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from aeadlab.errors import RecordError
from aeadlab.lab.cluster.job import Job, store_result
from aeadlab.lab.cluster.worker import PROCESS, measure_job
from aeadlab.records.reading import load_record
from tests.lab.cluster.conftest import (
    silent,
)


def test_stores_a_record_without_overwriting(job: Job, tmp_path: Path) -> None:
    result = measure_job(job, PROCESS, silent)
    path = store_result(result, "a", tmp_path).path
    assert store_result(result, "a", tmp_path).path == path, "the same record again is accepted"
    assert store_result(result, "b", tmp_path).path != path
    with pytest.raises(RecordError, match="damaged in transit"):
        store_result(replace(result, parquet=result.parquet[:-1]), "a", tmp_path)
    path.write_bytes(b"precious")
    with pytest.raises(RecordError, match="exists with other content and is left as it is"):
        store_result(result, "a", tmp_path)
    assert path.read_bytes() == b"precious"
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(RecordError, match="could not be written"):
        store_result(result, "a", tmp_path / "nowhere")


def test_stored_record_reads_like_any_other(job: Job, tmp_path: Path) -> None:
    record = store_result(measure_job(job, PROCESS, silent), "a", tmp_path)
    pd.testing.assert_frame_equal(record.samples, load_record(record.path).samples)
    assert json.loads(record.path.with_suffix(".json").read_text()) == record.provenance
