from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from aeadlab.errors import ArgumentError
from aeadlab.stats import noise_floor
from aeadlab.stats.noise_floor import band_width


def test_the_band_is_symmetric_and_as_wide_as_the_widest_pair(make_case: Any) -> None:
    base = np.full(20, 1.0)
    narrow = [make_case(base), make_case(base * 0.99, replica=1)]
    wide = [make_case(base, bytes=64), make_case(base * 1.03, bytes=64, replica=1)]
    alone = make_case(base * 7, bytes=128)
    noise = noise_floor(pd.concat([*narrow, *wide, alone], ignore_index=True))
    assert noise.pairs == 2
    assert (noise.low, noise.high) == pytest.approx((1 / 1.03, 1.03))
    assert noise_floor(pd.concat(narrow)).high == pytest.approx(1 / 0.99)


def test_raises_without_an_a_a_pair(make_case: Any) -> None:
    with pytest.raises(ArgumentError, match="no A/A pair"):
        noise_floor(make_case([1.0] * 20))
    disjoint = make_case([1.0] * 20, replica=1).assign(round=np.arange(100, 120))
    with pytest.raises(ArgumentError, match="no A/A pair"):
        noise_floor(pd.concat([make_case([1.0] * 20), disjoint]))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 0.0, -1e-6])
def test_raises_for_times_of_a_pair_that_are_not_positive(make_case: Any, bad: float) -> None:
    with pytest.raises(ArgumentError, match="seconds hold 1 of 4 values"):
        noise_floor(pd.concat([make_case([1.0, bad]), make_case([1.0, 1.1], replica=1)]))


def test_band_width_contains_the_interval_on_both_sides() -> None:
    assert band_width([0.9, 0.99], [1.05, 1.05]) == pytest.approx([np.log(1 / 0.9), np.log(1.05)])
    assert np.isnan(band_width(float("nan"), float("nan")))
