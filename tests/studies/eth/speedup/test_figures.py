"""The axis of the figures by thread count, and the limit by Amdahl's law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.display.units import significant
from aeadlab.studies.eth.speedup.figures import thread_speed_ups, thread_times
from aeadlab.studies.eth.speedup.table import thread_table

OfCases = Callable[..., pd.DataFrame]
Texts = Callable[[Figure], list[Text]]
NAME = "openssl/aes-256-gcm"


def amdahl(counts: tuple[int, ...], serial: float = 0.25) -> dict[Case, float]:
    return {
        Case(NAME, "seal", 1 << 30, "parsplit", block_size=65536, threads=n, schedule="dynamic"): 0.1
        * (serial + (1 - serial) / n)
        for n in counts
    }


@pytest.mark.parametrize("draw", [thread_times, thread_speed_ups])
def test_threads_have_the_scale_of_their_square_root(draw: Callable[..., object], of_cases: OfCases) -> None:
    figure, _ = draw(of_cases(amdahl((1, 4, 9, 16))), cores=16)  # type: ignore[misc]
    axes = figure.axes[0]
    x = [axes.transData.transform((count, axes.get_ylim()[1]))[0] for count in (1, 4, 9, 16)]
    assert np.diff(x) == pytest.approx([x[1] - x[0]] * 3)


def test_a_limit_needs_three_counts_and_has_an_interval(of_cases: OfCases) -> None:
    row = thread_table(of_cases(amdahl((1, 2, 4, 8))), 8).iloc[0]
    assert row["amdahl_limit_low"] < 4 < row["amdahl_limit_high"]
    for counts in ((1, 2), (1, 2, 9, 16)):
        row = thread_table(of_cases(amdahl(counts)), 8).iloc[0]
        limits = row[["amdahl_limit", "amdahl_limit_low", "amdahl_limit_high"]]
        assert limits.isna().all(), "two counts within the cores always fit"


def test_the_result_is_the_speed_up_within_the_cores(of_cases: OfCases) -> None:
    figure, table = thread_speed_ups(of_cases(amdahl((1, 2, 4, 8))), "lncs", cores=4)
    up = significant(table.set_index("threads")["speed_up"][4])
    assert figure.caption.startswith(f"With 4 threads: {NAME} {up}\N{MULTIPLICATION SIGN}")  # type: ignore[attr-defined]


def test_growth_that_may_be_linear_has_no_upper_limit(of_cases: OfCases) -> None:
    rows = thread_table(of_cases(amdahl((1, 2, 4), serial=0.0)), 4)
    limit, high = rows["amdahl_limit"].iloc[0], rows["amdahl_limit_high"].iloc[0]
    assert np.isnan(limit) or limit > 50
    assert np.isnan(high) or high > limit
