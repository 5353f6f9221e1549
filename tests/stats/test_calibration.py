"""The short form of `make calibrate`: fewer runs, with limits wider by their standard errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeadlab.bench.profile import PROFILES
from tools.calibrate.models import MODELS, WITHOUT_MEDIAN
from tools.calibrate.procedures import Design, simulate
from tools.calibrate.records import exchanged

RECORDS = sorted(Path(__file__).parents[2].glob("data/records/*.parquet"))
QUICK = Design(PROFILES["quick"].processes, PROFILES["quick"].rounds // PROFILES["quick"].processes, 200, 6)


@pytest.mark.parametrize("name", MODELS)
def test_quick_covers_and_finds_no_difference_of_equal_code(name: str) -> None:
    rates = simulate(name, QUICK).errors

    # The limits of the full table, 0.93 and 0.98, less and plus three standard errors of 200 runs.
    assert 0.875 <= rates["coverage, ratio"] <= 1
    if name not in WITHOUT_MEDIAN:
        assert 0.875 <= rates["coverage, median"] <= 1
    # Of six runs, two false findings at a rate of 5 % are expected in one of 17 such tests.
    for key in ("`compare`", "claim", "`rank`"):
        assert rates[key] <= 2 / 6, key


def test_quick_finds_effects() -> None:
    rates = simulate("independent, 5 % stragglers", QUICK).power

    assert rates["ratio"] >= 0.95
    # The full table has 0.99 or more for these, and 0.6 to 0.8 for the others.
    for key in ("`compare`", "claim", "drift"):
        assert rates[key] >= 5 / 6, key
    for key in ("`rank`", "modes"):
        assert rates[key] > 0, key


def test_exchanged_times_of_a_record_are_equal() -> None:
    rates = exchanged(next(path for path in RECORDS if path.name.startswith("baselines")))

    assert rates["pairs"] > 100
    for unit in ("rounds", "processes"):
        assert rates[f"coverage, {unit} exchanged"] >= 0.92
        assert rates[f"false differences, {unit} exchanged"] <= 0.05
