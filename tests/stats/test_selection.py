from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import (
    drift,
    fit_amdahl,
    fit_mixture,
    median_interval,
    modes,
    noise_floor,
    ratio,
    roofline_share,
    speed_up,
    summary,
)
from aeadlab.stats.selection import (
    CASE_COLUMNS,
    TEXT_COLUMNS,
    default_cases,
    default_conditions,
    in_cpu_time,
    is_baseline,
    named_rows,
)

BAD = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "function",
    [
        lambda v: median_interval(v, [0, 1, 2], [0, 1, 2]),
        lambda v: median_interval([1, 2, 3], v, [0, 1, 2]),
        lambda v: median_interval([1, 2, 3], [0, 1, 2], v),
        lambda v: fit_mixture(v, 2),
        lambda v: drift(v, [0, 1, 2]),
        lambda v: drift([0, 1, 2], v),
        lambda v: modes(v, [0, 1, 2]),
        lambda v: modes([1, 2, 3], v),
        lambda v: modes([1, 2, 3], [0, 1, 2], v),
        lambda v: fit_amdahl(v, [1, 2, 3]),
        lambda v: fit_amdahl([1, 2, 3], v),
    ],
)
def test_rejects_values_that_are_not_finite(function: Any, bad: float) -> None:
    with pytest.raises(ArgumentError, match="1 of 3 values that are NaN or infinite"):
        function([0.5, bad, 0.7])


@pytest.mark.parametrize("bad", [*BAD, 0.0, -1e-6])
@pytest.mark.parametrize("function", [summary, speed_up, roofline_share, lambda s: ratio(s, s)])
def test_rejects_times_that_are_not_finite_and_positive(make_case: Any, function: Any, bad: float) -> None:
    samples = make_case([1.0, 1.1, 1.2])
    samples.loc[1, "seconds"] = bad
    with pytest.raises(ArgumentError, match="seconds hold 1 of 3 values"):
        function(samples)


@pytest.mark.parametrize("function", [summary, noise_floor, speed_up, roofline_share])
@pytest.mark.parametrize("column", ["threads", "process", "seconds", "warmup", "status"])
def test_names_a_missing_column(make_case: Any, function: Any, column: str) -> None:
    with pytest.raises(ArgumentError, match=f"no column {column} "):
        function(make_case([1.0, 2.0]).drop(columns=column))


def test_a_failed_sample_may_hold_any_time(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0, 2.0, 3.0]), make_case([np.nan, 0.0], status="failed: signal 11")])
    assert summary(samples)["n"].tolist() == [3]


def test_rejects_text_and_tables_as_values() -> None:
    with pytest.raises(ArgumentError, match="not numbers"):
        median_interval(["fast", "slow"], [0, 1], [0, 1])
    with pytest.raises(ArgumentError, match="2 dimensions"):
        median_interval([[1.0, 2.0]], [0, 1], [0, 1])


def test_default_cases_are_separate_warm_unmasked_first_arms(make_case: Any) -> None:
    changes = [
        {"placement": "in-place"},
        {"aad_bytes": 32},
        {"tags": "digest"},
        {"cache": "cold"},
        {"mask": "no-aes"},
        {"replica": 1},
    ]
    samples = pd.concat([make_case([1.0]), make_case([1.0], bytes=64), *(make_case([1.0], **c) for c in changes)])
    assert default_cases(samples)["bytes"].tolist() == [1 << 20]
    assert default_cases(samples, largest=False)["bytes"].tolist() == [1 << 20, 64]
    assert default_conditions(samples, ignore=("mask", "replica")).tolist() == [
        *(True, True),
        *(False, False, False, False),
        *(True, True),
    ]


def test_baselines_only_move_data() -> None:
    assert is_baseline("baseline/memcpy") and is_baseline("baseline/xor")
    assert not is_baseline("openssl/aes-256-gcm")


def test_cpu_times_are_those_of_one_execution(make_case: Any) -> None:
    """Samples below the resolution of the clock of CPU times are left out, those that failed are not."""
    status = ["ok", "ok", "failed: signal 9"]
    samples = make_case([1.0, 1.0, 1.0], status=status, cpu_ns=[3_000_000_000, 0, 0], batch=[2, 1, 1])
    found = in_cpu_time(samples)
    assert found["seconds"].tolist() == [1.5, 0.0] and found["status"].tolist() == ["ok", "failed: signal 9"]
    assert in_cpu_time(samples.assign(cpu_ns=1))["seconds"].tolist() == [5e-10, 1e-9, 1e-9]
    with pytest.raises(ArgumentError, match="no column cpu_ns, batch"):
        in_cpu_time(make_case([1.0]))


def test_columns_of_a_case_are_its_dimensions_and_facts_about_its_implementation() -> None:
    assert CASE_COLUMNS[:5] == ("implementation", "library", "algorithm", "kind", "engine")
    assert set(CASE_COLUMNS) - set(TEXT_COLUMNS) == {"bytes", "block_size", "threads", "aad_bytes", "replica"}


def test_rows_are_named(make_case: Any) -> None:
    assert [(row.op, row.seconds) for row in named_rows(make_case([1.0, 2.0]))] == [("seal", 1.0), ("seal", 2.0)]
