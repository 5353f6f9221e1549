"""Every figure of every study, drawn from its reference record in every venue: the rules of docs/FIGURES.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from aeadlab.figures.caption import MOST_LINES
from aeadlab.figures.curves import MOST_EMPHASISED
from aeadlab.figures.style import VENUES, settings
from aeadlab.records.reading import load_record
from aeadlab.records.record import Record
from aeadlab.studies import all_studies, find_study

Texts = Callable[[Figure], list[Text]]
RECORDS = Path(__file__).parents[2] / "data" / "records"
DRAWN = [
    (study, name)
    for study in all_studies()
    if next(RECORDS.glob(f"{study}-2*.parquet"), None) is not None
    for name in find_study(study).figures
]
FEWEST_POINTS = 7.0
# Widths of other venues differ from these by less than 0.2 mm.
LEFT_OUT = ("usenix", "usenix-double")
"""Venues whose columns are as wide as those of another."""


@lru_cache(maxsize=1)
def record_of(study: str) -> Record:
    return load_record(max(RECORDS.glob(f"{study}-2*.parquet")))


def remember(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes a table once for all venues."""
    results: dict[Any, Any] = {}

    def remembered(samples: Any, *arguments: Any, **more: Any) -> Any:
        key = (id(samples), repr([repr(one)[:200] for one in (*arguments, *more.items())]))
        if key not in results:
            results[key] = function(samples, *arguments, **more)
        return results[key]

    return remembered


def boxes(figure: Figure, texts: list[Text]) -> list[tuple[str, Any]]:
    with settings():
        figure.draw_without_rendering()
        return [(text.get_text(), text.get_window_extent()) for text in texts]


def check_texts(figure: Figure, texts: list[Text]) -> None:
    """Check that texts are inside the page, apart from each other, and large enough."""
    width, height = figure.get_size_inches() * figure.dpi
    assert min(text.get_fontsize() for text in texts) >= FEWEST_POINTS
    placed = boxes(figure, texts)
    for text, box in placed:
        assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height, f"outside the page: {text!r}"
    # The line boxes of adjacent rows may touch: a box is higher than its glyphs.
    slack = 0.02 * figure.dpi
    for (first, a), (second, b) in combinations(placed, 2):
        apart = a.x1 <= b.x0 or b.x1 <= a.x0 or min(a.y1, b.y1) - max(a.y0, b.y0) <= slack
        assert apart, f"{first!r} overlaps {second!r}"


def colours(axes: Axes) -> set[tuple[float, ...]]:
    """Return the colours of lines that are not grey."""
    series = [line for line in axes.lines if isinstance(line, Line2D) and line.get_linestyle() not in ("None", "none")]
    return {colour for line in series if len(set(colour := to_rgb(line.get_color()))) > 1}


def names_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.texts]


@pytest.mark.parametrize(("study", "name"), DRAWN)
def test_figure_keeps_the_rules_in_every_venue(
    study: str, name: str, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = record_of(study)
    module = import_module(f"{find_study(study).module.rpartition('.')[0]}.figures")
    for attribute in [one for one in vars(module) if one.endswith(("_table", "published_pairs"))]:
        if attribute != "published_table":
            monkeypatch.setattr(module, attribute, remember(getattr(module, attribute)))
    for venue in VENUES:
        if venue in LEFT_OUT:
            continue
        figure, table = find_study(study).draw(name, record, venue)
        assert len(table)
        assert figure.get_size_inches()[0] == VENUES[venue].width
        assert figure.get_size_inches()[1] <= VENUES[venue].height, venue
        check_texts(figure, texts(figure))
        caption = [text for text in figure.texts if text.get_va() == "baseline" and text.get_position()[1] < 0.5]
        assert 1 <= len(caption) <= MOST_LINES
        assert all(len(colours(axes)) <= MOST_EMPHASISED for axes in figure.axes), venue
        for axes in figure.axes:
            check_ticks(axes)


def check_ticks(axes: Axes) -> None:
    """Check that a labelled axis has a unit or a quantity and three ticks, if its values are no categories."""
    for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
        if not axis.get_label_text():
            continue
        ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        assert len(ticks) >= 3, f"{axis.get_label_text()} has {len(ticks)} ticks"
