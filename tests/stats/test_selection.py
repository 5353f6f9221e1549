from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import (
    benjamini_hochberg,
    detrend,
    dip,
    drift,
    fit_amdahl,
    fit_mixture,
    kde_mode_count,
    median_interval,
    modes,
    noise_floor,
    outlier_classes,
    ratio,
    roofline_share,
    speed_up,
    summary,
)

BAD = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "function",
    [
        benjamini_hochberg,
        dip,
        kde_mode_count,
        median_interval,
        outlier_classes,
        lambda v: fit_mixture(v, 2),
        lambda v: drift(v, [0, 1, 2]),
        lambda v: drift([0, 1, 2], v),
        lambda v: modes(v, [0, 1, 2]),
        lambda v: modes([1, 2, 3], v),
        lambda v: fit_amdahl(v, [1, 2, 3]),
        lambda v: fit_amdahl([1, 2, 3], v),
    ],
)
def test_values_that_are_not_finite_are_refused(function: Any, bad: float) -> None:
    with pytest.raises(ArgumentError, match="1 of 3 values that are NaN or infinite"):
        function([0.5, bad, 0.7])


@pytest.mark.parametrize("bad", [*BAD, 0.0, -1e-6])
@pytest.mark.parametrize("function", [summary, noise_floor, detrend, speed_up, roofline_share, lambda s: ratio(s, s)])
def test_times_that_no_clock_can_measure_are_refused(make_case: Any, function: Any, bad: float) -> None:
    samples = make_case([1.0, 1.1, 1.2])
    samples.loc[1, "seconds"] = bad
    with pytest.raises(ArgumentError, match="seconds hold 1 of 3 values"):
        function(samples)


@pytest.mark.parametrize("function", [summary, noise_floor, detrend, speed_up, roofline_share])
@pytest.mark.parametrize("column", ["threads", "seconds", "warmup", "status"])
def test_a_missing_column_is_named(make_case: Any, function: Any, column: str) -> None:
    with pytest.raises(ArgumentError, match=f"no column {column} "):
        function(make_case([1.0, 2.0]).drop(columns=column))


def test_a_failed_sample_may_hold_any_time(make_case: Any) -> None:
    samples = pd.concat([make_case([1.0, 2.0, 3.0]), make_case([np.nan, 0.0], status="failed: signal 11")])
    assert summary(samples)["n"].tolist() == [3]


def test_text_and_tables_are_refused_as_values() -> None:
    with pytest.raises(ArgumentError, match="not numbers"):
        median_interval(["fast", "slow"])
    with pytest.raises(ArgumentError, match="2 dimensions"):
        median_interval([[1.0, 2.0]])
