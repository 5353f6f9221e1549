"""Figures of run times with two modes, from samples with known modes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab.bench.case import Case
from aeadlab.display.units import significant
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.export import export
from aeadlab.figures.style import VENUES
from aeadlab.parsplit.schedules import EXPERIMENTS, NAMES
from aeadlab.studies.thread_modes.figures import mode_ratios, mode_samples, schedule_times
from aeadlab.studies.thread_modes.stealing import upper_level
from aeadlab.studies.thread_modes.study import COUNTS, message
from aeadlab.studies.thread_modes.table import COLUMNS, mode_table

OfCases = Callable[..., pd.DataFrame]
Texts = Callable[[Figure], list[Text]]
DELAY = "baseline/delay"
ROUNDS = 200
EVEN = 0.0262
# Share of the upper mode where Rayon has one. Chosen, not measured.
SHARES = {3: 0.13, 5: 0.45, 6: 0.1, 9: 0.4, 10: 0.3}
FIGURES = {"ratios": mode_ratios, "samples": mode_samples}


def waiting(threads: int, schedule: str, blocks: int | None = None) -> Case:
    length, block = message(threads)
    size = length // blocks if blocks else block
    return Case(DELAY, "seal", length, "parsplit", block_size=size, threads=threads, schedule=schedule)


def times_of(counts: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 8, 9, 10, 48)) -> dict[Case, np.ndarray]:
    random = np.random.default_rng(7)
    times = {}
    for threads in counts:
        even = EVEN * message(threads)[0] / (threads << 20)
        slow = random.random(ROUNDS) < SHARES.get(threads, 0)
        times[waiting(threads, "rayon")] = even * np.where(slow, upper_level(threads), 1.0)
        for schedule in ("dynamic", "static", "rayon-max-len"):
            times[waiting(threads, schedule)] = np.full(ROUNDS, even * (1.0 if threads == 1 else 1.01))
    times[waiting(5, "rayon", 8)] = np.full(ROUNDS, EVEN * 1.25)
    times[waiting(5, "rayon-late")] = EVEN * np.where(random.random(ROUNDS) < 0.5, 1.25, 1.0)
    return times


@pytest.fixture
def samples(of_cases: OfCases) -> pd.DataFrame:
    """Return samples in interleaved order, as in a run."""
    result = of_cases(times_of(), rounds=ROUNDS, noise=0.003)
    return interleaved(result)


def interleaved(samples: pd.DataFrame) -> pd.DataFrame:
    turns = samples.sort_values(["round", "order"])
    return turns.assign(order=np.arange(len(turns)))


def row(table: pd.DataFrame, schedule: str, threads: int, blocks: int | None = None) -> pd.Series:
    result = table[(table["schedule"] == schedule) & (table["threads"] == threads)]
    (index,) = result.index[result["blocks"] == (blocks or 64 * threads)]
    return table.loc[index]


def test_modes_are_detected(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert tuple(table.columns) == COLUMNS
    for threads, share in SHARES.items():
        result = row(table, "rayon", threads)
        assert result["kind"] == "two"
        assert result["ratio"] == pytest.approx(upper_level(threads), rel=0.005) == result["predicted_ratio"]
        assert result["ratio_low"] < result["ratio"] < result["ratio_high"]
        assert result["upper_share_low"] < share < result["upper_share_high"]
        assert result["lower_seconds"] == pytest.approx(EVEN, rel=0.005)
    for threads in (1, 2, 4, 8, 48):
        assert row(table, "rayon", threads)["kind"] == "one"
        assert np.isnan(row(table, "rayon", threads)["ratio"])


def test_each_block_count_has_a_row_and_a_prediction(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    few = row(table, "rayon", 5, 8)
    # Eight blocks for five threads: one worker always processes two.
    assert (few["kind"], few["n"], few["predicted_ratio"], few["predicted_over_even"]) == ("one", ROUNDS, 1, 1.25)
    assert few["over_even"] == pytest.approx(1.25, rel=0.01)


def test_only_halving_schedules_have_a_prediction(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert row(table, "rayon-late", 5)["predicted_over_even"] == 1.25
    assert row(table, "rayon-late", 5)["predicted_ratio"] == 1
    assert table[table["schedule"].isin(["dynamic", "static"])]["predicted_ratio"].isna().all()


def test_times_are_relative_to_perfect_balance(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert row(table, "dynamic", 10)["over_even"] == pytest.approx(1.01, rel=0.003)
    assert row(table, "dynamic", 48)["over_even"] == pytest.approx(1.01, rel=0.003)
    alone = mode_table(samples[samples["threads"] > 1])
    assert alone["over_even"].isna().all(), "requires a case with one thread"


def test_drift_is_no_mode(of_cases: OfCases) -> None:
    times = {waiting(5, "rayon"): np.r_[np.full(100, EVEN), np.full(100, 1.25 * EVEN)]}
    (result,) = mode_table(of_cases(times, rounds=ROUNDS, noise=0.003))["kind"]
    assert result == "drift"


def test_a_disturbance_is_no_mode(samples: pd.DataFrame) -> None:
    """In a fifth of the rounds all cases take a quarter longer."""
    slow = samples["round"].between(80, 119)
    table = mode_table(samples.assign(seconds=samples["seconds"] * np.where(slow, 1.25, 1.0)))
    assert row(table, "dynamic", 5)["kind"] == row(table, "rayon", 4)["kind"] == "one"
    even = row(table, "dynamic", 5)
    assert even["n"] == ROUNDS
    assert 150 < even["undisturbed"] < 170
    assert even["p95_over_median"] > 1.2 > 1.02 > even["undisturbed_p95_over_median"]
    result = row(table, "rayon", 5)
    assert result["upper_share_low"] < SHARES[5] < result["upper_share_high"]


def test_failed_cases_are_in_the_table_only(of_cases: OfCases) -> None:
    crashed = waiting(5, "numba-tbb")
    samples = of_cases(times_of(), rounds=ROUNDS, failed=(crashed,))
    table = mode_table(samples)
    assert row(table, "numba-tbb", 5)["status"] == "failed: it crashed"
    assert row(table, "numba-tbb", 5)["n"] == 0
    figure, _ = schedule_times(samples)
    assert not any("numba" in text.get_text() for text in figure.findobj(Text))


@pytest.mark.parametrize("venue", VENUES)
@pytest.mark.parametrize("name", FIGURES)
def test_fits_the_venue(
    samples: pd.DataFrame, check_layout: Callable[[Figure, str], None], name: str, venue: str
) -> None:
    figure, _ = FIGURES[name](samples, venue)
    check_layout(figure, venue)


@pytest.mark.parametrize("venue", VENUES)
def test_all_schedules_and_counts_fit_the_venue(
    of_cases: OfCases, check_layout: Callable[[Figure, str], None], venue: str
) -> None:
    names = [*(name for name in NAMES if not name.endswith("-pinned")), *EXPERIMENTS]
    times = {
        waiting(threads, name): EVEN * message(threads)[0] / (threads << 20) for name in names for threads in COUNTS
    }
    samples = of_cases(times, rounds=20)
    check_layout(schedule_times(samples, venue)[0], venue)
    check_layout(mode_ratios(samples, venue)[0], venue)


def test_published_modes_are_drawn_hollow(samples: pd.DataFrame) -> None:
    """Five threads, 129.72 over 104.342 ms, 32 of 99 samples."""
    figure, _ = mode_ratios(samples)
    marked = [
        [np.asarray(line.get_xydata()).ravel() for line in axes.lines if line.get_markerfacecolor() == "none"]
        for axes in figure.axes
    ]
    points = [np.concatenate(of).tolist() for of in marked]
    assert points == [pytest.approx([5, 129.72 / 104.342]), pytest.approx([5, 100 * 32 / 99])]
    assert "Hollow: published (ETH)." in figure.caption  # type: ignore[attr-defined]


def test_samples_with_five_threads_are_drawn_in_order(samples: pd.DataFrame, texts: Texts) -> None:
    figure, _ = mode_samples(samples)
    for axes, schedule in zip(figure.axes, ("rayon", "dynamic"), strict=True):
        lines = [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines if line.get_marker() == "o"]
        own = samples[(samples["schedule"] == schedule) & (samples["threads"] == 5) & (samples["block_size"] == 16384)]
        # A sample is on the line of those that something else slowed, or on the other.
        assert (np.isfinite(lines).sum(axis=0) == 1).all()
        assert np.nansum(lines, axis=0) == pytest.approx(1e3 * own.sort_values("order")["seconds"].to_numpy())
    words = " ".join(text.get_text() for text in texts(figure))
    assert "rayon has two modes, 1.25" in words.replace("\n", " ")


def test_each_schedule_has_a_panel_with_rayon_behind_it(samples: pd.DataFrame) -> None:
    figure, table = schedule_times(samples)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert set(titles) == set(table["schedule"]) - {"rayon", *EXPERIMENTS}
    bands = [len([one for one in axes.collections if isinstance(one, PolyCollection)]) for axes in figure.axes]
    assert bands == [2] * len(figure.axes)
    usual = table["schedule"].eq("rayon") & table["blocks"].eq(64 * table["threads"])
    worst = (table["over_even"] * table["undisturbed_p95_over_median"])[usual].max()
    assert f"that of rayon up to {significant(worst)}" in figure.caption  # type: ignore[attr-defined]
    assert table["kind"].eq("").all(), "the search of modes takes most of the time"


def test_figures_are_exported(samples: pd.DataFrame, tmp_path: Path) -> None:
    figure, table = mode_ratios(samples)
    export(figure, table, "modes", tmp_path, {})
    assert {path.suffix for path in tmp_path.iterdir()} >= {".pdf", ".svg", ".png", ".csv"}


def test_rejects_samples_without_matching_cases(samples: pd.DataFrame) -> None:
    whole = samples.assign(engine="whole")
    with pytest.raises(EmptyFigureError, match="measure the study thread-modes"):
        mode_table(whole)
    with pytest.raises(EmptyFigureError, match="schedule rayon"):
        mode_ratios(samples[samples["schedule"] == "static"])
    with pytest.raises(EmptyFigureError, match="5 threads under schedule rayon"):
        mode_samples(samples[samples["threads"] != 5])
    with pytest.raises(UnknownNameError):
        schedule_times(samples, "nowhere")
