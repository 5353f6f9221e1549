from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.lab.cluster import as_text, host_table
from aeadlab.lab.cluster.comparison import CAUTION
from aeadlab.lab.cluster.job import Job, store_result
from aeadlab.lab.cluster.worker import PROCESS, measure_job
from tests.lab.cluster.conftest import (
    CASES,
    silent,
    with_option,
)


def slower(samples: pd.DataFrame, factor: float) -> pd.DataFrame:
    return samples.assign(seconds=samples["seconds"] * factor, wall_ns=samples["wall_ns"] * factor)


def test_compares_hosts_case_by_case(job: Job, tmp_path: Path) -> None:
    samples = store_result(measure_job(with_option(job, samples=7), PROCESS, silent), "a", tmp_path).samples
    whole = samples[samples["engine"] == "whole"]
    table = host_table({"z": samples, "a": slower(samples, 2.0), "m": slower(whole, 3.0)})
    assert list(table["host"][:3]) == ["z", "a", "m"], "in the given order"
    assert len(table) == 3 * CASES, "without the second arms of A/A pairs"
    assert list(table[table["host"] == "a"]["ratio"]) == pytest.approx([2.0] * CASES)
    missing = table[table["host"] == "m"].sort_values("n")
    assert list(missing["n"]) == [0] * (CASES // 2) + [7] * (CASES // 2)
    assert missing["ratio"].isna().tolist() == [True] * (CASES // 2) + [False] * (CASES // 2)
    assert missing["ratio"].iloc[-1] == pytest.approx(3.0)
    alone = host_table({"z": samples})
    shared = table[table["host"] == "z"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, shared)
    text = as_text(host_table({"a-very-long-name.of-a-host.in-a-cluster.example.org": samples, "m": whole}))
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("no sample") == CASES // 2
    assert text.replace("\n  ", " ").endswith(CAUTION)
    with pytest.raises(ArgumentError, match="no record to compare"):
        host_table({})
