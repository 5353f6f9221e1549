"""Messages of every length, from samples with known start-up times and rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from aeadlab.bench.case import Case
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.style import VENUES
from aeadlab.studies.rust import figures
from aeadlab.studies.rust.figures import (
    COLUMNS,
    IN_CACHE,
    LATENCY_COLUMNS,
    crossovers,
    latencies,
    message_size_table,
    message_size_times,
)
from aeadlab.studies.rust.study import STUDY
from tests.fixtures.drawing import contents

OfCases = Callable[..., pd.DataFrame]
Check = Callable[[Figure, str], None]
Written = Callable[[Figure], list[str]]
LENGTHS = (16, 64, 100, 256, 1000, 8 << 10, 16 << 10, 100_000, 10**6, 10**7, 10**8)
MEMCPY, QUICK, STEADY, PYTHON = "baseline/memcpy", "ring/quick", "openssl/steady", "pyca/once"
# Start-up in seconds, and bytes per second; messages longer than the cache are slower.
NUMBERS = {MEMCPY: (1e-6, 2e10), QUICK: (2e-6, 1e9), STEADY: (10e-6, 4e9), PYTHON: (50e-6, 3e9)}
KEY = 5e-6
"""Seconds of key set-up."""


def case_of(name: str, size: int, model: str = "keyed") -> Case:
    op = "encrypt" if name == MEMCPY else "seal"
    return Case(name, op, size, "python" if name.startswith("pyca") else "whole", model)  # type: ignore[arg-type]


def seconds(name: str, size: int, model: str = "keyed") -> float:
    startup, rate = NUMBERS[name]
    return startup + size / rate * (1.5 if size > IN_CACHE else 1) + (KEY if model == "oneshot" else 0)


def times_of(lengths: tuple[int, ...] = LENGTHS) -> dict[Case, float]:
    models = {name: ("oneshot",) if name == PYTHON else ("oneshot", "keyed") for name in NUMBERS}
    return {
        case_of(name, size, model): seconds(name, size, model)
        for name, size in product(NUMBERS, lengths)
        for model in models[name]
    }


@pytest.fixture(scope="module")
def samples(of_cases: OfCases) -> pd.DataFrame:
    """One length is measured for one implementation only, as in the study for `openssl speed`."""
    return of_cases({**times_of(), case_of(STEADY, 1024): 1e-6}, rounds=6, noise=0.001)


@pytest.fixture(scope="module")
def table(samples: pd.DataFrame) -> pd.DataFrame:
    return message_size_table(samples)


def test_ranks_are_by_length_and_model(table: pd.DataFrame) -> None:
    assert tuple(table.columns) == COLUMNS
    assert len(table) == len(times_of()) + 1
    rows = table.set_index(["model", "bytes", "implementation"]).sort_index()
    assert rows.loc[("keyed", 100), "rank"].to_dict() == {MEMCPY: 0, QUICK: 1, STEADY: 2}
    assert rows.loc[("keyed", 10**6), "rank"].to_dict() == {MEMCPY: 0, QUICK: 2, STEADY: 1}
    assert rows.loc[("oneshot", 100), "rank"].to_dict() == {MEMCPY: 0, QUICK: 1, STEADY: 2, PYTHON: 3}
    assert rows.loc[("oneshot", 10**8), "rank"].to_dict() == {MEMCPY: 0, QUICK: 3, STEADY: 1, PYTHON: 2}
    result = rows.loc[("oneshot", 10**7, QUICK)]
    assert result["seconds"] == pytest.approx(7e-6 + 0.015, rel=0.002)
    assert result["gib_per_s"] == pytest.approx(10**7 / 2**30 / 0.015, rel=0.002)
    assert (result["n"], result["engine"], result["status"]) == (6, "whole", "ok")
    assert result["seconds_low"] <= result["seconds"] <= result["seconds_high"]
    assert table["implementation"].drop_duplicates().tolist() == [MEMCPY, STEADY, PYTHON, QUICK], "the fastest first"


def test_failed_cases_have_no_rank(of_cases: OfCases) -> None:
    times = times_of((16, 64, 1000))
    crashed = case_of(QUICK, 64)
    result = message_size_table(
        of_cases({case: t for case, t in times.items() if case != crashed}, 3, failed=(crashed,))
    )
    rows = result.set_index(["model", "bytes", "implementation"])
    assert rows.loc[("keyed", 64, QUICK), "rank"] == 0 and rows.loc[("keyed", 64, STEADY), "rank"] == 1
    assert rows.loc[("keyed", 64, QUICK), "status"] == "failed: it crashed"
    assert np.isnan(rows.loc[("keyed", 64, QUICK), "seconds"])


def test_multithreaded_cases_are_left_out(of_cases: OfCases, table: pd.DataFrame) -> None:
    split = Case(STEADY, "seal", 10**6, "parsplit", block_size=1 << 16, threads=2, schedule="dynamic")
    other = {split: 1e-6, Case("blake3-rayon/blake3", "digest", 10**6, threads=2): 1e-6}
    assert len(message_size_table(of_cases({**times_of(), **other}, 3))) == len(table) - 1


def test_latency_fit_recovers_start_up_and_rate(table: pd.DataFrame) -> None:
    result = latencies(table)
    assert tuple(result.columns) == LATENCY_COLUMNS
    rows = result.set_index(["implementation", "model"])
    assert len(result) == 7 and result["startup_ns"].is_monotonic_increasing
    for name, (startup, rate) in NUMBERS.items():
        fit = rows.loc[(name, "oneshot")]
        assert fit["startup_ns"] == pytest.approx(1e9 * (startup + KEY), rel=0.005)
        assert fit["gib_per_s"] == pytest.approx(rate / 2**30, rel=0.01)
        assert fit["half_bytes"] == pytest.approx((startup + KEY) * rate, rel=0.01)
        assert fit["worst_residual"] < 0.01, "messages longer than the cache are not fitted"
    assert rows.loc[(QUICK, "keyed"), "startup_ns"] == pytest.approx(2000, rel=0.005)
    assert rows.loc[(QUICK, "keyed"), "sizes"] == 8 and rows.loc[(PYTHON, "oneshot"), "engine"] == "python"


def test_a_fit_needs_three_lengths(of_cases: OfCases) -> None:
    few = message_size_table(of_cases({**times_of((16, 1000)), case_of(QUICK, 64): 1e-5}, 3))
    assert latencies(few)["implementation"].tolist() == [QUICK]
    assert latencies(few.assign(status="failed: it crashed")).empty


def test_crossover_is_where_another_becomes_fastest(table: pd.DataFrame) -> None:
    """2 us + n/1e9 and 10 us + n/4e9 meet at 10.7 kB."""
    result = crossovers(table)
    assert result[["model", "from_bytes", "to_bytes", "implementation"]].to_numpy().tolist() == [
        ["keyed", 16, 8192, QUICK],
        ["keyed", 16384, 10**8, STEADY],
        ["oneshot", 16, 8192, QUICK],
        ["oneshot", 16384, 10**8, STEADY],
    ]
    ahead = result["ahead"].to_numpy()
    assert ahead[0] == pytest.approx(seconds(STEADY, 8192) / seconds(QUICK, 8192), rel=0.005), "the smallest in range"
    assert ahead[1] == pytest.approx(seconds(QUICK, 16384) / seconds(STEADY, 16384), rel=0.005)
    assert ahead[3] == pytest.approx(seconds(QUICK, 16384, "oneshot") / seconds(STEADY, 16384, "oneshot"), rel=0.005)


def test_an_uncommon_length_does_not_split_a_range(table: pd.DataFrame) -> None:
    assert 1024 in set(table["bytes"])
    assert 1024 not in {*crossovers(table)["from_bytes"], *crossovers(table)["to_bytes"]}
    assert not crossovers(table)["ahead"].isna().any()


def test_an_implementation_can_lead_two_ranges(of_cases: OfCases) -> None:
    times = {(QUICK, 16): 1e-5, (STEADY, 16): 2e-5, (QUICK, 64): 4e-5, (STEADY, 64): 2e-5, (QUICK, 256): 1e-5}
    times |= {(STEADY, 256): 3e-5}
    result = crossovers(message_size_table(of_cases({case_of(*key): t for key, t in times.items()}, 3)))
    assert result["implementation"].tolist() == [QUICK, STEADY, QUICK]
    assert result["ahead"].to_numpy() == pytest.approx([2, 2, 3], rel=0.02)


def test_a_single_implementation_has_no_lead(of_cases: OfCases) -> None:
    alone = message_size_table(of_cases({case_of(QUICK, size): 1e-5 for size in (16, 64)}, 3))
    result = crossovers(alone)
    assert result[["from_bytes", "to_bytes"]].to_numpy().tolist() == [[16, 64]] and result["ahead"].isna().all()
    assert crossovers(alone.assign(rank=0)).empty


def curves(figure: Figure, panel: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the points of each line of a panel."""
    lines = [line for line in figure.axes[panel].lines if line.get_linestyle() not in ("None", "none")]
    return [(np.asarray(line.get_xdata()), np.asarray(line.get_ydata())) for line in lines]


def test_other_algorithms_share_a_panel_beside_the_limit(samples: pd.DataFrame, written: Written) -> None:
    figure, _ = message_size_times(samples)
    assert len(figure.axes) == 1
    for name, (lengths, speeds) in zip([STEADY, PYTHON, QUICK, MEMCPY], curves(figure), strict=True):
        model = "oneshot" if name == PYTHON else "keyed"
        assert tuple(lengths) == LENGTHS, "without 1024"
        assert speeds == pytest.approx([n / 2**30 / seconds(name, n, model) for n in LENGTHS], rel=0.005)
    words = written(figure)
    assert {"steady\n(openssl)", "once\n(pyca)", "quick\n(ring)", "memcpy", "speed (GiB/s)", "message"} <= set(words)


def test_an_algorithm_of_several_libraries_has_relative_speeds_below(of_cases: OfCases, written: Written) -> None:
    speeds = {"ring": 4.0, "openssl": 2.0, "aws-lc": 1.0}
    times = {
        Case(f"{library}/aes-256-gcm", "seal", size, model="keyed"): size / speed / 2**30
        for library, speed in speeds.items()
        for size in (1 << 10, 1 << 14, 1 << 20)
    }
    figure, _ = message_size_times(of_cases(times, 3))
    above, below = figure.axes
    assert (above.get_ylabel(), below.get_ylabel()) == ("speed (GiB/s)", "of fastest (%)")
    assert [line.mean() for _, line in curves(figure, 1)] == pytest.approx([100, 50, 25], rel=0.02)
    figure.draw_without_rendering()
    words = written(figure)
    assert {*speeds, "1 KiB", "1 MiB"} <= set(words) and "1 kB" not in words
    assert "Fastest for 1 KiB and 1 MiB: aes-256-gcm ring" in " ".join(words)


def test_failed_cases_are_named_in_the_caption_without_curve(of_cases: OfCases) -> None:
    times = times_of((16, 64, 256, 1000))
    crashed = tuple(case for case in times if case.implementation == STEADY)
    kept = {case: time for case, time in times.items() if case not in crashed}
    figure, table = message_size_times(of_cases(kept, 3, failed=crashed))
    assert f"Absent: {STEADY}." in figure.caption  # type: ignore[attr-defined]
    assert len(curves(figure)) == 3
    assert table.loc[table["implementation"].eq(STEADY), "seconds"].isna().all()


def test_a_failed_length_is_left_out_of_its_curve(of_cases: OfCases) -> None:
    times = times_of()
    crashed = case_of(QUICK, 10**8)
    figure, _ = message_size_times(of_cases({c: t for c, t in times.items() if c != crashed}, 3, failed=(crashed,)))
    assert sorted(len(lengths) for lengths, _ in curves(figure)) == [10, 11, 11, 11]


def test_named_implementations_are_emphasised_first(
    of_cases: OfCases, written: Written, check_layout: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"library-{number:02}/aes-256-gcm" for number in range(20)]
    times = {
        Case(name, "seal", size): (1 + place) * 1e-6 * (1 + size / 1000)
        for place, name in enumerate([*names, MEMCPY])
        for size in (16, 64, 1000, 10**8)
    }
    monkeypatch.setattr(figures, "STUDY", replace(STUDY, named=(names[19], names[10])))
    figure, table = message_size_times(of_cases(times, 2), "ieee")
    check_layout(figure, "ieee")
    shown = {name for name in names if name.partition("/")[0] in written(figure)}
    assert shown == {*names[:5], names[10], names[19]}, "seven"
    assert len(curves(figure, 1)) == 20, "the others are grey"
    assert table["implementation"].nunique() == 21


@pytest.mark.parametrize("venue", VENUES)
def test_layout_fits_every_venue(samples: pd.DataFrame, venue: str, check_layout: Check) -> None:
    check_layout(message_size_times(samples, venue)[0], venue)


def test_the_same_record_gives_the_same_bytes(samples: pd.DataFrame) -> None:
    assert contents(*message_size_times(samples)) == contents(*message_size_times(samples))


def test_rejects_samples_without_matching_cases(samples: pd.DataFrame) -> None:
    with pytest.raises(EmptyFigureError, match="no whole message in one thread: measure the study message-sizes"):
        message_size_times(samples.assign(threads=2))
    with pytest.raises(EmptyFigureError, match="^every whole message failed: see the status of each"):
        message_size_times(samples.assign(status="failed: it crashed"))
    with pytest.raises(UnknownNameError, match="there is no venue 'natur'"):
        message_size_times(samples, "natur")
