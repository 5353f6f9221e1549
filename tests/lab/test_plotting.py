"""The general figure of two columns of a record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

import aeadlab
from aeadlab.bench.case import Case
from aeadlab.errors import ArgumentError, EmptyFigureError, UnknownNameError
from aeadlab.figures.palette import appearance_of
from aeadlab.figures.style import CONTEXT, VENUES
from aeadlab.records.record import Record

SPEEDS = {"openssl": 4.0, "ring": 2.0, "rustcrypto": 1.0}
SIZES = (1 << 10, 1 << 14, 1 << 20)


def times_of(libraries: dict[str, float] = SPEEDS) -> dict[Case, float]:
    return {
        Case(f"{library}/{algorithm}", "seal", size, mask=mask): size / 2**30 / speed / factor
        for library, speed in libraries.items()
        for algorithm, factor in (("aes-256-gcm", 1.0), ("chacha20-poly1305", 0.5))
        for mask in ("", "no-aes")
        for size in SIZES
    }


@pytest.fixture(scope="module")
def record(of_cases: Callable[..., pd.DataFrame]) -> Record:
    return Record(Path("/elsewhere/sizes-1.parquet"), of_cases(times_of(), 3), {"plan": {"study": "sizes"}})


def lines(axes: Axes) -> dict[str, np.ndarray]:
    """Return y of each line of a panel by its colour."""
    drawn = [line for line in axes.lines if len(np.asarray(line.get_xdata())) > 1]
    return {to_hex(line.get_color()).upper(): np.asarray(line.get_ydata()) for line in drawn}


def test_lines_are_medians_in_the_colours_of_libraries(record: Record) -> None:
    (axes,) = aeadlab.plot(record, algorithm="aes-256-gcm").axes
    shown = lines(axes)
    assert set(shown) == {appearance_of(library).colour for library in SPEEDS}
    for library, speed in SPEEDS.items():
        assert shown[appearance_of(library).colour] == pytest.approx([speed] * 3, rel=0.02)
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale()) == ("message", "speed (GiB/s)", "log")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1 KiB", "16 KiB", "1 MiB"]


def test_masked_cases_are_drawn_on_demand_only(record: Record) -> None:
    assert "no-aes" not in aeadlab.plot(record).caption  # type: ignore[attr-defined]
    assert "without no-aes" in aeadlab.plot(record, mask="no-aes").caption  # type: ignore[attr-defined]
    masks = aeadlab.plot(record, color="mask", library="ring", algorithm="aes-256-gcm")
    assert len(lines(masks.axes[0])) == 2


def test_each_value_of_facet_has_a_panel(record: Record) -> None:
    figure = aeadlab.plot(record, y="seconds", facet="algorithm")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["aes-256-gcm", "chacha20-poly1305"]
    slow, fast = (lines(axes)[appearance_of("ring").colour] for axes in reversed(figure.axes))
    assert slow / fast == pytest.approx([2.0] * 3, rel=0.02)
    assert fast[-1] == pytest.approx(1e3 * SIZES[-1] / 2**30 / 2, rel=0.02), "milliseconds"


def test_text_on_the_x_axis_has_points_without_line(record: Record) -> None:
    (axes,) = aeadlab.plot(record, x="implementation", color="algorithm", bytes=SIZES[0]).axes
    assert not lines(axes) and len(axes.get_xticklabels()) == 6


def test_at_most_seven_values_are_coloured(of_cases: Callable[..., pd.DataFrame]) -> None:
    speeds = {f"library{number}": 1.0 + number for number in range(9)}
    many = Record(Path("/elsewhere/many.parquet"), of_cases(times_of(speeds), 3), {"plan": {"study": "many"}})
    figure = aeadlab.plot(many, algorithm="aes-256-gcm")
    named = [text.get_text() for text in figure.legends[0].get_texts()]
    assert named == [f"library{number}" for number in range(8, 1, -1)], "the fastest first"
    grey = [line for line in figure.axes[0].lines if to_hex(line.get_color()).upper() == CONTEXT]
    assert len(grey) == 2


@pytest.mark.parametrize("venue", VENUES)
def test_texts_are_inside_the_page(record: Record, venue: str) -> None:
    figure = aeadlab.plot(record, color="implementation", facet="algorithm", venue=venue)
    figure.draw_without_rendering()
    width, height = figure.bbox.size
    texts = [*figure.legends[0].get_texts(), *(axes.xaxis.label for axes in figure.axes), figure.axes[0].yaxis.label]
    for box in (text.get_window_extent() for text in texts if text.get_text()):
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
    assert figure.get_size_inches()[0] == VENUES[venue].width


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"x": "byte"}, UnknownNameError, "there is no column 'byte' for x; did you mean bytes?"),
        ({"color": "librari"}, UnknownNameError, "there is no column 'librari' for color; did you mean library?"),
        ({"facet": "n"}, UnknownNameError, "there is no column 'n' for facet"),
        ({"y": "second"}, UnknownNameError, "there is no quantity 'second' for y; did you mean seconds?"),
        ({"venue": "natur"}, UnknownNameError, "there is no venue 'natur'"),
        ({"librari": "ring"}, UnknownNameError, "there is no column 'librari'; did you mean library?"),
        ({"library": "rign"}, EmptyFigureError, "no case of sizes-1.parquet has library 'rign'; did you mean ring?"),
        ({"bytes": [17]}, EmptyFigureError, "no case of sizes-1.parquet has bytes 17; there are 1024"),
    ],
)
def test_wrong_columns_and_empty_selections_are_one_line(
    record: Record, given: dict[str, Any], error: type[ArgumentError], message: str
) -> None:
    with pytest.raises(error) as raised:
        aeadlab.plot(record, **given)
    assert message in str(raised.value) and "\n" not in str(raised.value)
