"""Figures of run times with two modes, from samples whose modes are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from aeadlab import published
from aeadlab.bench.case import Case
from aeadlab.errors import EmptyFigureError, UnknownNameError
from aeadlab.figures.export import export
from aeadlab.figures.style import VENUES
from aeadlab.figures.thread_modes import mode_ratios, mode_samples, schedule_times
from aeadlab.figures.thread_modes_table import COLUMNS, mode_table
from aeadlab.stealing import busiest
from aeadlab.studies.thread_modes import COUNTS, message
from aeadlab.units import significant

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
        times[waiting(threads, "rayon")] = even * np.where(slow, busiest(threads), 1.0)
        for schedule in ("dynamic", "static", "rayon-max-len"):
            times[waiting(threads, schedule)] = np.full(ROUNDS, even * (1.0 if threads == 1 else 1.01))
    times[waiting(5, "rayon", 8)] = np.full(ROUNDS, EVEN * 1.25)
    times[waiting(5, "rayon-late")] = EVEN * np.where(random.random(ROUNDS) < 0.5, 1.25, 1.0)
    return times


@pytest.fixture
def samples(of_cases: OfCases) -> pd.DataFrame:
    """The cases take turns, as they do in a run."""
    found = of_cases(times_of(), rounds=ROUNDS, noise=0.003, logical_cores=2, caches={})
    return interleaved(found)


def interleaved(samples: pd.DataFrame) -> pd.DataFrame:
    turns = samples.sort_values(["round", "order"])
    return turns.assign(order=np.arange(len(turns)))


def row(table: pd.DataFrame, schedule: str, threads: int, blocks: int | None = None) -> pd.Series:
    found = table[(table["schedule"] == schedule) & (table["threads"] == threads)]
    (index,) = found.index[found["blocks"] == (blocks or 64 * threads)]
    return table.loc[index]


def test_modes_are_found_where_they_are(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert tuple(table.columns) == COLUMNS
    for threads, share in SHARES.items():
        found = row(table, "rayon", threads)
        assert found["kind"] == "two"
        assert found["ratio"] == pytest.approx(busiest(threads), rel=0.005) == found["predicted_ratio"]
        assert found["ratio_low"] < found["ratio"] < found["ratio_high"]
        assert found["upper_share_low"] < share < found["upper_share_high"]
        assert found["lower_seconds"] == pytest.approx(EVEN, rel=0.005)
    for threads in (1, 2, 4, 8, 48):
        assert row(table, "rayon", threads)["kind"] == "one"
        assert np.isnan(row(table, "rayon", threads)["ratio"])


def test_numbers_of_blocks_are_told_apart_and_have_a_prediction_each(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    few = row(table, "rayon", 5, 8)
    # Eight blocks for five threads: somebody does two in any case.
    assert (few["kind"], few["n"], few["predicted_ratio"], few["predicted_over_even"]) == ("one", ROUNDS, 1, 1.25)
    assert few["over_even"] == pytest.approx(1.25, rel=0.01)


def test_only_halving_schedules_have_a_prediction(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert row(table, "rayon-late", 5)["predicted_over_even"] == 1.25
    assert row(table, "rayon-late", 5)["predicted_ratio"] == 1
    assert table[table["schedule"].isin(["dynamic", "static"])]["predicted_ratio"].isna().all()


def test_times_are_over_an_even_division_of_one_thread(samples: pd.DataFrame) -> None:
    table = mode_table(samples)
    assert row(table, "dynamic", 10)["over_even"] == pytest.approx(1.01, rel=0.003)
    assert row(table, "dynamic", 48)["over_even"] == pytest.approx(1.01, rel=0.003)
    alone = mode_table(samples[samples["threads"] > 1])
    assert alone["over_even"].isna().all(), "without one thread nobody knows it"


def test_drift_is_no_mode(of_cases: OfCases) -> None:
    times = {waiting(5, "rayon"): np.r_[np.full(100, EVEN), np.full(100, 1.25 * EVEN)]}
    (found,) = mode_table(of_cases(times, rounds=ROUNDS, noise=0.003))["kind"]
    assert found == "drift"


def test_what_slows_everything_for_a_while_is_no_mode(samples: pd.DataFrame) -> None:
    """A fifth of all rounds takes a quarter longer, all cases alike."""
    slow = samples["round"].between(80, 119)
    table = mode_table(samples.assign(seconds=samples["seconds"] * np.where(slow, 1.25, 1.0)))
    assert row(table, "dynamic", 5)["kind"] == row(table, "rayon", 4)["kind"] == "one"
    even = row(table, "dynamic", 5)
    assert even["n"] == ROUNDS
    assert 150 < even["undisturbed"] < 170
    assert even["p95_over_median"] > 1.2 > 1.02 > even["undisturbed_p95_over_median"]
    found = row(table, "rayon", 5)
    assert found["upper_share_low"] < SHARES[5] < found["upper_share_high"]


def test_what_failed_is_in_the_table_and_not_in_the_figure(of_cases: OfCases) -> None:
    gone = waiting(5, "numba-tbb")
    samples = of_cases(times_of(), rounds=ROUNDS, failed=(gone,))
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
    figure, _ = FIGURES[name](samples, published.load("ETH"), venue)
    check_layout(figure, venue)


@pytest.mark.parametrize("venue", VENUES)
def test_all_schedules_and_counts_fit_the_venue(
    of_cases: OfCases, check_layout: Callable[[Figure, str], None], venue: str
) -> None:
    from aeadlab.schedules import EXPERIMENTS, NAMES

    names = [*(name for name in NAMES if not name.endswith("-pinned")), *EXPERIMENTS]
    times = {
        waiting(threads, name): EVEN * message(threads)[0] / (threads << 20) for name in names for threads in COUNTS
    }
    samples = of_cases(times, rounds=20)
    check_layout(schedule_times(samples, venue)[0], venue)
    check_layout(mode_ratios(samples, published.load("ETH"), venue)[0], venue)


def test_the_paper_s_point_stands_beside_ours(samples: pd.DataFrame, texts: Texts) -> None:
    """Five threads, 129.72 over 104.342 ms, 32 of 99 samples."""
    with_point, without = (mode_ratios(samples, document)[0] for document in (published.load("ETH"), None))
    marked = [
        [np.asarray(line.get_xydata()).ravel() for line in axes.lines if line.get_marker() == "*"]
        for axes in with_point.axes
    ]
    points = [np.concatenate(of).tolist() for of in marked]
    assert points == [pytest.approx([5, 129.72 / 104.342]), pytest.approx([5, 100 * 32 / 99])]
    assert all(line.get_marker() != "*" for axes in without.axes for line in axes.lines)
    assert any("ETH, 5 threads" in text.get_text() for text in texts(with_point))


def test_every_sample_with_five_threads_is_drawn_in_its_order(samples: pd.DataFrame, texts: Texts) -> None:
    figure, _ = mode_samples(samples)
    paper, cure = (max((line for line in axes.lines), key=lambda line: len(line.get_xdata())) for axes in figure.axes)
    for line, schedule in ((paper, "rayon"), (cure, "dynamic")):
        own = samples[(samples["schedule"] == schedule) & (samples["threads"] == 5) & (samples["block_size"] == 16384)]
        assert np.asarray(line.get_ydata()) == pytest.approx(1e3 * own.sort_values("order")["seconds"].to_numpy())
    words = " ".join(text.get_text() for text in texts(figure))
    assert "rayon: modes 1.25" in words.replace("\n", " ")


def test_the_legend_says_how_wide_each_schedule_is(samples: pd.DataFrame, texts: Texts) -> None:
    figure, table = schedule_times(samples)
    usual = table["schedule"].eq("rayon") & table["blocks"].eq(64 * table["threads"])
    worst = table.loc[usual, "undisturbed_p95_over_median"].max()
    assert any(text.get_text() == f"rayon, {significant(worst)}" for text in texts(figure))
    assert not any(text.get_text().startswith("rayon-late") for text in texts(figure)), "an experiment"


def test_figures_are_exported(samples: pd.DataFrame, tmp_path: Path) -> None:
    figure, table = mode_ratios(samples)
    export(figure, table, "modes", tmp_path, {})
    assert {path.suffix for path in tmp_path.iterdir()} >= {".pdf", ".svg", ".png", ".csv"}


def test_nothing_to_draw_is_told(samples: pd.DataFrame) -> None:
    whole = samples.assign(engine="whole")
    with pytest.raises(EmptyFigureError, match="measure the study thread-modes"):
        mode_table(whole)
    with pytest.raises(EmptyFigureError, match="schedule rayon"):
        mode_ratios(samples[samples["schedule"] == "static"])
    with pytest.raises(EmptyFigureError, match="5 threads under schedule rayon"):
        mode_samples(samples[samples["threads"] != 5])
    with pytest.raises(UnknownNameError):
        schedule_times(samples, "nowhere")
