"""The interval of two runs with one process each, from the intervals of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aeadlab.stats.interval import median_interval
from aeadlab.stats.unpaired import against_noise, unpaired_rows

ON = ["library", "bytes"]


def test_one_process_combines_the_widths_of_both_sides(make_case: Any, rng: np.random.Generator) -> None:
    """Each end of the interval has the square root of the sum of squares of its distances with one side constant."""
    varied = [1e-3 * scale * (1 + rng.exponential(0.3, 21)) for scale in (1.0, 3.0)]
    constant = [np.full(21, float(np.median(times))) for times in varied]

    def distances(a: Any, b: Any) -> tuple[float, float]:
        row = unpaired_rows(make_case(a, process=0), make_case(b, process=0), ON).iloc[0]
        assert row["log_ratio"] == pytest.approx(np.log(np.median(b) / np.median(a)))
        return row["log_ratio"] - row["log_low"], row["log_high"] - row["log_ratio"]

    of_a, of_b = distances(varied[0], constant[1]), distances(constant[0], varied[1])
    for times, (below, above) in ((varied[0], of_a[::-1]), (varied[1], of_b)):
        alone = median_interval(np.log(times), np.arange(21), np.zeros(21))
        assert (below, above) == pytest.approx((alone.estimate - alone.low, alone.high - alone.estimate))
        assert above > 1.2 * below
    assert distances(*varied) == pytest.approx(np.hypot(of_a, of_b))


@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("factor", [3.0, 1 / 3])
def test_p_value_of_one_process_agrees_with_its_interval(
    make_case: Any, rng: np.random.Generator, factor: float, confidence: float
) -> None:
    a, b = (make_case(scale * (1 + rng.exponential(0.5, 20)), process=0) for scale in (1.0, factor))
    table = unpaired_rows(a, b, ON, confidence)
    nearer_end = table[["log_low", "log_high"]].abs().min(axis=1)[0]
    assert against_noise(table, nearer_end)["p_value"][0] == pytest.approx(1 - confidence)
